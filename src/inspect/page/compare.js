// Shows two pages side by side and marks the words that differ, and how a file differs from an earlier version.

import { call } from "./api.js";
import { button, counted, cut, h, name, region, show, visible } from "./dom.js";
import { load } from "./strip.js";

const WIDTH = 640;

function half(title) {
	const picture = h("img", { alt: "" });
	const text = h("pre", region(`Text of ${title}`));
	return { picture, text, element: h("section", { class: "half" }, h("h3", {}, title), picture, text) };
}

async function draw(half, wanted) {
	half.wanted = wanted;
	try {
		const address = await load(wanted).promise;
		if (half.wanted === wanted) half.picture.src = address;
	} catch (error) {
		half.picture.alt = error.message;
	}
}

const words = (segments) => segments.map(([text, differs]) => (differs ? h("mark", { class: "differs" }, text) : text));

// The PDFs of a conversation whose paths are known.
const pdfsOf = (conversation) => [...conversation.cards.values()].filter(({ file }) => file.path && file.type === "pdf");

const choiceOf = (id, cards) => h("select", { id }, cards.map((card) => h("option", { value: card.key }, visible(cut(card.file.path, 70)))));

// The dialog that compares `page` of a file with another page.
export function comparison(card, page, wanted) {
	const { conversation, key } = card;
	const others = pdfsOf(conversation);
	const file = choiceOf("with-file", others);
	const usual = others.find((other) => other.key !== key);
	file.value = wanted?.key ?? usual?.key ?? key;
	const number = h("input", { id: "with-page", type: "number", min: "1", value: wanted?.page ?? (usual ? page : page + 1) });
	const [left, right] = [half("This page"), half("The other page")];
	const said = h("p", { role: "status", class: "quiet" });
	let turn = 0;
	async function compare() {
		const other = { key: file.value, page: Number(number.value) || 1 };
		const mine = (turn += 1);
		said.textContent = "Comparing";
		draw(left, { id: conversation.id, key, page, width: WIDTH, version: card.last.content });
		draw(right, { id: conversation.id, key: other.key, page: other.page, width: WIDTH });
		try {
			const found = await call("compare", { id: conversation.id, key, page, otherKey: other.key, otherPage: other.page });
			if (mine !== turn) return;
			left.text.replaceChildren(...words(found.left));
			right.text.replaceChildren(...words(found.right));
			said.textContent = found.changes === 0 ? "The words are the same." : `The words differ in ${counted(found.changes, "place")}.`;
		} catch (error) {
			said.textContent = error.message;
		}
	}
	const dialog = h("dialog", { class: "viewer", "aria-labelledby": "compare-title" },
		h("header", { class: "row" }, h("h2", { id: "compare-title" }, `Page ${page} of `, name(card.title, 48), " beside another"),
			button("✕", () => dialog.close(), { "aria-label": "Close" })),
		h("form", { class: "row tools", onsubmit: (event) => { event.preventDefault(); compare(); } },
			h("label", { for: "with-file" }, "File"), file, h("label", { for: "with-page" }, "Page"), number, h("button", {}, "Compare"), said),
		h("div", { class: "halves" }, left.element, right.element));
	compare();
	return dialog;
}

const CHANGES = { unchanged: "Unchanged", added: "Added", removed: "Removed, by their earlier numbers", redrawn: "Looks different, same words", reflowed: "Words from other pages", notCompared: "Not compared" };

const place = ({ before, old, new: now, after }) =>
	h("li", {}, `${before} `, old && h("del", {}, old), old && " ", now && h("ins", {}, now), ` ${after}`);

// The dialog that says how a file differs from an earlier version of it.
export function versions(card) {
	const { conversation, key } = card;
	const others = pdfsOf(conversation).filter((other) => other.key !== key);
	const file = choiceOf("earlier-file", others);
	const said = h("p", { role: "status", class: "quiet" });
	const changes = h("div", { class: "told", ...region("What changed") });
	function changed({ page, was, words, morePlaces = 0, newImages, lostImages }) {
		const beside = button(`Page ${page}${was && was !== page ? `, was page ${was}` : ""}`, () => show(comparison(card, page, { key: file.value, page: was ?? page })));
		const images = [newImages.length && counted(newImages.length, "new image"), lostImages && `${counted(lostImages, "image")} gone`, morePlaces && counted(morePlaces, "more place")];
		return h("section", {}, h("h3", {}, beside), h("ul", {}, words.map(place), images.filter(Boolean).map((text) => h("li", {}, text))));
	}
	async function compare() {
		changes.replaceChildren();
		if (others.length === 0) return (said.textContent = "The conversation holds no other PDF.");
		said.textContent = "Comparing";
		const against = file.value;
		try {
			const found = await call("versions", { id: conversation.id, key, otherKey: against });
			if (against !== file.value) return;
			const lists = Object.entries(CHANGES).filter(([list]) => found[list]).map(([list, label]) => h("li", {}, `${label}: ${found[list]}`));
			changes.replaceChildren(h("ul", {}, lists, found.moved && h("li", {}, `Moved: ${found.moved}`)), ...found.changed.map(changed));
			said.textContent = `${counted(found.pagesNow, "page")} now, ${found.pagesBefore} before${found.isCutShort ? "; the time limit was reached before all words were compared" : ""}.`;
		} catch (error) {
			said.textContent = error.message;
		}
	}
	const dialog = h("dialog", { class: "viewer", "aria-labelledby": "versions-title" },
		h("header", { class: "row" }, h("h2", { id: "versions-title" }, name(card.title, 48), " against an earlier version"),
			button("✕", () => dialog.close(), { "aria-label": "Close" })),
		h("form", { class: "row tools", onsubmit: (event) => { event.preventDefault(); compare(); } },
			h("label", { for: "earlier-file" }, "Earlier version"), file, h("button", {}, "Compare"), said),
		changes);
	compare();
	return dialog;
}
