// What a conversation has cost over time, against what providers take.

import { button, bytes, choice, clock, compact, grouped, h, region, s, table } from "./dom.js";

const UNITS = {
	tokens: ["Tokens", compact],
	bytes: ["Bytes", bytes],
	blocks: ["Media blocks", grouped],
	pages: ["PDF pages", grouped],
};
const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [190, 64, 12, 14, 24];

// The bounds of a unit, each with its providers.
export function boundsOf(providers, unit) {
	const found = new Map();
	for (const provider of providers) {
		if (provider[unit] != null) found.set(provider[unit], [...(found.get(provider[unit]) ?? []), provider.title]);
	}
	return [...found].sort(([a], [b]) => a - b);
}

// Sums after each step, up to the total.
function sums(history, unit, total) {
	let sum = 0;
	const values = history.map((step) => (sum = step.kind === "emptied" ? 0 : sum + step[unit]));
	const before = history.some(({ kind }) => kind === "emptied") ? 0 : Math.max(0, total - sum);
	return values.map((value) => value + before);
}

const NAMES = { given: "given", forgotten: "forgotten", emptied: "all forgotten" };

function drawing(history, providers, sent, unit, width) {
	const values = sums(history, unit, sent[unit]);
	const [label, format] = UNITS[unit];
	const most = Math.max(...values, 1);
	const bounds = boundsOf(providers, unit).filter(([bound]) => bound <= most * 3);
	const top = Math.max(most * 1.08, ...bounds.map(([bound]) => bound * 1.08));
	const [start, end] = [history[0].at, Math.max(history.at(-1).at, history[0].at + 60)];
	const x = (at) => LEFT + ((at - start) / (end - start)) * (width - LEFT - RIGHT);
	const y = (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
	const rule = (value, kind) => s("line", { x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value), class: kind });
	const line = values.map((value, at) => `${at === 0 ? "M" : "H"}${x(history[at].at).toFixed(1)}${at === 0 ? " " : "V"}${y(value).toFixed(1)}`);
	const [from, until] = [start, end].map((at) => new Date(at * 1000));
	const isOneDay = from.toDateString() === until.toDateString();
	const when = (moment) => (isOneDay ? moment.toLocaleTimeString() : moment.toLocaleDateString());
	const title = `${label}: ${format(values.at(-1))} after ${history.length} steps`;
	return s("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": title },
		[0, most / 2, most].map((value) => [
			s("text", { x: LEFT - 8, y: y(value) + 4, class: "scale end" }, format(Math.round(value))), rule(value, "grid")]),
		bounds.map(([bound, titles]) => [
			rule(bound, "bound"),
			s("text", { x: width - RIGHT, y: y(bound) - 4, class: "scale end bound" }, `${titles.join("; ")}: ${format(bound)}`)]),
		s("path", { d: line.join(""), class: "line" }),
		(values.length > 200 ? [] : values).map((value, at) => s("circle", { cx: x(history[at].at), cy: y(value), r: 3, class: `step ${history[at].kind}` },
			s("title", {}, `${clock(history[at].at)}: ${NAMES[history[at].kind]}, ${format(value)}`))),
		s("text", { x: LEFT, y: HEIGHT - 6, class: "scale" }, when(from)),
		s("text", { x: width - RIGHT, y: HEIGHT - 6, class: "scale end" }, when(until)));
}

const MOST_ROWS = 200;

// The plot, and its steps as a table.
export function plot(fork) {
	let [shown, history, providers, sent] = ["tokens", []];
	const figure = h("div", { class: "drawing" });
	const rows = h("div", { class: "rows", ...region("Steps") });
	const units = Object.fromEntries(Object.entries(UNITS).map(([unit, [label]]) => [unit, label]));
	const chooser = choice("What to draw", units, shown, (unit) => { shown = unit; draw(); });
	const steps = h("details", {}, h("summary", {}, "Steps, to fork at"), rows);
	steps.addEventListener("toggle", () => steps.open && list());
	const element = h("section", { class: "card plot", "aria-labelledby": "cost", hidden: true },
		h("div", { class: "row" }, h("h3", { id: "cost" }, "Cost over time"), chooser), figure, steps);
	// One unit of the SVG is one pixel, so that its text is as large as that of the page.
	function draw() {
		if (history.length > 0 && figure.clientWidth > 0) figure.replaceChildren(drawing(history, providers, sent, shown, figure.clientWidth));
	}
	new ResizeObserver(draw).observe(figure);
	function list() {
		const row = (step) => [grouped(step.point), clock(step.at), NAMES[step.kind], step.tokens ? `+${grouped(step.tokens)}` : "", step.bytes ? `+${bytes(step.bytes)}` : "",
			button("Fork", () => fork(step), { class: "small", "aria-label": `Fork at step ${step.point}` })];
		rows.replaceChildren(table("", ["Step", "When", "What", "Tokens", "Bytes", "Fork"], history.slice(-MOST_ROWS).reverse().map(row)));
	}
	return {
		element,
		update(data) {
			({ history, providers, sent } = data);
			element.hidden = history.length === 0;
			draw();
			if (steps.open) list();
		},
	};
}
