// Requests to the program.

// Why a request failed, in the program's words.
export class Refusal extends Error {
	constructor(status, body) {
		super(body?.message ?? "The program does not answer. Is it still running?");
		Object.assign(this, { status, ...body });
	}
}

// The header is one that a form of another page cannot send.
const HEADERS = { "content-type": "application/json", "x-pagewise-inspect": "1" };

async function answer(name, body, signal, more) {
	let response;
	try {
		response = await fetch(`inspect/api/${name}`, { method: "POST", headers: { ...HEADERS, ...more }, body: JSON.stringify(body), signal });
	} catch (error) {
		if (error.name === "AbortError") throw error;
		throw new Refusal(0);
	}
	if (response.ok) return response;
	throw new Refusal(response.status, await response.json().catch(() => null));
}

// Calls the program.
export const call = async (name, body = {}, signal) => (await answer(name, body, signal)).json();

// Exchanges a token for a cookie that scripts cannot read.
export const signIn = (token) => answer("sign-in", {}, null, { authorization: `Bearer ${token}` });

// A picture, as the address of its bytes in this page.
export async function picture(wanted, signal) {
	const response = await answer("picture", wanted, signal);
	return URL.createObjectURL(await response.blob());
}

const hex = (text) => Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");

// The address of a whole document.
export const documentAddress = (id, key) => `inspect/document/${hex(id)}/${key}`;

// Calls `onChange` with the conversations that changed, and `onState` with whether changes are seen.
export function listen(onChange, onState) {
	const events = new EventSource("inspect/events");
	events.addEventListener("open", () => onState("live"));
	events.addEventListener("error", () => onState(events.readyState === EventSource.CLOSED ? "ended" : "waiting"));
	events.addEventListener("trouble", (event) => onState("waiting", JSON.parse(event.data).message));
	events.addEventListener("change", (event) => onChange(JSON.parse(event.data)));
}
