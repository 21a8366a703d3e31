// One page of a file: as it is drawn, as text or Markdown, its cost, and what can be done with it.

import { call, documentAddress } from "./api.js";
import { comparison } from "./compare.js";
import { button, bytes, choice, copy, cut, FORMS, grouped, h, name, region, show, table, time, visible } from "./dom.js";
import { load, words } from "./strip.js";

const WIDTH = 1100;

// The call of the tool that gives it again.
const toolCall = (filePath, page, form, conversation) =>
	JSON.stringify({ name: "get_file", arguments: { filePath, pages: String(page), as: form, force: true, conversation } });

class Viewer {
	constructor(card, page, query) {
		Object.assign(this, { card, page, query, count: card.strip.count });
		this.title = h("h2", { id: "page-title" });
		this.picture = h("img", { alt: "" });
		this.drawn = h("div", { class: "sight", autofocus: true, ...region("The page as it is drawn") }, this.picture);
		this.facts = h("div", { class: "facts" });
		this.texts = h("div", { class: "texts" });
		const before = button("‹", () => this.turn(-1), { "aria-label": "Page before" });
		const after = button("›", () => this.turn(1), { "aria-label": "Page after" });
		const close = button("✕", () => this.dialog.close(), { "aria-label": "Close" });
		this.dialog = h("dialog", { class: "viewer", "aria-labelledby": "page-title" },
			h("header", { class: "row" }, before, this.title, after, close),
			h("div", { class: "halves" }, this.drawn, h("div", { class: "told", ...region("About this page") }, this.facts, this.texts)));
		this.dialog.addEventListener("keydown", (event) => this.key(event));
		this.dialog.addEventListener("close", () => this.closed());
		card.onState = () => this.showFacts();
	}

	key(event) {
		if (event.target.matches("input, select, [role=tab]") || event.ctrlKey || event.metaKey || event.altKey) return;
		const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
		if (by) this.turn(by);
	}

	closed() {
		this.card.onState = null;
		this.drawing?.cancel();
		this.reading?.abort();
		this.card.strip.goTo(this.page, true);
	}

	turn(by) {
		const to = Math.min(Math.max(this.page + by, 1), this.count);
		if (to !== this.page) this.open(to);
	}

	get where() {
		return { ...this.card.where, page: this.page };
	}

	open(page) {
		this.page = page;
		this.data = null;
		this.showTitle();
		this.draw();
		this.showFacts();
		this.read();
	}

	showTitle() {
		const label = this.data?.label;
		this.title.replaceChildren(`Page ${grouped(this.page)} of ${grouped(this.count)}`, label ? h("span", { class: "quiet" }, " printed as ", name(label, 24)) : "",
			h("span", { class: "quiet file-name" }, name(this.card.title, 48)));
	}

	async draw() {
		const page = this.page;
		this.drawing?.cancel();
		this.drawn.classList.add("waiting");
		this.picture.removeAttribute("src");
		this.picture.alt = "";
		this.drawing = load({ ...this.where, width: WIDTH, version: this.card.last.content, q: this.query });
		try {
			const address = await this.drawing.promise;
			if (page !== this.page) return;
			this.picture.src = address;
			this.picture.alt = `Page ${page} as it is drawn`;
		} catch (error) {
			if (error.name === "AbortError" || page !== this.page) return;
			this.picture.alt = error.message;
		}
		this.drawn.classList.remove("waiting");
	}

	async read() {
		this.reading?.abort();
		this.reading = new AbortController();
		const page = this.page;
		this.texts.replaceChildren(h("p", { class: "quiet" }, "Reading"));
		try {
			const data = await call("page", this.where, this.reading.signal);
			if (page !== this.page) return;
			this.data = data;
			this.showTitle();
			this.showFacts();
			this.showTexts();
		} catch (error) {
			if (error.name !== "AbortError") this.texts.replaceChildren(h("p", { class: "problem" }, error.message));
		}
	}

	showFacts() {
		const mark = this.card.marks.get(this.page);
		const given = (mark?.forms ?? []).map(({ form, point, when }) =>
			h("li", {}, `Given ${FORMS[form][1]}, `, when ? time(when) : `at step ${grouped(point)}`, when ? `, at step ${grouped(point)}` : ""));
		const said = words(this.page, { ...mark, forms: null }).split(", ").slice(1).map((word) => h("li", {}, word[0].toUpperCase() + word.slice(1)));
		if (given.length === 0 && said.length === 0) given.push(h("li", {}, "Never given"));
		this.facts.replaceChildren(h("ul", { class: "given" }, given, said), this.cost(), this.actions(mark));
	}

	cost() {
		const cost = this.data?.cost;
		if (!cost) return "";
		const rows = Object.entries(cost).map(([form, { tokens, size }]) => [FORMS[form][0], `about ${grouped(tokens)}`, size == null ? "" : bytes(size)]);
		return table("What it costs", ["Form", "Tokens", "Bytes"], rows);
	}

	actions(mark) {
		const { conversation, file, key } = this.card;
		const form = mark?.forms?.[0]?.form ?? "document";
		const actions = [
			h("a", { class: "button", href: documentAddress(conversation.id, key), target: "_blank", rel: "noopener" }, "Open the file"),
			button("Copy the tool call", () => copy(toolCall(file.path, this.page, form, conversation.id))),
			button("Compare", () => show(comparison(this.card, this.page))),
		];
		if (mark?.forms || mark?.earlier) actions.push(button("Forget this page", () => this.forget(), { class: "danger" }));
		return h("div", { class: "actions" }, actions);
	}

	forget() {
		const what = `page ${this.page} of “${visible(cut(this.card.title, 80))}”`;
		return this.card.conversation.forget(what, { key: this.card.key, pages: String(this.page) }, "Page forgotten");
	}

	showTexts() {
		const { text, markdown, notes } = this.data;
		const mark = this.card.marks.get(this.page);
		const wasMarkdown = mark?.forms?.some(({ form }) => form === "markdown");
		const all = { text, markdown };
		const panel = h("pre", region("The page's text"));
		const choose = (kind) => {
			this.chosen = kind;
			panel.replaceChildren(...marked(all[kind] || "This page has no text.", this.query));
		};
		choose(this.chosen ?? (wasMarkdown ? "markdown" : "text"));
		this.texts.replaceChildren(choice("Text or Markdown", { text: "Text", markdown: "Markdown" }, this.chosen, choose), panel,
			h("ul", { class: "quiet" }, notes.map((note) => h("li", {}, note))));
	}
}

// A text with the words of the search marked.
function marked(text, query) {
	if (!query) return [text];
	const pattern = new RegExp(query.trim().replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replace(/\s+/g, "\\s+"), "giu");
	const found = [];
	let at = 0;
	for (const match of text.matchAll(pattern)) {
		found.push(text.slice(at, match.index), h("mark", {}, match[0]));
		at = match.index + match[0].length;
	}
	return [...found, text.slice(at)];
}

// Opens a page of a file.
export function view(card, page, query) {
	const viewer = new Viewer(card, page, query);
	show(viewer.dialog);
	viewer.open(page);
}
