// Opens pages of `gibbsite report` in a headless browser and speaks TAP.
//
//   node check.mjs CHROMIUM PICTURES PAGE.html...
//
// Beside this file must lie node_modules/playwright-core. PICTURES is a folder for screenshots and
// PDFs: of whole pages where GIBBSITE_PICTURES says that somebody keeps them, else of what the
// window shows.
import { chromium } from "playwright-core";
import { basename } from "node:path";
import { readFileSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [executablePath, pictures, ...pages] = process.argv.slice(2);
const kept = Boolean(process.env.GIBBSITE_PICTURES);
let failed = 0;

// What was found out about each page, by its name: pages are looked at side by side and told in
// order.
const told = new Map();

// A name begins with that of its page.
function verdict(good, name, detail) {
  const lines = told.get(/^[^,:]*/.exec(name)[0]);
  lines.push(`${good ? "ok" : "not ok"} - ${name.replace(/#/g, " ")}`);
  if (good) return;
  failed++;
  if (detail !== undefined) lines.push(...String(detail).split("\n").map((line) => `# ${line}`));
}

// Whatever the page says or asks for that it should not.
function watch(page) {
  const seen = { said: [], asked: [] };
  page.on("console", (message) =>
    { if (["error", "warning"].includes(message.type())) seen.said.push(message.text()); });
  page.on("pageerror", (error) => seen.said.push(String(error)));
  page.on("dialog",
    (dialog) => { seen.said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) =>
    { if (!/^(file|data|about):/.test(request.url())) seen.asked.push(request.url()); });
  return seen;
}

// Of every canvas: how many of its pixels are drawn on, and in how many colours other than greys.
function pixels() {
  return [...document.querySelectorAll("canvas[data-chart]")].map((canvas) => {
    // reading the canvas itself would change how the browser keeps it
    const copy = document.createElement("canvas");
    copy.width = canvas.width;
    copy.height = canvas.height;
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const hues = new Map();
    let drawn = 0;
    for (let k = 0; k < data.length; k += 4) {
      if (data[k + 3] === 0) continue;
      drawn++;
      const [r, g, b] = [data[k], data[k + 1], data[k + 2]];
      if (data[k + 3] > 250 && Math.max(r, g, b) - Math.min(r, g, b) > 60) {
        const hue = `${r >> 4},${g >> 4},${b >> 4}`;
        hues.set(hue, (hues.get(hue) ?? 0) + 1);
      }
    }
    const marks = [...hues.values()].reduce((sum, count) => sum + count, 0);
    return { title: canvas.closest("figure").querySelector("h4").textContent,
      share: drawn / (canvas.width * canvas.height), marks };
  });
}

async function checkDrawn(page, name) {
  const charts = await page.evaluate(pixels);
  const specs =
    await page.evaluate(() => JSON.parse(document.getElementById("charts").textContent).length);
  verdict(charts.length === specs, `${name}: a canvas for each of the ${specs} charts`,
    charts.length);
  const blank = charts.filter((chart) => !(chart.share > 0.005 && chart.marks > 40));
  verdict(blank.length === 0,
    `${name}: every chart is drawn, axes and marks in colour (${charts.length})`,
    JSON.stringify(blank));
  return charts;
}

async function checkText(page, name) {
  const bad = await page.evaluate(() => {
    const found = [];
    for (const canvas of document.querySelectorAll("canvas[data-chart]")) {
      const figure = canvas.closest("figure");
      if (!(canvas.getAttribute("aria-label") ?? "").length ||
        canvas.getAttribute("role") !== "img") found.push("no text alternative");
      if (!figure.querySelector("details table tbody tr"))
        found.push(`no numbers: ${figure.querySelector("h4").textContent}`);
    }
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    if (new Set(ids).size !== ids.length) found.push("an id comes twice");
    for (const link of document.querySelectorAll('a[href^="#"]'))
      if (!document.querySelector(link.getAttribute("href"))) found.push(`dead link ${link.hash}`);
    if (!document.title) found.push("no title");
    if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
    return found;
  });
  verdict(bad.length === 0,
    `${name}: each chart has a text alternative and a table; links lead somewhere`, bad.join("\n"));
}

async function checkWidth(page, name) {
  const over = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll("body *")].filter((element) => {
      if (element.closest(".scroll") || element.closest(".skip") ||
        getComputedStyle(element).position === "absolute") return false;
      return element.getBoundingClientRect().right > width + 1;
    });
    return { scroll: document.documentElement.scrollWidth - width,
      wide: wide.slice(0, 5).map((element) => element.outerHTML.slice(0, 120)) };
  });
  verdict(over.scroll <= 0 && over.wide.length === 0,
    `${name}: nothing wider than the window at 400 px`, JSON.stringify(over));
}

// Tab from the top: the skip link, the button, every summary.
async function checkKeyboard(page, name) {
  await page.reload();
  await page.waitForSelector("html[data-drawn]", { state: "attached" });
  const wanted = await page.evaluate(() => document.querySelectorAll("summary").length);
  const reached = { skip: false, theme: false, summaries: 0, outlined: true };
  for (let step = 0; step < 60 + 12 * wanted && reached.summaries < wanted; step++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement, style = getComputedStyle(element);
      return { skip: element.classList.contains("skip"), theme: element.id === "theme",
        summary: element.tagName === "SUMMARY",
               outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
    });
    reached.skip ||= at.skip;
    reached.theme ||= at.theme;
    if (at.summary) { reached.summaries++; reached.outlined &&= at.outlined; }
  }
  verdict(reached.skip && reached.theme && reached.summaries === wanted && reached.outlined,
          `${name}: the keyboard reaches the skip link, the colours and ${wanted} lists of numbers, and shows where it is`,
          JSON.stringify(reached));
  const open = await page.evaluate(() => document.activeElement.closest("details")?.open);
  await page.keyboard.press("Enter");
  const after = await page.evaluate(() => document.activeElement.closest("details")?.open);
  verdict(open !== after, `${name}: Enter opens a list of numbers`);
}

// The button turns light into dark, and the charts with it.
async function checkToggle(page, name) {
  const colours = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await colours();
  await page.focus("#theme");
  await page.keyboard.press("Space");
  const after = await colours();
  verdict(before !== after, `${name}: the button changes light and dark (${before} to ${after})`);
  await checkDrawn(page, `${name}, turned`);
  await page.keyboard.press("Space");
}

async function checkPage(browser, file) {
  const name = basename(file, ".html");
  for (const colorScheme of ["light", "dark"]) {
    const context =
      await browser.newContext({ viewport: { width: 1200, height: 900 }, colorScheme });
    const page = await context.newPage();
    const seen = watch(page);
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector("html[data-drawn]", { state: "attached" });
    await checkDrawn(page, `${name}, ${colorScheme}`);
    await page.screenshot({ path: `${pictures}/${name}-${colorScheme}-1200.png`, fullPage: kept });
    await page.setViewportSize({ width: 400, height: 800 });
    // the page draws again a moment after the last change of its size
    await page.waitForTimeout(400);
    await checkDrawn(page, `${name}, ${colorScheme}, 400 px`);
    await checkWidth(page, `${name}, ${colorScheme}`);
    await page.screenshot({ path: `${pictures}/${name}-${colorScheme}-400.png`, fullPage: kept });
    await page.setViewportSize({ width: 1200, height: 900 });
    if (colorScheme === "light") {
      await checkText(page, name);
      await checkToggle(page, name);
      await checkKeyboard(page, name);
      await page.pdf({ path: `${pictures}/${name}.pdf`, format: "A4", printBackground: true,
        margin: { top: "15mm", bottom: "15mm", left: "14mm", right: "14mm" } });
      verdict(statSync(`${pictures}/${name}.pdf`).size > 20000, `${name}: prints to PDF`);
      const pages =
        Number(/\/Type\s*\/Pages[^>]*?\/Count\s+(\d+)|\/Count\s+(\d+)[^>]*?\/Type\s*\/Pages/.exec(
        readFileSync(`${pictures}/${name}.pdf`, "latin1"))?.slice(1).find(Boolean));
      if (name !== "several")
        verdict(pages >= 1 && pages <= 2, `${name}: prints on two pages, here ${pages}`);
      await checkDrawn(page, `${name}, after printing`);
    }
    verdict(await page.evaluate(() => window.injected === undefined),
      `${name}, ${colorScheme}: no text of the data runs as a script`);
    verdict(seen.said.length === 0, `${name}, ${colorScheme}: no error or warning in the console`,
      seen.said.join("\n"));
    verdict(seen.asked.length === 0, `${name}, ${colorScheme}: asks the network for nothing`,
      seen.asked.join("\n"));
    await context.close();
  }
}

// Without scripts the page still reads: words and tables are in the HTML itself.
async function checkWithoutScripts(browser, file) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  const text = await page.textContent("main");
  verdict(/In plain words/.test(text) && (await page.locator("table").count()) > 0,
    `${basename(file, ".html")}: reads without JavaScript`);
  await context.close();
}

const browser = await chromium.launch({ executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const waiting = pages.map((file) => [basename(file, ".html"), file]);
for (const [name] of waiting) told.set(name, []);
async function look() {
  while (waiting.length > 0) {
    const [name, file] = waiting.shift();
    try {
      await checkPage(browser, file);
      await checkWithoutScripts(browser, file);
    } catch (error) {
      verdict(false, `${name}: can be looked at to its end`, error.stack);
    }
  }
}
try {
  await Promise.all([look(), look(), look()]);
} finally {
  for (const lines of told.values()) if (lines.length > 0) console.log(lines.join("\n"));
  await browser.close();
}
process.exit(failed > 0 ? 1 : 0);
