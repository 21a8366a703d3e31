// The list of conversations, and the one that is looked at.

import { call, listen, signIn } from "./api.js";
import { Conversation } from "./conversation.js";
import { announce, compact, counted, grouped, h, name, time } from "./dom.js";
import { view } from "./viewer.js";

const [list, find, content, problem, more, live] =
	["conversations", "find", "content", "problem", "more", "live"].map((id) => document.getElementById(id));

let known = { conversations: [], total: 0 };
let shown = null;
const rows = new Map();

const chosen = () => {
	try {
		return decodeURIComponent(location.hash.slice(1));
	} catch {
		return "";
	}
};

function row(id, title) {
	const facts = h("span", { class: "quiet" });
	const link = h("a", { href: `#${encodeURIComponent(id)}` }, name(title, 25), facts);
	return { element: h("li", {}, link), link, facts, id };
}

// Shows the list, and keeps the elements that are there.
function showList() {
	const wanted = find.value.trim().toLowerCase();
	const visible = known.conversations.filter(({ id, title }) => (id + title).toLowerCase().includes(wanted));
	const now = shown?.id;
	let before = null;
	const kept = new Set();
	for (const { id, title, used, items, sent } of visible) {
		if (!rows.has(id)) rows.set(id, row(id, title));
		const { element, link, facts } = rows.get(id);
		kept.add(id);
		facts.replaceChildren(time(used), `, ${counted(items, "page or file given", "pages and files given")}, ${compact(sent.tokens)} tokens`);
		if (id === now) link.setAttribute("aria-current", "page");
		else link.removeAttribute("aria-current");
		const place = before ? before.nextSibling : list.firstChild;
		if (place !== element) list.insertBefore(element, place);
		before = element;
	}
	for (const [id, { element }] of rows) {
		if (kept.has(id)) continue;
		element.remove();
		rows.delete(id);
	}
	const left = known.total - known.conversations.length;
	more.hidden = left <= 0 && visible.length > 0;
	more.textContent = visible.length === 0 ? (wanted ? "No conversation has this name." : "No conversation yet.") : `${grouped(left)} more, used less recently.`;
}

function say(text) {
	problem.hidden = !text;
	problem.textContent = text ?? "";
}

async function refreshList() {
	try {
		known = await call("conversations");
		say("");
		showList();
		return true;
	} catch (error) {
		if (error.signIn) askToken();
		else say(error.message);
	}
}

function askToken() {
	const token = h("input", { type: "password", id: "token", autocomplete: "current-password", required: true });
	const enter = async (event) => {
		event.preventDefault();
		try {
			await signIn(token.value);
			location.reload();
		} catch (error) {
			say(error.message);
		}
	};
	content.replaceChildren(h("form", { class: "empty", onsubmit: enter }, h("h2", {}, "Whose conversations?"),
		h("label", { for: "token" }, "A bearer token of this server"), token, h("button", {}, "Show")));
}

async function refreshShown() {
	const conversation = shown;
	try {
		await conversation?.refresh();
	} catch (error) {
		if (conversation !== shown) return;
		content.replaceChildren(h("div", { class: "empty" }, h("h2", {}, "This conversation cannot be shown"), h("p", {}, error.message), error.hint ?? ""));
	}
}

function welcome() {
	content.replaceChildren(h("div", { class: "empty" }, h("h2", {}, "What did the agent see?"),
		h("p", {}, "Choose a conversation to see which pages were given. Pages are drawn when you look at them; no copy of a file is kept.")));
}

async function choose() {
	const id = chosen() || known.conversations[0]?.id;
	if (!id) return welcome();
	document.title = `${id.slice(0, 40)} · pagewise`;
	if (shown?.id !== id) {
		shown = new Conversation(id, view);
		content.replaceChildren(shown.element);
		content.scrollTop = 0;
		await refreshShown();
	}
	showList();
}

let pending = null;

// Changes come in bursts.
function changed({ ids }) {
	const isShown = shown && ids.includes(shown.id);
	pending ??= { timer: setTimeout(async () => {
		const { touchesShown } = pending;
		pending = null;
		await refreshList();
		if (!shown) return choose();
		if (touchesShown) {
			await refreshShown();
			announce("The conversation has changed");
		}
	}, 150) };
	pending.touchesShown ||= isShown;
}

const STATES = { live: "live", waiting: "waiting", ended: "ended" };

find.addEventListener("input", showList);
window.addEventListener("hashchange", () => choose().then(() => content.focus({ preventScroll: true })));
document.addEventListener("keydown", (event) => {
	if (event.key !== "/" || event.target.matches("input, textarea, select") || document.querySelector("dialog[open]")) return;
	event.preventDefault();
	find.focus();
});
history.replaceState(null, "", location.pathname + location.hash);
if (await refreshList()) {
	await choose();
	listen(changed, (state, trouble) => {
		// What changed while nobody listened is asked for.
		if (state === "live" && live.dataset.state) changed({ ids: shown ? [shown.id] : [] });
		live.textContent = STATES[state];
		live.dataset.state = state;
		if (trouble) say(trouble);
	});
}
