// The page of `pagewise inspect` in a real browser: what it shows, what it refuses to run, and what it can do.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { CHROMIUM, PAGEWISE, SHOTS, WORK } = process.env;
const puppeteer = createRequire(join(WORK, "x.js"))("puppeteer-core");
const axe = readFileSync(join(WORK, "node_modules/axe-core/axe.min.js"), "utf8");
const folder = join(WORK, "files");
const env = { ...process.env, PAGEWISE_DATA_DIR: join(WORK, "data") };
mkdirSync(folder, { recursive: true });

const HOSTILE = ['<img src=x onerror="document.title=1">.pdf', "invoice\u202efdp.exe.pdf", `${"n".repeat(240)}.pdf`];
const copy = (fixture, name) => copyFileSync(join("fixtures", fixture), join(folder, name));
const pagewise = (...words) => execFileSync(PAGEWISE, words, { env, cwd: folder });
const give = (conversation, file, pages, form) =>
	pagewise("get-file", file, "--pages", pages, "--as", form, "--conversation", conversation, "--json");

copy("latex.pdf", "latex.pdf");
copy("report-v1.pdf", "report.pdf");
copy("report-v2.pdf", "newer.pdf");
copy("typst.pdf", "gone.pdf");
give("names", "gone.pdf", "1", "text");
for (const name of HOSTILE) {
	copy("latex.pdf", name);
	give("names", name, "1", "text");
}
give("review", "report.pdf", "1", "document");
give("review", "newer.pdf", "1", "document");
give("review", "latex.pdf", "1-2", "document");
give("review", "latex.pdf", "3", "markdown");

async function inspect(env) {
	const server = spawn(PAGEWISE, ["inspect", "--no-open"], { env, cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
	return [server, await new Promise((resolve) => server.stdout.once("data", (line) => resolve(String(line).trim())))];
}

const [server, url] = await inspect(env);
const browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
const page = await browser.newPage();
const problems = [];
page.on("pageerror", (error) => problems.push(error.message));
page.on("console", (message) => /Content Security|Trusted/.test(message.text()) && problems.push(message.text()));
await page.setViewport({ width: 1280, height: 900 });

const wait = (test, ...values) => page.waitForFunction(test, { timeout: 20_000 }, ...values);
const shoot = (name) => SHOTS && page.screenshot({ path: join(SHOTS, `${name}.png`) });
const press = (text) => page.evaluate((text) => {
	const buttons = [...(document.querySelector("dialog[open]:last-of-type") ?? document).querySelectorAll("button")];
	buttons.find((button) => button.textContent === text).click();
}, text);
const says = (text) => wait((text) => document.body.textContent.includes(text), text);

async function look(scheme, width) {
	await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
	await page.setViewport({ width, height: 900 });
	await wait((scheme, width) => innerWidth === width && matchMedia(`(prefers-color-scheme: ${scheme})`).matches, scheme, width);
}

async function findings(shown) {
	const session = await shown.createCDPSession();
	await session.send("Runtime.evaluate", { expression: axe });
	const expression = "axe.run().then((found) => JSON.stringify(found.violations.map(({ id, nodes }) => [id, nodes[0].html])))";
	const { result } = await session.send("Runtime.evaluate", { expression, awaitPromise: true });
	await session.detach();
	return result.value;
}

// In each colour scheme, in a wide and a narrow window: axe finds nothing, and nothing sticks out.
async function accessible(where) {
	for (const [scheme, width] of [["dark", 380], ["dark", 1280], ["light", 380], ["light", 1280]]) {
		await look(scheme, width);
		// Halfway through a transition, colours are those of neither state.
		await page.evaluate(() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished)));
		assert.equal(await findings(page), "[]", `axe: ${where}, ${scheme}, ${width} pixels`);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} sticks out of ${width} pixels`);
		if (scheme === "dark") await shoot(`${where.replaceAll(" ", "-")}-${width}`);
	}
}

const tests = {
	async "a conversation is shown, with the pages that were given"() {
		await page.goto(`${url}#review`);
		await wait(() => document.querySelectorAll(".page.given.drawn").length >= 3);
		assert.equal(await page.$eval("#title", (title) => title.textContent), "review");
		assert.ok(!page.url().includes("token"), "the token does not stay in the address");
		const labels = await page.$$eval(".file:first-of-type .page.given .unseen", (labels) => labels.map((label) => label.textContent));
		assert.deepEqual(labels, ["Page 1, given as a PDF", "Page 2, given as a PDF", "Page 3, given as Markdown"]);
		await shoot("conversation");
		await accessible("a conversation");
	},

	async "a page is drawn, read, searched and compared"() {
		await page.$eval(".file:first-of-type .page.given", (button) => button.click());
		await wait(() => document.querySelector(".sight img").naturalWidth > 500);
		await wait(() => document.querySelector(".texts pre")?.textContent.length > 100);
		await shoot("page");
		await accessible("a page");
		await page.keyboard.press("ArrowRight");
		await says("Page 2 of");
		await page.keyboard.press("Escape");
		await wait(() => !document.querySelector("dialog"));
		assert.match(await page.evaluate(() => document.activeElement.textContent), /^Page 2/, "the focus is at the page that was seen");
		await page.type(".file:first-of-type .search input", "the");
		await page.keyboard.press("Enter");
		await wait(() => document.querySelector(".hits mark"));
		await shoot("search");
		await accessible("a search");
	},

	async "two versions of a page are shown side by side"() {
		await page.evaluate(() => [...document.querySelectorAll(".file")].find((file) => file.textContent.includes("newer.pdf")).scrollIntoView());
		const changed = () => [...document.querySelectorAll(".file")].find((file) => file.textContent.includes("newer.pdf"))
			?.querySelectorAll(".page")[1];
		await (await wait(changed)).asElement().click();
		await says("Compare");
		await press("Compare");
		await wait(() => document.querySelector("#with-file"));
		await page.evaluate(() => {
			const choice = document.querySelector("#with-file");
			choice.value = [...choice.options].find((option) => option.textContent.includes("report.pdf")).value;
			choice.form.requestSubmit();
		});
		await wait(() => {
			const marks = document.querySelectorAll(".half mark").length;
			return marks > 0 && marks < 20 && document.querySelectorAll(".half img[src]").length === 2;
		});
		await shoot("compare");
		await accessible("a comparison");
		await page.keyboard.press("Escape");
		await page.keyboard.press("Escape");
		await wait(() => !document.querySelector("dialog"));
	},

	async "what is given meanwhile appears"() {
		give("review", "latex.pdf", "4", "document");
		await wait(() => document.querySelectorAll(".file:first-of-type .page.given").length === 4);
	},

	async "a page is forgotten once the person agrees"() {
		await page.evaluate(() => document.querySelector("#content").scrollTo(0, 0));
		await page.$eval(".file:first-of-type .page.given", (button) => button.click());
		await says("Forget this page");
		await press("Forget this page");
		await wait(() => document.querySelector(".question"));
		assert.equal(await page.evaluate(() => document.activeElement.textContent), "Cancel");
		await accessible("a question");
		await page.keyboard.press("Enter");
		await wait(() => !document.querySelector(".question"));
		await press("Forget this page");
		await wait(() => document.querySelector(".question"));
		await press("Forget");
		await wait(() => document.querySelectorAll(".file:first-of-type .page.given").length === 3);
		await page.keyboard.press("Escape");
	},

	async "a forgotten page stays faded, and a fork at a step holds what was held then"() {
		await wait(() => document.querySelector(".file:first-of-type .page.forgotten"));
		await page.$eval(".plot details", (details) => { details.open = true; });
		await wait(() => document.querySelectorAll(".rows button").length === 6);
		assert.match(await page.$eval(".plot svg", (drawing) => drawing.getAttribute("aria-label")), /^Tokens: [\d.]+K after 6 steps$/);
		await shoot("steps");
		await accessible("the steps");
		await page.$eval(".rows tr:last-child button", (button) => button.click());
		await wait(() => document.querySelector(".question"));
		await press("Fork");
		await wait(() => document.querySelector("#title")?.textContent.startsWith("conv_"));
		await wait(() => document.querySelectorAll(".file").length === 1);
		assert.equal(await page.$eval(".file h3", (title) => title.textContent), "report.pdf");
	},

	async "hostile names are text, and a file that is gone says so"() {
		rmSync(join(folder, "gone.pdf"));
		await page.evaluate(() => { location.hash = "#names"; });
		await wait(() => document.querySelectorAll(".file h3").length === 4);
		const names = await page.$$eval(".file h3", (names) => names.map((name) => name.textContent));
		assert.ok(names.includes(HOSTILE[0]), "markup is text");
		assert.ok(names.includes("invoice\\u{202e}fdp.exe.pdf"), "what changes the order of characters is seen");
		assert.ok(names.some((name) => name.includes("…") && name.endsWith("Whole name")), "a long name is cut");
		await says("The file is gone");
		assert.equal(await page.$("main img[src=x]"), null);
		await shoot("names");
		await accessible("hostile names");
	},

	async "the strip is used with the keyboard"() {
		await page.evaluate(() => { location.hash = "#review"; });
		await wait(() => document.querySelector("#title")?.textContent === "review" && document.querySelector(".page.given.drawn"));
		await (await page.waitForSelector(".file:first-of-type .page[tabindex='0']")).focus();
		await page.keyboard.press("End");
		await wait(() => {
			const cell = document.activeElement.closest(".cell");
			return cell && cell.ariaPosInSet === cell.ariaSetSize;
		});
	},

	async "a store without conversations says so"() {
		const [empty, address] = await inspect({ ...env, PAGEWISE_DATA_DIR: join(WORK, "empty") });
		await page.goto(address);
		await says("No conversation");
		await accessible("no conversation");
		empty.kill();
	},

	async "another browser with the same address sees nothing"() {
		const other = await (await browser.createBrowserContext()).newPage();
		await other.goto(url);
		await other.waitForFunction(() => document.querySelector("#problem").textContent.includes("opens once"));
		assert.equal(await other.$(".file"), null);
		assert.equal(await findings(other), "[]", "axe: another browser");
	},
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
	try {
		await test();
		assert.deepEqual(problems.splice(0), []);
	} catch (error) {
		failed += 1;
		console.log(`FAILED: ${name}: ${error.message.slice(0, 600)}`);
		await shoot(`failed-${failed}`);
		await page.keyboard.press("Escape");
	}
}
console.log(`inspect: ${Object.keys(tests).length - failed} of ${Object.keys(tests).length} tests passed`);
await browser.close();
server.kill();
process.exit(failed === 0 ? 0 : 1);
