// Shows two pages side by side and marks the words that differ. The pages may be of different files.

import { call } from "./api.js";
import { button, counted, cut, h, name, region, visible } from "./dom.js";
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

// The dialog that compares `page` of a file with another page.
export function comparison(card, page) {
	const { conversation, key } = card;
	const others = [...conversation.cards.values()].filter(({ file }) => file.path && file.type === "pdf");
	const file = h("select", { id: "with-file" }, others.map((other) => h("option", { value: other.key, selected: other.key === key }, visible(cut(other.file.path, 70)))));
	const usual = others.find((other) => other.key !== key);
	if (usual) file.value = usual.key;
	const number = h("input", { id: "with-page", type: "number", min: "1", value: usual ? page : page + 1 });
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
			said.textContent = found.changes === 0 ? "The words are the same." : `${counted(found.changes, "place")} with other words.`;
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
