// The pictures of the documentation. INBOXD_PICTURES names the folder that gets them.

import { mkdirSync } from "node:fs";
import { api, check, deliver, open, run, world } from "./lib.mjs";

const INBOX = `/console/inboxes/${encodeURIComponent(world.inbox)}`;
const MAILS = [
  ["Priya Raman <priya@fabrikam.example>", "Delivery to the wrong address", "The parcel went to our old office. Can you send it again?"],
  ["Jonas Weber <jonas@contoso.example>", "Quote for 40 seats", "We would like to move 40 people to the business plan in January. What would that cost?"],
  ["Mei Tanaka <mei@tailspin.example>", "Contract renewal", "Signed. The countersigned copy should reach us before the end of the month."],
  ["Sam Okafor <sam@adatum.example>", "Cannot sign in since this morning", "It says that my account is locked. I have changed nothing."],
  ["Lena Fischer <lena@proseware.example>", "Feedback on the new export", "The CSV export is great. Could it keep the order of the columns?"],
];
/** Subjects with labels and assignee. */
const MARKS = [["Quote for 40 seats", ["sales"]], ["Cannot sign in since this morning", ["urgent"]]];

async function fill() {
  for (const [from, subject, text] of MAILS) await deliver({ from, subject, text });
  const { threads } = await api("GET", `/v0/inboxes/${world.inbox}/threads?limit=20`);
  const named = (subject) => `/v0/inboxes/${world.inbox}/threads/${threads.find((thread) => thread.subject === subject).thread_id}`;
  for (const [subject, labels] of MARKS) await api("PATCH", named(subject), { add_labels: labels });
  for (const subject of ["Contract renewal", "Feedback on the new export"]) {
    await api("PATCH", named(subject), { remove_labels: ["unread"] });
  }
}

/** Goes to a page, checks its heading and takes its picture. */
async function take(page, name, path, heading, prepare = async () => {}) {
  await page.goto(path);
  await prepare(page);
  const found = (await page.locator("h1").innerText()).trim();
  check(found === heading, `${name}: ${path} is "${found}"`);
  const folder = process.env.INBOXD_PICTURES;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png` });
}

async function write(page) {
  await page.getByLabel("To", { exact: true }).fill("Alice Smith <alice@outside.example>, accounting@outside.example");
  await page.getByLabel("Subject", { exact: true }).fill("Corrected invoice 4711");
  await page.getByLabel("Message", { exact: true }).fill("Dear Alice,\n\nhere is the corrected invoice: ten licences, as ordered.\n\nKind regards\nAda");
  await page.getByText("Saved.").waitFor();
}

await run({
  async pictures(browser) {
    await fill();
    const { context, page } = await open(browser, "owner", { reducedMotion: "reduce" });
    const [{ domain_id: domain }] = (await api("GET", "/v0/domains")).domains;
    await take(page, "start", "/console", "Inboxes");
    await take(page, "inbox", INBOX, world.inbox);
    await take(page, "thread", `${INBOX}/threads/${world.thread_id}`, "Invoice 4711 is wrong");
    await take(page, "drafts", "/console/drafts", "Drafts");
    await take(page, "compose", `${INBOX}/compose`, "New message", write);
    await take(page, "connections", "/console/connections", "Connections");
    await take(page, "events", "/console/events", "Events", (page) => page.locator("ol.events summary").first().click());
    await take(page, "domain", `/console/domains/${domain}`, "agents.northwind.example");
    await take(page, "usage", "/console/usage", "Usage");
    await page.setViewportSize({ width: 360, height: 740 });
    await take(page, "phone", INBOX, world.inbox);
    await context.close();
  },
});
