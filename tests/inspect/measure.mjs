// How soon the page of `pagewise inspect` is painted with 100 conversations and 1,000 files, and how a strip of 3,000 pages
// scrolls. Run by tests/inspect/run with MEASURE=1.

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { CHROMIUM, PAGEWISE, WORK } = process.env;
const puppeteer = createRequire(join(WORK, "x.js"))("puppeteer-core");
const folder = join(WORK, "measured");
const env = { ...process.env, PAGEWISE_DATA_DIR: join(WORK, "measured-data") };
mkdirSync(folder, { recursive: true });

/** A PDF of so many pages with some lines each. */
function pdf(pages, title) {
	const lines = (page) => Array.from({ length: 40 }, (_, line) => `0 -16 Td (${title}, page ${page}, line ${line}) Tj`).join("\n");
	const objects = ["<</Type/Catalog/Pages 2 0 R>>",
		`<</Type/Pages/Count ${pages}/Kids[${Array.from({ length: pages }, (_, page) => `${2 * page + 4} 0 R`).join(" ")}]>>`,
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"];
	for (let page = 1; page <= pages; page += 1) {
		const content = `BT /F 12 Tf 60 760 Td\n${lines(page)}\nET`;
		objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R>>>>/Contents ${2 * page + 3} 0 R>>`,
			`<</Length ${content.length}>>stream\n${content}\nendstream`);
	}
	let text = "%PDF-1.4\n";
	const offsets = objects.map((object, at) => {
		const offset = text.length;
		text += `${at + 1} 0 obj\n${object}\nendobj\n`;
		return offset;
	});
	const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
	return `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
}

writeFileSync(join(folder, "long.pdf"), pdf(3000, "long"));
for (let file = 0; file < 1000; file += 1) writeFileSync(join(folder, `file-${file}.pdf`), pdf(1, `file ${file}`));

/** Calls tools over standard input and output, one after the other. */
async function calls(list) {
	const serve = spawn(PAGEWISE, ["serve"], { env, cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
	const send = (message) => serve.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	const next = (id) => send({ id: id + 1, method: "tools/call", params: { name: list[id][0], arguments: list[id][1] } });
	let rest = "";
	await new Promise((resolve) => {
		serve.stdout.on("data", (data) => {
			const lines = (rest + data).split("\n");
			rest = lines.pop();
			for (const { id } of lines.map((line) => JSON.parse(line)).filter(({ id }) => id !== undefined)) {
				if (id < list.length) next(id);
				else resolve();
			}
		});
		const clientInfo = { name: "measure", version: "1" };
		send({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
		send({ method: "notifications/initialized" });
	});
	// What was given last is recorded once it was written.
	serve.stdin.end();
	await new Promise((resolve) => serve.once("exit", resolve));
}

const give = (file, pages, conversation) => ["get_file", { filePath: join(folder, file), pages, as: "text", conversation }];
await calls(Array.from({ length: 1000 }, (_, file) => give(`file-${file}.pdf`, "1", "many")));
await calls(Array.from({ length: 98 }, () => ["context_fork", { conversation: "many" }]));
await calls([give("long.pdf", "1-3", "long"), give("file-1.pdf", "1", "many")]);

const server = spawn(PAGEWISE, ["inspect", "--no-open"], { env, cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
const url = await new Promise((resolve) => server.stdout.once("data", (line) => resolve(String(line).trim())));
const browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.setViewport({ width: 1280, height: 900 });
await page.goto(url);
await page.waitForSelector(".conversations a");

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const paints = [];
for (let run = 0; run < 5; run += 1) {
	await page.goto("about:blank");
	await page.goto(`${new URL(url).origin}/inspect#many`);
	await page.waitForFunction(() => document.querySelectorAll(".file h3").length >= 1000);
	paints.push(await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve({
		first: performance.getEntriesByName("first-contentful-paint")[0].startTime,
		all: performance.now(),
	}))))));
}
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)].toFixed(0);
const shown = await page.evaluate(() => [document.querySelectorAll(".conversations a").length, document.querySelectorAll(".file").length]);
console.log(`${shown[0]} conversations, ${shown[1]} files: first paint ${median(paints.map(({ first }) => first))} ms, all names ${median(paints.map(({ all }) => all))} ms (medians of 5)`);

await page.goto("about:blank");
await page.goto(`${new URL(url).origin}/inspect#long`);
await page.waitForFunction(() => document.querySelectorAll(".page.drawn").length > 5);
const trace = join(WORK, "trace.json");
await page.tracing.start({ path: trace, categories: ["devtools.timeline", "devtools.timeline.frame", "disabled-by-default-devtools.timeline.frame"] });
const SECONDS = 6;
const times = await page.evaluate((seconds) => new Promise((resolve) => {
	const strip = document.querySelector(".strip");
	const times = [];
	const begun = performance.now();
	const step = (now) => {
		times.push(now);
		strip.scrollLeft += 40;
		if (now - begun < seconds * 1000) requestAnimationFrame(step);
		else resolve(times);
	};
	requestAnimationFrame(step);
}), SECONDS);
await page.tracing.stop();
const gaps = times.slice(1).map((time, at) => time - times[at]).sort((a, b) => a - b);
const { traceEvents } = JSON.parse(readFileSync(trace, "utf8"));
const frames = traceEvents.filter(({ name }) => name === "DrawFrame").length;
console.log(`scrolling 3,000 pages: ${(times.length / SECONDS).toFixed(1)} frames a second by the page, ${(frames / SECONDS).toFixed(1)} drawn by the trace; 99th gap ${gaps[Math.floor(gaps.length * 0.99)].toFixed(0)} ms`);
await wait(1500);
console.log(`thumbnails in view once it stands: ${await page.$$eval(".cell:not([hidden]) .page.drawn", (cells) => cells.length)}`);
await browser.close();
server.kill();
process.exit(0);
