// Pictures of pages, a few at once, and the strip of all pages. Only what is in view exists as elements.

import { picture } from "./api.js";
import { FORMS, clock, counted, grouped, h } from "./dom.js";

const AT_ONCE = 4;
const MOST_KEPT = 300;

const kept = new Map();
const waiting = [];
let running = 0;

function release(key) {
	URL.revokeObjectURL(kept.get(key));
	kept.delete(key);
}

async function run({ wanted, abort, resolve, reject }) {
	running += 1;
	try {
		const address = await picture(wanted, abort.signal);
		kept.set(JSON.stringify(wanted), address);
		if (kept.size > MOST_KEPT) release(kept.keys().next().value);
		resolve(address);
	} catch (error) {
		reject(error);
	}
	running -= 1;
	next();
}

// What was asked for last is looked at now.
function next() {
	while (running < AT_ONCE && waiting.length > 0) run(waiting.pop());
}

// A picture that is kept already.
function atHand(wanted) {
	const key = JSON.stringify(wanted);
	const address = kept.get(key);
	if (address) {
		kept.delete(key);
		kept.set(key, address);
	}
	return address;
}

// Asks for a picture. Gives a promise of its address, and a way to call it off.
export function load(wanted) {
	const job = { wanted, abort: new AbortController() };
	const promise = new Promise((resolve, reject) => Object.assign(job, { resolve, reject }));
	promise.catch(() => {});
	waiting.push(job);
	queueMicrotask(next);
	const cancel = () => {
		const at = waiting.indexOf(job);
		if (at >= 0) waiting.splice(at, 1);
		job.abort.abort();
		job.reject(new DOMException("", "AbortError"));
	};
	return { promise, cancel };
}

// Forgets the pictures of a file, which has changed.
export function drop(file) {
	for (const key of [...kept.keys()]) if (JSON.parse(key).key === file) release(key);
}

const STEP = 112;
const BEYOND = 4;
const PAUSE_MS = 90;

const width = () => (window.devicePixelRatio > 1.25 ? 208 : 104);

// The words for what is known of a page.
export function words(page, mark) {
	const said = [`Page ${grouped(page)}`];
	if (mark?.forms) said.push(`given ${mark.forms.map(({ form }) => FORMS[form][1]).join(" and ")}`);
	if (mark?.changed) said.push("changed since");
	if (mark?.moved) said.push(`was page ${mark.moved}`);
	if (mark?.earlier) said.push("given in an earlier version");
	if (mark?.forgotten) said.push("forgotten");
	if (mark?.hits) said.push(counted(mark.hits, "match", "matches"));
	return said.join(", ");
}

class Cell {
	constructor(strip) {
		this.picture = h("img", { alt: "", decoding: "async", draggable: "false" });
		this.number = h("span", { class: "number", "aria-hidden": "true" });
		this.forms = h("span", { class: "forms", "aria-hidden": "true" });
		this.label = h("span", { class: "unseen" });
		this.button = h("button", { class: "page", tabindex: "-1" }, this.label,
			h("span", { class: "sheet" }, this.picture), this.number, this.forms);
		this.element = h("div", { role: "listitem", class: "cell" }, this.button);
		this.button.addEventListener("click", () => strip.open(this.page));
		this.button.addEventListener("focus", () => strip.setCurrent(this.page));
	}

	show(strip, page) {
		this.leave();
		this.page = page;
		this.element.style.transform = `translateX(${(page - 1) * STEP}px)`;
		this.element.setAttribute("aria-posinset", page);
		this.element.setAttribute("aria-setsize", strip.count);
		this.number.textContent = grouped(page);
		this.mark(strip);
		this.reveal(atHand(strip.wanted(page)));
	}

	mark(strip) {
		const mark = strip.marks.get(this.page);
		const kinds = { given: mark?.forms, changed: mark?.changed, earlier: mark?.earlier, forgotten: mark?.forgotten, hit: mark?.hits };
		for (const [kind, is] of Object.entries(kinds)) this.button.classList.toggle(kind, Boolean(is));
		this.label.textContent = words(this.page, mark);
		this.button.tabIndex = this.page === strip.current ? 0 : -1;
		this.button.title = (mark?.forms ?? []).map(({ when }) => (when ? clock(when) : "")).join(", ");
		const forms = (mark?.forms ?? []).map(({ form }) => h("span", { class: `form ${form}` }, FORMS[form][0]));
		for (const kind of ["changed", "forgotten", "earlier"]) if (mark?.[kind]) forms.push(h("span", { class: `form ${kind}` }, kind));
		this.forms.replaceChildren(...forms);
	}

	reveal(address) {
		this.isShown = Boolean(address);
		this.button.classList.toggle("drawn", this.isShown);
		if (address) this.picture.src = address;
		else this.picture.removeAttribute("src");
	}

	load(strip) {
		if (this.isShown || this.loading || this.hasFailed) return;
		const page = this.page;
		this.loading = load(strip.wanted(page));
		this.loading.promise.then(
			(address) => this.page === page && this.reveal(address),
			(error) => {
				if (error.name === "AbortError" || this.page !== page) return;
				this.hasFailed = true;
				this.button.classList.add("failed");
				this.label.append(", cannot be drawn");
			},
		).finally(() => this.page === page && (this.loading = null));
	}

	leave() {
		this.loading?.cancel();
		this.loading = null;
		this.hasFailed = false;
		this.button.classList.remove("failed");
	}
}

export class Strip {
	// `wanted(page, width)` names a picture; `open(page)` is called for a page that was chosen.
	constructor(label, wanted, open) {
		this.count = 0;
		this.current = 1;
		this.marks = new Map();
		this.cells = new Map();
		this.spare = [];
		this.wanted = (page) => wanted(page, width());
		this.open = open;
		this.track = h("div", { class: "track", role: "list", "aria-label": label });
		this.scroller = h("div", { class: "strip" }, this.track);
		this.overview = h("canvas", { class: "overview", height: "10", "aria-hidden": "true" });
		this.element = h("div", { class: "strip-box" }, this.scroller, this.overview);
		this.scroller.addEventListener("scroll", () => this.schedule(), { passive: true });
		this.scroller.addEventListener("keydown", (event) => this.key(event));
		this.overview.addEventListener("pointerdown", (event) => {
			this.goTo(Math.ceil((event.offsetX / this.overview.clientWidth) * this.count));
		});
		new ResizeObserver(() => this.schedule()).observe(this.scroller);
	}

	// Shows `count` pages with these marks.
	update(count, marks) {
		this.count = count;
		this.marks = marks;
		this.ground = null;
		this.current = Math.min(Math.max(this.current, 1), Math.max(count, 1));
		this.track.style.width = `${count * STEP}px`;
		for (const [page, cell] of this.cells) {
			if (page > count) this.remove(page, cell);
			else cell.mark(this);
		}
		this.schedule();
	}

	// Draws all pages anew.
	redraw() {
		for (const [page, cell] of [...this.cells]) this.remove(page, cell);
		this.schedule();
	}

	schedule() {
		if (this.frame) return;
		this.frame = requestAnimationFrame(() => {
			this.frame = null;
			this.place();
		});
	}

	place() {
		const { scrollLeft, clientWidth } = this.scroller;
		if (clientWidth === 0) return;
		const first = Math.max(1, Math.floor(scrollLeft / STEP) + 1 - BEYOND);
		const last = Math.min(this.count, Math.ceil((scrollLeft + clientWidth) / STEP) + BEYOND);
		for (const [page, cell] of this.cells) {
			const isFocused = page === this.current && cell.button === document.activeElement;
			if ((page < first || page > last) && !isFocused) this.remove(page, cell);
		}
		for (let page = first; page <= last; page += 1) if (!this.cells.has(page)) this.add(page);
		this.drawOverview(scrollLeft, clientWidth);
		clearTimeout(this.pause);
		this.pause = setTimeout(() => this.load(first, last), PAUSE_MS);
	}

	load(first, last) {
		const middle = (first + last) / 2;
		const cells = [...this.cells.values()].filter((cell) => cell.page >= first && cell.page <= last);
		cells.sort((a, b) => Math.abs(b.page - middle) - Math.abs(a.page - middle));
		cells.forEach((cell) => cell.load(this));
	}

	add(page) {
		const cell = this.spare.pop() ?? new Cell(this);
		cell.show(this, page);
		this.cells.set(page, cell);
		if (!cell.element.isConnected) this.track.append(cell.element);
		cell.element.hidden = false;
	}

	remove(page, cell) {
		cell.leave();
		this.cells.delete(page);
		cell.element.hidden = true;
		this.spare.push(cell);
	}

	setCurrent(page) {
		this.current = page;
		for (const cell of this.cells.values()) cell.button.tabIndex = cell.page === page ? 0 : -1;
	}

	// Brings a page into view.
	goTo(page, takesFocus = false) {
		const at = Math.min(Math.max(page, 1), this.count);
		const { scrollLeft, clientWidth } = this.scroller;
		const left = (at - 1) * STEP;
		if (left < scrollLeft || left + STEP > scrollLeft + clientWidth) {
			this.scroller.scrollLeft = left - (clientWidth - STEP) / 2;
		}
		this.setCurrent(at);
		this.place();
		if (takesFocus) this.cells.get(at)?.button.focus({ preventScroll: true });
	}

	// The next page after `page` that has a mark.
	nextMarked(page) {
		let [next, first] = [Infinity, Infinity];
		for (const marked of this.marks.keys()) {
			if (marked > page) next = Math.min(next, marked);
			first = Math.min(first, marked);
		}
		return Math.min(next === Infinity ? first : next, this.count);
	}

	key(event) {
		const screen = Math.max(1, Math.floor(this.scroller.clientWidth / STEP) - 1);
		const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -screen, PageDown: screen, Home: -this.count, End: this.count };
		const by = moves[event.key];
		if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
		event.preventDefault();
		this.goTo(this.current + by, true);
	}

	// The marks of all pages, drawn once.
	paintMarks(side) {
		this.ground = h("canvas", { width: side, height: 10 });
		const pen = this.ground.getContext("2d");
		// The style sheet gives the colors as those of parts that a canvas does not have.
		const { color, borderTopColor, outlineColor, textDecorationColor } = getComputedStyle(this.overview);
		const scale = side / this.count;
		for (const [page, mark] of this.marks) {
			pen.fillStyle = mark.changed ? borderTopColor : mark.hits ? outlineColor : mark.forms ? color : textDecorationColor;
			pen.fillRect((page - 1) * scale, 2, Math.max(scale - (scale > 4 ? 1 : 0), 2), 6);
		}
	}

	drawOverview(scrollLeft, clientWidth) {
		this.overview.hidden = this.count * STEP <= clientWidth * 1.5;
		if (this.overview.hidden) return;
		const side = this.overview.clientWidth;
		if (this.overview.width !== side) this.overview.width = side;
		if (this.ground?.width !== side) this.paintMarks(side);
		const scale = side / this.count;
		const pen = this.overview.getContext("2d");
		pen.clearRect(0, 0, side, 10);
		pen.fillStyle = "#8888";
		pen.fillRect((scrollLeft / STEP) * scale, 0, Math.max((clientWidth / STEP) * scale, 6), 10);
		pen.drawImage(this.ground, 0, 0);
	}
}
