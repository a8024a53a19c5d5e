// Every page that links lead to: structure, markup, accessibility and layout, in both schemes and several widths.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { HtmlValidate } from "html-validate";
import { BASE, check, open, run, world } from "./lib.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCHEMES = ["light", "dark"];
const WIDTHS = [320, 360, 1280];
/** Rules of axe-core that depend on the layout: narrow pages show nothing that wide ones do not. */
const NARROW_RULES = ["color-contrast", "target-size", "scrollable-region-focusable"];
/** Whether the pages of a route are as different as mail. */
const isOfMail = (route) => route.endsWith("/threads/{thread_id}");
/** Pages of one route that the owner visits with the same query parameters. Others see the same pages, with less on them. */
const visitsOf = (route, name) => (name !== "owner" ? 1 : isOfMail(route) ? 6 : 2);
/** Routes that no link leads to: what leads back from a form, streams, and pages that follow a form. */
const UNLINKED = [
  "/", "/assets/{file}", "/console/sign-in", "/console/organization", "/console/events/stream", "/console/inboxes",
  "/console/inboxes/{inbox_id}/drafts/{draft_id}/sending",
];

const markup = new HtmlValidate({
  root: true,
  extends: ["html-validate:recommended"],
  rules: {
    // askama writes what the pages need; these are matters of taste.
    "doctype-style": "off", "void-style": "off", "attribute-boolean-style": "off", "no-trailing-whitespace": "off",
    "no-inline-style": "error", "long-title": "off", "attr-quotes": "off", "no-raw-characters": "off",
    "prefer-native-element": "off", "no-implicit-input-type": "off", "no-implicit-button-type": "off",
    "form-dup-name": ["error", { shared: ["radio", "checkbox", "button", "submit"] }],
  },
});

/** Returns the route of a path. */
function routeOf(path) {
  const matches = (route) => new RegExp(`^${route.replace(/\{\w+\}/g, "[^/]+")}$`).test(path);
  const gets = world.routes.filter(([method]) => method === "get").map(([, route]) => route);
  return gets.find((route) => route === path) ?? gets.find(matches);
}

/** Visits the pages that links lead to from the start; calls `visit` on each page. Returns the routes that were seen. */
async function crawl(browser, name, visit) {
  const { context, page } = await open(browser, name, { reducedMotion: "reduce" });
  const queue = ["/console"];
  const [seen, visits, routes] = [new Set(queue), new Map(), new Set()];
  while (queue.length > 0) {
    const target = queue.shift();
    const url = new URL(target, BASE);
    const route = routeOf(url.pathname);
    if (!check(route, `${name}: ${target} is no route of the console`)) continue;
    const kind = `${route}?${[...url.searchParams.keys()].sort()}`;
    const count = visits.get(kind) ?? 0;
    if (count >= visitsOf(route, name)) continue;
    visits.set(kind, count + 1);
    routes.add(route);
    const answer = await context.request.get(target);
    const type = answer.headers()["content-type"] ?? "";
    const isThere = answer.url() === url.href || new URL(answer.url()).pathname.startsWith("/v0/downloads/");
    // Files of the test mails are named as documents and are none, so their text may be refused.
    const isTextless = target.endsWith("?as=text") && answer.status() === 422;
    check(isTextless || (answer.status() === 200 && isThere), `${name}: a link leads to ${target}, then ${answer.url()}: ${answer.status()}`);
    const isPage = type.startsWith("text/html") && !route.endsWith("/body");
    if (answer.status() !== 200 || !isPage) continue;
    await page.goto(target);
    await visit(page, route, await answer.text(), `${nameOf(route, url)}${count || ""}`, count);
    const links = await page.$$eval("a[href], iframe[src], form[method=get]", (all) => all.map((each) => each.href ?? each.src ?? each.action));
    for (const link of links) {
      const to = new URL(link);
      to.hash = "";
      const next = to.pathname + to.search;
      if (to.origin !== BASE || !to.pathname.startsWith("/console") || seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  await context.close();
  return routes;
}

/** Checks structure and markup of a page. */
async function structure(page, text) {
  const where = page.url();
  const found = await page.evaluate(() => ({
    lang: document.documentElement.lang, title: document.title, headings: document.querySelectorAll("h1").length,
    mains: document.querySelectorAll("main").length,
    unlabelled: [...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
      .filter((field) => field.labels.length === 0 && !field.ariaLabel).map((field) => field.outerHTML),
    unprotected: [...document.querySelectorAll("form[method=post]")]
      .filter((form) => !form.elements.csrf_token?.value && !form.elements.csrf_token?.[0]?.value).map((form) => form.action),
  }));
  check(found.lang === "en", `${where}: lang is "${found.lang}"`);
  check(found.title.length > " · inboxd".length, `${where}: the title is "${found.title}"`);
  check(found.headings === 1 && found.mains === 1, `${where}: ${found.headings} h1, ${found.mains} main`);
  check(found.unlabelled.length === 0, `${where}: fields without label: ${found.unlabelled}`);
  check(found.unprotected.length === 0, `${where}: forms without token: ${found.unprotected}`);
  const report = await markup.validateString(text);
  for (const { messages } of report.results) {
    for (const { ruleId, message, line, column } of messages) {
      check(false, `${where}: ${ruleId}: ${message} (${text.split("\n")[line - 1]?.slice(Math.max(0, column - 40), column + 80)})`);
    }
  }
  check(report.valid, `${where}: the markup is invalid`);
}

/** Checks the layout and the accessibility of a page in all schemes and widths. */
async function looks(page, name) {
  const where = page.url();
  await page.evaluate(AXE);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate(() => {
      const edge = document.documentElement.clientWidth;
      const scrolls = document.scrollingElement.scrollWidth > edge;
      const isClipped = (each) => each && (getComputedStyle(each).overflowX !== "visible" || isClipped(each.parentElement));
      const isCut = (each) => each.getBoundingClientRect().right > edge + 1 && !isClipped(each.parentElement);
      return scrolls && [...document.body.querySelectorAll("*")].filter(isCut).slice(0, 3).map((each) => each.outerHTML.slice(0, 120));
    });
    check(!wide, `${where}: scrolls sideways at ${width} px: ${wide}`);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await screenshot(page, `${name}-${width}-${colorScheme}`);
      // The scheme changes colours alone, and colours do not change with the width.
      const isDark = colorScheme === "dark";
      if (width === 360 || (isDark && width === 320)) continue;
      const runOnly = isDark ? ["color-contrast"] : width === 320 ? NARROW_RULES : null;
      // The documents of strangers are none of ours.
      const options = { iframes: false, rules: { "target-size": { enabled: true } }, ...(runOnly && { runOnly }) };
      const { violations } = await page.evaluate((options) => globalThis.axe.run(document, options), options);
      for (const { id, help, nodes } of violations) {
        const where_ = nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} (${node.failureSummary?.split("\n")[1]?.trim()})`);
        check(false, `${where}: ${width} px, ${colorScheme}: ${id}: ${help}: ${where_.join("; ")}`);
      }
      check(violations.length === 0, `${where}: axe-core, ${width} px, ${colorScheme}`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Takes a picture where a folder for them is set. */
async function screenshot(page, name) {
  const folder = process.env.INBOXD_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** Returns a file name for a page. */
function nameOf(route, url) {
  const path = route.replace(/^\/console\/?/, "").replace(/\{\w+\}$/, "one").replace(/\{\w+\}/g, "").replace(/[^a-z]+/g, "-").replace(/-$/, "");
  return [path || "start", ...[...url.searchParams].map(([name, value]) => (name === "view" ? value : name))].join("-");
}

await run({
  async owner(browser) {
    const seen = await crawl(browser, "owner", async (page, route, text, name, count) => {
      await structure(page, text);
      if (count === 0 || isOfMail(route)) await looks(page, name);
    });
    const expected = world.routes.filter(([method, route]) => method === "get" && !UNLINKED.includes(route));
    for (const [, route] of expected) {
      const isBack = world.routes.some(([method, other]) => method === "post" && other === route)
        && /\/(threads|autosave|send|delete|unschedule|approve|reject|quarantine|retention|legal-hold)$/.test(route);
      check(isBack || seen.has(route), `no link leads to ${route}`);
    }
  },

  async admin(browser) {
    await crawl(browser, "admin", (page, _route, text) => structure(page, text));
  },

  async member(browser) {
    const seen = await crawl(browser, "member", (page, _route, text) => structure(page, text));
    check(seen.size > 5, `the member sees ${[...seen]}`);
    check(![...seen].some((route) => route.includes("operator")), "the member sees pages of the operator");
  },

  async stranger(browser) {
    await crawl(browser, "stranger", async (page, route, text, name, count) => {
      await structure(page, text);
      const isEmpty = ["/console", "/console/inboxes/{inbox_id}", "/console/drafts", "/console/events"].includes(route);
      if (isEmpty && count === 0) await looks(page, `empty-${name}`);
      check(!text.includes("northwind@"), `${page.url()} shows the organization of others`);
    });
  },

  async sign_in(browser) {
    const { context, page } = await open(browser, null, { reducedMotion: "reduce" });
    await page.goto("/");
    await structure(page, await page.content());
    await looks(page, "sign-in");
    await page.fill("input[type=email]", "nobody-yet@example.org");
    await page.click("button[type=submit]");
    await looks(page, "code");
    await context.close();
  },
});
