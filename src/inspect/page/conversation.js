// One conversation: what it has cost, and its files.

import { call } from "./api.js";
import { announce, ask, button, bytes, clock, compact, counted, grouped, h, tell, time, wholeName } from "./dom.js";
import { FileCard } from "./file.js";
import { boundsOf, plot } from "./plot.js";

function meter(label, value, limits, format) {
	const [strictest] = limits;
	if (!strictest) return h("div", { class: "meter" }, h("span", { class: "label" }, label), h("strong", {}, format(value)));
	const [bound, titles] = strictest;
	const part = Math.min(value / bound, 1);
	const kind = part >= 1 ? "full" : part > 0.8 ? "near" : "";
	const bar = h("span", { class: `bar ${kind}` }, h("span", {}));
	bar.firstChild.style.width = `${(part * 100).toFixed(1)}%`;
	return h("div", { class: "meter", title: `The smallest limit: ${titles.join("; ")}` },
		h("span", { class: "label" }, label), h("strong", {}, format(value)), bar,
		h("span", { class: "quiet" }, `of ${format(bound)}${kind === "full" ? ", full" : ""}`));
}

export class Conversation {
	constructor(id, open) {
		this.id = id;
		this.cards = new Map();
		this.open = open;
		this.head = h("header", { class: "head" });
		this.meters = h("div", { class: "meters" });
		this.plot = plot((step) => this.fork(step.point, `as it was after step ${grouped(step.point)}, ${clock(step.at)}`));
		this.files = h("div", { class: "files" });
		this.rest = h("p", { class: "quiet" });
		this.element = h("article", { "aria-labelledby": "title" }, this.head, this.meters, this.plot.element, this.files, this.rest);
		this.seen = new IntersectionObserver((entries) => {
			for (const { target, isIntersecting } of entries) if (isIntersecting) this.cards.get(target.dataset.key)?.appear();
		}, { rootMargin: "400px" });
	}

	async refresh() {
		const data = await call("conversation", { id: this.id });
		this.data = data;
		this.showHead(data);
		const { sent, providers } = data;
		this.meters.replaceChildren(
			meter("Tokens, about", sent.tokens, [], compact),
			meter("Bytes", sent.bytes, boundsOf(providers, "bytes"), bytes),
			meter("Media blocks", sent.blocks, boundsOf(providers, "blocks"), grouped),
			meter("PDF pages", sent.pages, boundsOf(providers, "pages"), grouped));
		this.plot.update(data);
		this.showFiles(data);
	}

	showHead(data) {
		// What is being used is not replaced.
		if (this.head.contains(document.activeElement) && this.shownId === data.id) return;
		this.shownId = data.id;
		this.head.replaceChildren(
			h("div", {}, h("h2", { id: "title" }, wholeName(data.id)),
				h("p", { class: "quiet" }, "Last used ", time(data.used), ", begun ", time(data.created),
					data.generation > 0 ? `, compacted ${counted(data.generation, "time")}` : "")),
			h("div", { class: "actions" },
				button("Fork", () => this.fork(null, "as it is now")),
				button("Forget all", () => this.forget("all that this conversation holds", {}, "All forgotten"), { class: "danger" })));
	}

	showFiles(data) {
		const keys = new Set(data.files.map((file) => file.key));
		for (const [key, card] of this.cards) {
			if (keys.has(key)) continue;
			this.seen.unobserve(card.element);
			card.element.remove();
			this.cards.delete(key);
		}
		let before = null;
		for (const file of data.files) {
			const card = this.cards.get(file.key) ?? this.add(file);
			card.update(file);
			const place = before ? before.nextSibling : this.files.firstChild;
			if (place !== card.element) this.files.insertBefore(card.element, place);
			before = card.element;
		}
		const more = data.more > 0 ? `${counted(data.more, "more file")}, used less recently.` : "";
		this.rest.textContent = data.files.length === 0 ? "Nothing is recorded in this conversation now." : more;
	}

	add(file) {
		const card = new FileCard(this, file);
		this.cards.set(file.key, card);
		this.seen.observe(card.element);
		return card;
	}

	async act(path, body, done) {
		try {
			const answer = await call(path, { id: this.id, ...body });
			announce(done);
			return answer;
		} catch (error) {
			tell(error);
			return null;
		}
	}

	async forget(what, body, done) {
		const text = "The agent gets it again when it asks for it. The agent is not told that it was forgotten.";
		if (await ask(`Forget ${what}?`, text, "Forget") && await this.act("forget", body, done)) await this.refresh();
	}

	async fork(point, when) {
		const text = `The new conversation holds what this one holds, ${when}. From then on neither affects the other.`;
		if (!await ask("Fork this conversation?", text, "Fork")) return;
		const forked = await this.act("fork", { point }, "Forked");
		if (forked) location.hash = `#${encodeURIComponent(forked.id)}`;
	}
}
