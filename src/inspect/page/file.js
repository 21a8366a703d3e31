// One file of a conversation: what is held of it, and the strip of its pages.

import { call } from "./api.js";
import { versions } from "./compare.js";
import { FORMS, button, counted, cut, grouped, h, name, parts, runs, show, visible, wholeName } from "./dom.js";
import { drop, Strip } from "./strip.js";

const STATES = {
	changed: "The file has changed since it was given. Pages are drawn as they are now.",
	gone: "The file is gone. Its pages cannot be drawn.",
	remote: "From the web; this page does not fetch it.",
};

const pagesOf = (selection) => `${/[,-]/.test(selection) ? "pages" : "page"} ${selection}`;

// What is held of a file, in a few words.
function summary(file) {
	const said = [];
	if (file.summary) said.push("summary");
	for (const [form, pages] of Object.entries(file.forms)) said.push(`${pagesOf(pages)} ${FORMS[form][1]}`);
	if (file.lines) said.push(`lines ${file.lines}`);
	if (file.type === "binary") said.push("the whole file");
	if (file.type === "forgotten") said.push("forgotten");
	if (file.type === "followed" && said.length === 0) said.push("nothing, but its changes are followed");
	if (file.earlier) said.push(`${pagesOf(file.earlier)} of an earlier version`);
	return said.join("; ");
}

// The marks of pages, by number.
function marksOf(state) {
	const marks = new Map();
	const at = (page) => {
		if (!marks.has(page)) marks.set(page, {});
		return marks.get(page);
	};
	for (const [first, last, form, point, when] of state.marks) {
		for (let page = first; page <= last; page += 1) (at(page).forms ??= []).push({ form, point, when });
	}
	const flag = (selection, name) => {
		for (const [first, last] of runs(selection)) for (let page = first; page <= last; page += 1) at(page)[name] = true;
	};
	flag(state.changed, "changed");
	flag(state.forgotten, "forgotten");
	flag(state.earlier, "earlier");
	for (const [then, now] of state.moved ?? []) at(now).moved = then;
	return marks;
}

export class FileCard {
	constructor(conversation, file) {
		this.conversation = conversation;
		this.key = file.key;
		this.names = h("div", { class: "names" });
		this.held = h("p", { class: "held" });
		this.state = h("p", { class: "state", hidden: true });
		this.body = h("div", { class: "pages" });
		this.tools = h("div", { class: "actions" });
		this.element = h("section", { class: "card file", "data-key": file.key },
			h("div", { class: "row" }, this.names, this.tools), this.held, this.state, this.body);
	}

	update(file) {
		const isNew = this.file?.path !== file.path;
		const hasChanged = JSON.stringify(this.file) !== JSON.stringify(file);
		this.file = file;
		if (isNew) this.showNames(file);
		this.held.textContent = summary(file);
		if (hasChanged && this.hasAppeared) this.inspect();
	}

	get where() {
		return { id: this.conversation.id, key: this.key };
	}

	get title() {
		return this.file.path ? parts(this.file.path)[1] : "a file without a known name";
	}

	showNames(file) {
		const [folder, last] = file.path ? parts(file.path) : ["", "A file without a known name"];
		this.names.replaceChildren(h("h3", {}, wholeName(last)), folder ? h("p", { class: "quiet folder" }, name(folder, 90)) : "");
		const compare = button("Compare versions", () => show(versions(this)));
		this.tools.replaceChildren(file.path && file.type === "pdf" ? compare : "", file.path && file.type !== "forgotten" ? button("Forget", () => this.forget(), { class: "danger" }) : "");
	}

	forget() {
		return this.conversation.forget(`all of “${visible(cut(this.title, 80))}”`, { key: this.key }, "File forgotten");
	}

	// The file came into view.
	appear() {
		if (this.hasAppeared) return;
		this.hasAppeared = true;
		this.inspect();
	}

	async inspect() {
		const turn = (this.turn = (this.turn ?? 0) + 1);
		try {
			const state = await call("file", this.where);
			if (turn === this.turn) this.show(state);
		} catch (error) {
			if (turn === this.turn) this.say(error.message, "unreadable");
		}
	}

	say(text, kind) {
		this.state.hidden = !text;
		this.state.className = `state ${kind}`;
		this.state.textContent = text;
	}

	show(state) {
		const isOther = this.last && this.last.content !== state.content;
		this.last = state;
		const told = STATES[state.state] ?? state.why ?? "";
		const removed = state.removed ? ` Removed: ${state.removed}, by their earlier numbers.` : "";
		this.say(told + removed, state.state);
		if (!state.pages) return this.body.replaceChildren();
		if (!this.strip) this.begin(state);
		if (isOther) drop(this.key);
		this.marks = marksOf(state);
		this.strip.update(state.pages, this.withHits());
		if (isOther) this.strip.redraw();
		const first = Math.min(...[...this.marks.keys()].slice(0, 10_000), state.pages);
		if (!this.wasPlaced && first > 3) this.strip.goTo(first);
		this.wasPlaced = true;
		this.onState?.();
	}

	begin(state) {
		const wanted = (page, width) => ({ ...this.where, page, width, version: this.last.content });
		this.strip = new Strip(`Pages of ${visible(cut(this.title, 80))}`, wanted, (page) => this.conversation.open(this, page));
		this.query = h("input", { type: "search", placeholder: "Search in its pages", "aria-label": "Search in its pages", autocomplete: "off" });
		this.hits = h("div", { class: "hits", role: "status" });
		const jump = h("input", { type: "number", min: "1", max: state.pages, "aria-label": "Go to page", placeholder: "page" });
		const next = button("Next page given", () => this.strip.goTo(this.strip.nextMarked(this.strip.current)));
		const tools = h("div", { class: "row tools" },
			h("span", { class: "quiet" }, counted(state.pages, "page")),
			h("form", { class: "search", onsubmit: (event) => { event.preventDefault(); this.search(); } }, this.query),
			state.pages > 12 ? h("form", { class: "jump", onsubmit: (event) => { event.preventDefault(); this.strip.goTo(Number(jump.value), true); } }, jump, next) : "");
		this.query.addEventListener("search", () => this.query.value === "" && this.search());
		this.body.replaceChildren(tools, this.strip.element, this.hits);
	}

	// Marks with the matches of the search.
	withHits() {
		if (!this.found) return this.marks;
		const marks = new Map([...this.marks].map(([page, mark]) => [page, { ...mark }]));
		for (const { page, matches } of this.found.hits) {
			const mark = marks.get(page) ?? {};
			marks.set(page, { ...mark, hits: (mark.hits ?? 0) + matches });
		}
		return marks;
	}

	async search() {
		const q = this.query.value.trim();
		this.found = null;
		this.looking?.abort();
		this.looking = new AbortController();
		this.hits.textContent = q ? "Searching" : "";
		try {
			if (q) this.found = await call("search", { ...this.where, q }, this.looking.signal);
			this.showHits(q);
		} catch (error) {
			if (error.name !== "AbortError") this.hits.textContent = error.message;
		}
		this.strip.update(this.strip.count, this.withHits());
	}

	showHits(q) {
		if (!this.found) return;
		const { hits, total } = this.found;
		const line = (hit) => h("li", {}, h("button", { onclick: () => this.conversation.open(this, hit.page, q) },
			h("span", { class: "number" }, grouped(hit.page)),
			h("bdi", {}, hit.parts.map(([text, isMatch]) => (isMatch ? h("mark", {}, text) : text)))));
		const shown = hits.reduce((sum, { matches }) => sum + matches, 0);
		const said = total === 0 ? "No match." : `${counted(total, "match", "matches")}${shown < total ? `, ${shown} of them here` : ""}.`;
		this.hits.replaceChildren(h("p", { class: "quiet" }, said), hits.length > 0 ? h("ol", {}, hits.map(line)) : "");
	}
}
