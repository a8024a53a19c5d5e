// What people do in the console: with and without scripts, and with the keyboard alone.

import { api, check, codes, deliver, eventually, mailedCode, open, run, world } from "./lib.mjs";

const INBOX = `/console/inboxes/${encodeURIComponent(world.inbox)}`;

/** Requires that a page shows some words. */
async function shows(page, words, what = "") {
  const text = await page.locator("body").innerText();
  return check(text.includes(words), `${page.url()} ${what} does not show "${words}":\n${text.slice(0, 1500)}`);
}

/** Returns the newest sent message with a subject. */
async function sent(subject) {
  const list = await api("GET", `/v0/inboxes/${world.inbox}/messages?labels=sent&limit=20`);
  const found = list.messages.find((message) => message.subject === subject);
  return found && api("GET", `/v0/inboxes/${world.inbox}/messages/${encodeURIComponent(found.message_id)}`);
}

/** Answers the first message of a thread through the composer. */
async function reply(page, subject, text) {
  await page.getByRole("link", { name: subject, exact: true }).first().click();
  await page.getByRole("link", { name: "Reply", exact: true }).first().click();
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

await run({
  async without_scripts(browser) {
    await deliver({ subject: "Without scripts", text: "Can you read this?" });
    const { context, page } = await open(browser, null, { javaScriptEnabled: false });
    const email = world.persons.owner.email;
    const before = codes(email).length;
    await page.goto("/");
    await page.fill("input[type=email]", email);
    await page.click("button[type=submit]");
    await page.fill("input[autocomplete=one-time-code]", await mailedCode(email, before));
    await page.click("button[type=submit]");
    await page.getByRole("link", { name: world.inbox, exact: true }).first().click();
    await shows(page, "Without scripts");
    await reply(page, "Without scripts", "Yes, without any script.");
    // Search, label, note and the folders.
    await page.goto(INBOX);
    await page.getByRole("searchbox").first().fill("Without scripts");
    await page.getByRole("searchbox").first().press("Enter");
    await page.getByRole("link", { name: /Without scripts/ }).first().click();
    await page.getByLabel("Label", { exact: true }).fill("plain");
    await page.getByRole("button", { name: "Add label" }).click();
    await shows(page, "plain", "after labelling");
    await page.getByLabel("Note", { exact: true }).fill("Noted without scripts.");
    await page.getByRole("button", { name: "Add note" }).click();
    await shows(page, "Noted without scripts.", "after noting");
    const message = await eventually("the reply leaves", () => sent("Re: Without scripts"), 25);
    check(message.text.includes("Yes, without any script."), `the reply is: ${message.text}`);
    check(message.in_reply_to, "the reply belongs to no message");
    await page.goto(INBOX);
    await page.getByRole("link", { name: /^Sent/ }).click();
    await shows(page, "Yes, without any script.", "of sent mail");
    await page.getByRole("link", { name: /^Spam/ }).click();
    await shows(page, "You won a prize", "of spam");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/sign-in/);
    await page.goBack();
    await page.waitForURL(/sign-in/);
    check(!(await page.content()).includes(world.inbox), "after signing out, mail is shown");
    await context.close();
  },

  async keyboard_alone(browser) {
    await deliver({ subject: "Only keys", text: "Press them." });
    const { context, page } = await open(browser, "owner");
    await page.goto(INBOX);
    const isFocused = (name) => page.evaluate((name) => document.activeElement?.textContent?.trim() === name, name);
    await page.keyboard.press("Tab");
    check(await isFocused("Skip to content"), "the first key does not lead to the skip link");
    await page.keyboard.press("Enter");
    for (let step = 0; step < 60 && !(await isFocused("Only keys")); step += 1) await page.keyboard.press("Tab");
    check(await isFocused("Only keys"), "Tab does not reach the thread");
    const outlines = await page.evaluate(() => [null, "::after"]
      .map((part) => getComputedStyle(document.activeElement, part).outlineStyle));
    check(outlines.some((outline) => outline !== "none"), "the focus is not visible");
    await page.keyboard.press("Enter");
    await page.waitForURL(/threads\//);
    await page.keyboard.press("r");
    await page.waitForURL(/compose|drafts/);
    const isIn = (selector) => page.evaluate((selector) => document.activeElement?.matches(selector), selector);
    for (let step = 0; step < 40 && !(await isIn("textarea")); step += 1) await page.keyboard.press("Tab");
    await page.keyboard.type("Pressed r? c e # / are letters here.");
    check((await page.getByLabel("Message", { exact: true }).inputValue()).includes("r? c e # /"), "keys act in fields");
    for (let step = 0; step < 20 && !(await isFocused("Send")); step += 1) await page.keyboard.press("Tab");
    check(await isFocused("Send"), "Tab does not reach Send");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    // Shortcuts of the list.
    await page.goto(INBOX);
    await page.keyboard.press("j");
    const first = await page.evaluate(() => document.activeElement?.closest("[data-row]") !== null);
    check(first, "j leads to no row");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("o");
    await page.waitForURL(/threads\//);
    await page.goto(INBOX);
    await page.keyboard.press("/");
    check(await isIn("input[type=search]"), "/ does not lead to the search");
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("?");
    await page.locator("dialog[open]").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    await page.keyboard.press("c");
    await page.waitForURL(/compose/);
    await context.close();
    return async () => {
      const message = await eventually("the reply leaves", () => sent("Re: Only keys"), 25);
      check(message.text.includes("Pressed r?"), message.text);
    };
  },

  async new_mail_shows(browser) {
    const { context, page } = await open(browser, "owner");
    await page.goto(INBOX);
    await page.waitForTimeout(500);
    let loads = 0;
    page.on("framenavigated", () => { loads += 1; });
    for (const subject of ["Live one", "Live two"]) {
      await deliver({ subject });
      await page.getByRole("link", { name: subject, exact: true }).first().waitFor({ timeout: 10_000 });
      check(true, "");
    }
    check(loads === 0, "the page was loaded again");
    const status = await page.locator("#status").innerText();
    check(status.includes("New mail"), `the change is not announced: ${status}`);
    await context.close();
  },

  async reading(browser) {
    const { context, page } = await open(browser, "owner");
    await page.goto(INBOX);
    const unread = await page.locator("li.unread", { hasText: "Invoice 4711" }).count();
    check(unread > 0, "the thread with an answer is not unread");
    await page.getByRole("link", { name: /Invoice 4711 is wrong/ }).first().click();
    await shows(page, "send the corrected invoice to accounting");
    await shows(page, "alice@outside.example");
    check(!(await page.getByText("> Thank you, Alice").isVisible()), "quoted history is not folded");
    check((await page.locator("time[datetime]").count()) > 0, "no time has a datetime");
    await page.goto(INBOX);
    check((await page.locator("li.unread", { hasText: "Invoice 4711" }).count()) === 0, "opening leaves the thread unread");
    await page.getByRole("link", { name: /^Your verification code/ }).first().click();
    check((await page.locator("input.code").first().inputValue()) === "493027", "the code is not shown");
    await page.goto(INBOX);
    await page.getByRole("link", { name: "Photos of the damage" }).first().click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "report.pdf" }).click()]);
    check(download.suggestedFilename() === "report.pdf", `the file is named ${download.suggestedFilename()}`);
    // Keyset paging.
    await page.goto(INBOX);
    await page.getByRole("link", { name: "Older" }).click();
    await shows(page, "Order 10", "the next page");
    await context.close();
  },

  async writing(browser) {
    const { context, page } = await open(browser, "owner");
    await page.goto(INBOX);
    await page.getByRole("link", { name: "Compose" }).click();
    await page.getByLabel("To", { exact: true }).fill("no address");
    await page.getByLabel("Subject", { exact: true }).fill("Composed");
    await page.getByLabel("Message", { exact: true }).fill("First words.");
    await eventually("the draft is saved", async () => {
      const drafts = await api("GET", `/v0/inboxes/${world.inbox}/drafts`);
      return drafts.drafts.some((draft) => draft.subject === "Composed");
    }, 6);
    await page.getByRole("button", { name: "Discard" }).waitFor();
    check(true, "");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    check((await page.getByLabel("Message", { exact: true }).inputValue()) === "First words.", "a refusal loses the text");
    check((await page.getByLabel("To", { exact: true }).inputValue()) === "no address", "a refusal loses the address");
    await shows(page, "Not sent");
    await page.getByLabel("To", { exact: true }).fill("Alice <alice@outside.example>");
    await page.setInputFiles("input[type=file]", { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("A note.") });
    await page.getByRole("link", { name: "note.txt" }).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByLabel("Message", { exact: true }).fill("Second thoughts.");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    check(!(await sent("Composed")), "the message left at once");
    // An agent's draft is approved.
    await page.goto("/console/drafts");
    await page.getByRole("button", { name: "Approve and send Corrected invoice" }).click();
    await eventually("the draft leaves", () => sent("Corrected invoice"), 25);
    check(true, "");
    await context.close();
    return async () => {
      const message = await eventually("the message leaves", () => sent("Composed"), 25);
      check(message.text.includes("Second thoughts."), message.text);
      check(message.attachments?.[0]?.filename === "note.txt", JSON.stringify(message.attachments));
      const copies = await api("GET", `/v0/inboxes/${world.inbox}/messages?labels=sent&limit=50`);
      check(copies.messages.filter((each) => each.subject === "Composed").length === 1, "the message left twice");
    };
  },

  async administration(browser) {
    const { context, page } = await open(browser, "owner");
    const visit = async (section) => {
      await page.goto("/console");
      await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: section, exact: true }).click();
    };
    const fill = (label, value) => page.getByLabel(label, { exact: true }).first().fill(value);
    const submit = (label) => page.locator("main form", { has: page.getByLabel(label, { exact: true }) }).first()
      .locator("button:not(.quiet):not(.danger):not(.link)").first().click();
    for (const [section, label, value, shown] of [
      ["API keys", "Name", "Browser key", "Browser key"],
      ["Members", "Email address", "newcomer@example.org", "newcomer@example.org"],
      ["Domains", "Domain", "browser.example", "browser.example"],
      ["Webhooks", "URL", "https://hooks.example.org/in", "whsec_"],
      ["Lists", "Address", "noise@outside.example", "noise@outside.example"],
    ]) {
      await visit(section);
      await fill(label, value);
      await submit(label);
      const text = await page.content();
      check(text.includes(shown), `${section}: ${page.url()} does not show ${shown}`);
    }
    await visit("Mail");
    await fill("Username", "browser");
    await submit("Username");
    await shows(page, "browser@");
    for (const section of ["Events", "Usage", "Drafts", "Settings", "Connections"]) {
      await visit(section);
      check((await page.locator("main h1").innerText()) !== "This did not work", `${section} is refused`);
    }
    await context.close();
  },

  async colours(browser) {
    const { context, page } = await open(browser, "owner", { colorScheme: "light" });
    await page.goto("/console");
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByRole("button", { name: "Dark" }).click();
    const dark = await background();
    check(light !== dark, `dark colours are ${dark}`);
    await page.getByRole("button", { name: "Light" }).click();
    check((await background()) === light, "the choice of colours does not last");
    await context.close();
  },

  async member_of_one_inbox(browser) {
    const { context, page } = await open(browser, "member");
    await page.goto("/console");
    const text = await page.content();
    check(text.includes(world.inbox) && !text.includes("invoices@"), "the member sees other inboxes");
    await page.goto(INBOX);
    await reply(page, "Photos of the damage", "Maria here.");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    const answer = await page.goto("/console/inboxes/invoices@inboxd.localhost");
    check([403, 404].includes(answer.status()), `the inbox of others answers ${answer.status()}`);
    await shows(page, "Back");
    await context.close();
    return () => eventually("the reply leaves", () => sent("Re: Photos of the damage"), 25);
  },
});
