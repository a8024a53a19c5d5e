// Common helpers of the scripts: the browser, its watched pages, mail, and the report.

import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { chromium } from "playwright-core";

/** What the test prepared: addresses, persons with their cookies, ids, routes. */
export const world = JSON.parse(readFileSync(process.env.INBOXD_WORLD, "utf8"));
/** Address of the server. */
export const BASE = process.env.INBOXD_URL;

const report = { checks: 0, problems: [] };

/** Records a check; `words` say what is wrong where it fails. */
export function check(holds, words) {
  report.checks += 1;
  if (!holds) report.problems.push(words);
  return Boolean(holds);
}

/**
 * Runs scenarios one after another in one browser, then prints the report. A scenario can return checks of sent mail, which
 * leaves seconds later: they run after all scenarios.
 */
export async function run(scenarios) {
  const only = process.env.INBOXD_ONLY;
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    headless: true,
    // As root, Chromium runs without its sandbox only.
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
  const later = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (only && !name.includes(only)) continue;
    try {
      const checks = await scenario(browser);
      if (checks) later.push([name, checks]);
    } catch (error) {
      const pages = browser.contexts().flatMap((context) => context.pages());
      const shown = pages.map(async (page) => `${page.url()}: ${(await page.innerText("body").catch(String)).slice(0, 500)}`);
      check(false, `${name}: ${error.stack}\n${(await Promise.all(shown)).join("\n")}`);
    }
    await Promise.all(browser.contexts().map((context) => context.close()));
  }
  await browser.close();
  for (const [name, checks] of later) await checks().catch((error) => check(false, `${name}: ${error.stack}`));
  writeFileSync(process.env.INBOXD_REPORT, JSON.stringify(report));
}

/**
 * Opens a window of a person (`null`: signed out) and watches it: every request must go to the server; dialogs, script
 * errors and violations of the content security policy are problems.
 */
export async function open(browser, name, options = {}) {
  const { isWatched = true, ...settings } = options;
  const context = await browser.newContext({ baseURL: BASE, viewport: { width: 1280, height: 800 }, ...settings });
  if (name) {
    const cookies = Object.entries(world.persons[name].cookies);
    await context.addCookies(cookies.map(([key, value]) => ({ name: key, value, url: BASE })));
  }
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const requests = [];
  context.on("request", (request) => {
    requests.push(request.url());
    if (isWatched && !isOwn(request.url())) check(false, `${page.url()} asks for ${request.url()}`);
  });
  context.on("dialog", async (dialog) => {
    check(false, `${page.url()} shows a dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  context.on("console", (message) => {
    const text = message.text();
    const isRefusal = /Content Security Policy|Refused to|blocked by/i.test(text) && !text.includes("sandboxed");
    const isError = message.type() === "error" && !/status of (4|5)\d\d|net::ERR_/.test(text);
    if (isWatched && (isRefusal || isError)) check(false, `${page.url()} logs: ${text}`);
  });
  context.on("weberror", (error) => check(false, `${page.url()} throws: ${error.error()}`));
  return { context, page, requests };
}

/** Returns whether a URL leads to the server, or to nothing. */
export function isOwn(url) {
  return url === BASE || url.startsWith(`${BASE}/`) || /^(data|about|blob):/.test(url);
}

/** Waits until a condition holds. */
export async function eventually(what, condition, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns the newest sign-in code mailed to an address after `count` others. */
export async function mailedCode(email, count) {
  return eventually(`a code for ${email}`, () => codes(email)[count]);
}

/** Returns the sign-in codes mailed to an address so far. */
export function codes(email) {
  const lines = readFileSync(process.env.INBOXD_LOG, "utf8").split("\n").filter((line) => line.includes(email));
  return lines.map((line) => /sign-in code is (\d{6})/.exec(line)?.[1]).filter(Boolean);
}

/** Calls the API with the key of the owner. */
export async function api(method, path, body) {
  const headers = { authorization: `Bearer ${world.key}`, "content-type": "application/json" };
  const answer = await fetch(new URL(path, BASE), { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

/** Delivers a mail from outside. */
export async function deliver({ from = "Alice <alice@outside.example>", to = world.inbox, subject, text = "Hello.", html, id }) {
  const [host, port] = process.env.INBOXD_SMTP.split(":");
  const head = [
    `From: ${from}`, `To: ${to}`, `Subject: ${subject}`, "Date: Fri, 20 Nov 2026 10:00:00 +0000",
    `Message-ID: <${id ?? `${Math.random().toString(36).slice(2)}@outside.example`}>`, "MIME-Version: 1.0",
    `Content-Type: ${html ? "text/html" : "text/plain"}; charset=utf-8`, "Content-Transfer-Encoding: 8bit", "",
  ];
  const body = (html ?? text).replace(/\r?\n/g, "\r\n").replace(/^\./gm, "..");
  const socket = connect(Number(port), host);
  const replies = socket[Symbol.asyncIterator]();
  const say = async (line) => {
    if (line) socket.write(`${line}\r\n`);
    let reply = "";
    while (!/^\d{3} .*\r\n$/m.test(reply)) reply += (await replies.next()).value.toString();
    if (!/^[23]/.test(reply)) throw new Error(`${line}: ${reply}`);
  };
  const lines = ["EHLO outside.example", "MAIL FROM:<alice@outside.example>", `RCPT TO:<${to}>`, "DATA"];
  for (const line of [null, ...lines, `${head.join("\r\n")}\r\n${body}\r\n.`, "QUIT"]) await say(line);
  socket.destroy();
}
