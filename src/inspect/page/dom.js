// Elements, names and numbers. Text from outside only ever becomes a text node.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes)) {
		if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...children.flat(2).filter((child) => child != null && child !== false));
	return element;
}

// An element with attributes, listeners (`onclick`) and children.
export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

// The same for SVG.
export const s = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// What makes a part that scrolls reachable by keyboard.
export const region = (label) => ({ tabindex: "0", role: "region", "aria-label": label });

// One of several, such as `{ value: "Label" }`.
export function choice(label, options, chosen, onChoose) {
	const option = ([value, text]) => h("label", {}, h("input", { type: "radio", name: label, checked: value === chosen, onchange: () => onChoose(value) }), h("span", {}, text));
	return h("fieldset", { class: "choice" }, h("legend", { class: "unseen" }, label), Object.entries(options).map(option));
}

// A table whose rows begin with their names.
export function table(caption, heads, rows) {
	const row = ([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), rest.map((cell) => h("td", {}, cell)));
	return h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, rows.map(row)));
}

export const button = (label, onclick, attributes) => h("button", { type: "button", onclick, ...attributes }, label);

// Characters that are not seen, or that change the order of others, written as their numbers.
export function visible(text) {
	return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

// A long text without its middle.
export function cut(text, most) {
	const all = Array.from(text.slice(0, 4 * most));
	if (all.length <= most && text.length <= 4 * most) return text;
	const end = Array.from(text.slice(-2 * most)).slice(-Math.floor(most / 3));
	return `${all.slice(0, most - end.length - 1).join("")}…${end.join("")}`;
}

// A name from outside: isolated, visible and cut.
export function name(text, most = 60) {
	return h("bdi", { class: "name" }, visible(cut(text, most)));
}

// The same, with a button that shows all of it.
export function wholeName(text, most = 60) {
	if (cut(text, most) === text) return name(text, most);
	const shown = name(text, most);
	let isWhole = false;
	const toggle = button("Whole name", () => {
		isWhole = !isWhole;
		toggle.textContent = isWhole ? "Short name" : "Whole name";
		shown.textContent = visible(isWhole ? text : cut(text, most));
	}, { class: "small" });
	return h("span", { class: "whole" }, shown, " ", toggle);
}

// The folder and the last part of a path.
export function parts(path) {
	const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"), 0);
	return at > 0 && at < path.length - 1 ? [path.slice(0, at), path.slice(at + 1)] : ["", path];
}

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

export const grouped = (number) => whole.format(number);
export const compact = (number) => short.format(number);
export const counted = (number, one, several = `${one}s`) => `${grouped(number)} ${number === 1 ? one : several}`;

export function bytes(number) {
	const units = ["bytes", "kB", "MB", "GB", "TB"];
	const unit = Math.min(Math.floor(Math.log10(Math.max(number, 1)) / 3), 4);
	return unit === 0 ? counted(number, "byte") : `${(number / 1000 ** unit).toFixed(1)} ${units[unit]}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const UNITS = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

function ago(seconds) {
	const past = Date.now() / 1000 - seconds;
	const unit = UNITS.find(([, length]) => past >= length);
	return unit ? relative.format(-Math.floor(past / unit[1]), unit[0]) : "just now";
}

// How long ago something was, kept true while the page is open.
export function time(seconds) {
	const moment = new Date(seconds * 1000);
	return h("time", { datetime: moment.toISOString(), title: moment.toLocaleString(), "data-at": seconds }, ago(seconds));
}

export const clock = (seconds) => new Date(seconds * 1000).toLocaleString();

setInterval(() => {
	for (const shown of document.querySelectorAll("time[data-at]")) shown.textContent = ago(Number(shown.dataset.at));
}, 20_000);

// Numbers in a selection such as `1-3,7`.
export function* runs(selection) {
	for (const run of selection ? selection.split(",") : []) {
		const [first, last = first] = run.split("-").map(Number);
		yield [first, last];
	}
}

export const FORMS = {
	document: ["PDF", "as a PDF"],
	image: ["picture", "as a picture"],
	text: ["text", "as text"],
	markdown: ["MD", "as Markdown"],
	layout: ["columns", "as columns"],
	path: ["path", "as the path of a file"],
};

export function announce(text) {
	const news = document.getElementById("news");
	news.textContent = text;
	clearTimeout(announce.timer);
	announce.timer = setTimeout(() => news.replaceChildren(), 4000);
}

export const copy = (text) => navigator.clipboard.writeText(text).then(() => announce("Copied"), tell);

// Opens a dialog that takes itself away once it is closed.
export function show(dialog) {
	document.body.append(dialog);
	dialog.addEventListener("close", () => dialog.remove());
	dialog.showModal();
	return dialog;
}

// Asks before something is done. Whether the person agreed.
export function ask(title, text, action) {
	return new Promise((resolve) => {
		const answer = (value) => () => dialog.close(value);
		const dialog = h("dialog", { class: "question", "aria-labelledby": "question" },
			h("h2", { id: "question" }, title),
			h("p", {}, text),
			h("div", { class: "actions" },
				button("Cancel", answer(""), { autofocus: true }),
				button(action, answer("yes"), { class: "danger" })));
		dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
		show(dialog);
	});
}

// Says what went wrong.
export function tell(error) {
	const dialog = h("dialog", { class: "question", "aria-labelledby": "message" },
		h("h2", { id: "message" }, "That did not work"),
		h("p", {}, error.message), error.hint ? h("p", { class: "quiet" }, error.hint) : null,
		h("div", { class: "actions" }, button("Close", () => dialog.close(), { autofocus: true })));
	show(dialog);
}
