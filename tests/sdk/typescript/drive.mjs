// Calls every method of this version with the unmodified TypeScript client, without retries.

import assert from "node:assert/strict";
import { AgentMail, AgentMailError } from "agentmail";
import { driveApps } from "./apps.mjs";
import { check, record } from "./every.mjs";
import { drivePods } from "./pods.mjs";
import { driveWebhooks } from "./webhooks.mjs";
import { driveStream } from "./stream.mjs";
import { codeOf, connect, receive, refused } from "./support.mjs";

// agent
const newcomer = connect("none yet");
const methods = record(newcomer);
const signedUp = await newcomer.agent.signUp({ humanEmail: "owner@example.org", username: "scout" });
const inbox = signedUp.inboxId;
await refused(AgentMailError, 409, "account_exists", () =>
  newcomer.agent.signUp({ humanEmail: "owner@example.org", username: "other" }));
const agent = connect(signedUp.apiKey);
await refused(AgentMailError, 403, "organization_unverified", () =>
  agent.inboxes.messages.send(inbox, { to: "grace@example.net", text: "x" }));
await refused(AgentMailError, 429, "inbox_limit_reached", () => agent.inboxes.create());
assert.equal((await agent.agent.verify({ otpCode: await codeOf("owner@example.org") })).verified, true);
await refused(AgentMailError, 409, "already_verified", () => agent.agent.verify({ otpCode: "000000" }));
await refused(AgentMailError, 401, "unknown_api_key", () => newcomer.inboxes.list());

// auth, organizations
assert.equal((await agent.auth.me()).organizationId, signedUp.organizationId);
assert.equal((await agent.organizations.get()).inboxLimit, 3);

// inboxes
const bare = await agent.inboxes.create();
const request = { username: "desk", displayName: "The desk", clientId: "desk-1", metadata: { a: "1" } };
const desk = await agent.inboxes.create(request);
assert.deepEqual(await agent.inboxes.create(request), desk);
assert.deepEqual(await agent.inboxes.get(desk.inboxId), desk);
assert.ok(desk.createdAt instanceof Date);
assert.equal((await agent.inboxes.update(desk.inboxId, { displayName: "A desk" })).displayName, "A desk");
const page = await agent.inboxes.list({ limit: 2 });
const rest = await agent.inboxes.list({ limit: 2, pageToken: page.nextPageToken });
assert.deepEqual([page.count, rest.count, rest.nextPageToken], [2, 1, undefined]);
await agent.inboxes.delete(bare.inboxId);
await refused(AgentMail.NotFoundError, 404, "not_found", () => agent.inboxes.get(bare.inboxId));

// messages: reading
const messages = agent.inboxes.messages;
await receive(inbox, "Lunch?", "<a/b+c%d@example.net>");
await receive(inbox, "Dinner?", "<dinner@example.net>");
const filter = { labels: ["unread", "received"], from: ["grace"], subject: ["lunch"], limit: 10 };
const [item] = (await messages.list(inbox, filter)).messages;
assert.deepEqual([item.messageId, item.preview], ["<a/b+c%d@example.net>", "Shall we meet at noon?"]);
assert.equal((await messages.list(inbox, { after: item.timestamp, before: item.timestamp })).count, 0);
assert.equal((await messages.search(inbox, { q: "LUNCH" })).messages[0].messageId, item.messageId);
const message = await messages.get(inbox, item.messageId);
assert.deepEqual([message.from, message.extractedText.trim()], ["Grace <grace@example.net>", "Shall we meet at noon?"]);
const got = await messages.batchGet(inbox, { messageIds: [item.messageId, "<nobody@example.net>"] });
assert.deepEqual([got.count, got.messages[0].subject], [1, "Lunch?"]);
const [attachment] = message.attachments;
assert.equal(attachment.filename, "file.bin");
const file = await messages.getAttachment(inbox, message.messageId, attachment.attachmentId);
assert.equal(await (await fetch(file.downloadUrl)).text(), "binary");
const raw = await messages.getRaw(inbox, message.messageId);
assert.match(await (await fetch(raw.downloadUrl)).text(), /Subject: Lunch\?/);
await refused(AgentMail.NotFoundError, 404, "not_found", () => messages.get(inbox, "<nobody@example.net>"));

// messages: labels
const labelled = await messages.update(inbox, message.messageId, { addLabels: ["todo"], removeLabels: ["unread"] });
assert.deepEqual(labelled.labels, ["received", "todo"]);
const batch = await messages.batchUpdate(inbox, { messageIds: ["<dinner@example.net>"], addLabels: ["todo"] });
assert.deepEqual(batch.updates[0].labels, ["received", "todo", "unread"]);
await refused(AgentMailError, 422, "system_label", () =>
  messages.update(inbox, message.messageId, { addLabels: ["sent"] }));

// label history
const history = await agent.inboxes.events.list(inbox, { ascending: true });
assert.deepEqual(history.events.map((event) => [event.eventType, event.label]),
  [["label.removed", "unread"], ["label.added", "todo"], ["label.added", "todo"]]);
assert.equal(history.events[0].messageId, message.messageId);
assert.ok(history.events[0].eventAt instanceof Date && history.events[0].podId.startsWith("pod_"));

// messages: sending
const content = Buffer.from("a file").toString("base64");
const sent = await messages.send(inbox, {
  to: ["grace@example.net"], cc: "carol@example.net", bcc: ["dave@example.net"], replyTo: "answers@example.net",
  subject: "Offer", text: "An offer.", html: "<p>An offer.</p>", labels: ["campaign"], headers: { "X-Campaign": "spring" },
  attachments: [{ filename: "a.txt", contentType: "text/plain", content }],
});
assert.equal((await messages.get(inbox, sent.messageId)).attachments[0].filename, "a.txt");
const keyed = { maxRetries: 0, headers: { "Idempotency-Key": "offer-2" } };
const sendOnce = (to) => messages.send(inbox, { to, text: "Once." }, keyed);
const first = await sendOnce("grace@example.net");
assert.deepEqual(await sendOnce("grace@example.net"), first);
await refused(AgentMailError, 409, "conflict", () => sendOnce("bob@example.net"));
assert.equal((await messages.reply(inbox, message.messageId, { text: "Gladly." })).threadId, message.threadId);
assert.equal((await messages.replyAll(inbox, message.messageId, { text: "To all." })).threadId, message.threadId);
const forwarded = await messages.forward(inbox, message.messageId, { to: ["bob@example.net"], text: "See below." });
assert.notEqual(forwarded.threadId, message.threadId);
await refused(AgentMailError, 422, "validation_error", () => messages.send(inbox, { text: "to nobody" }));

// drafts
const drafts = agent.inboxes.drafts;
const tomorrow = new Date(Date.now() + 86_400_000);
const draft = await drafts.create(inbox, {
  to: ["bob@example.net"], subject: "Draft", text: "A draft.", labels: ["mine"], clientId: "draft-1", sendAt: tomorrow,
  attachments: [{ filename: "a.txt", content }],
});
assert.equal(draft.sendStatus, "scheduled");
assert.deepEqual([...draft.labels].sort(), ["draft", "mine", "scheduled"]);
assert.equal(draft.sendAt.getTime(), tomorrow.getTime());
assert.equal((await drafts.create(inbox, { clientId: "draft-1" })).draftId, draft.draftId);
assert.deepEqual((await drafts.list(inbox, { labels: ["mine"] })).drafts.map((one) => one.draftId), [draft.draftId]);
assert.deepEqual((await agent.drafts.list({ ascending: true })).drafts.map((one) => one.draftId), [draft.draftId]);
assert.deepEqual(await drafts.get(inbox, draft.draftId), await agent.drafts.get(draft.draftId));
const attached = draft.attachments[0].attachmentId;
assert.ok((await drafts.getAttachment(inbox, draft.draftId, attached)).downloadUrl);
assert.ok((await agent.drafts.getAttachment(draft.draftId, attached)).downloadUrl);
const changed = await drafts.update(inbox, draft.draftId, {
  sendAt: null, cc: ["carol@example.net"], subject: null, removeAttachments: [attached], addLabels: ["hot"],
});
assert.deepEqual([changed.sendStatus, changed.subject, changed.attachments], [undefined, undefined, undefined]);
assert.deepEqual(changed.cc, ["carol@example.net"]);
const gone = await drafts.send(inbox, draft.draftId, { removeLabels: ["mine"] });
assert.ok((await messages.get(inbox, gone.messageId)).labels.includes("hot"));
await refused(AgentMail.NotFoundError, 404, "not_found", () => drafts.get(inbox, draft.draftId));
const answer = await drafts.create(inbox, { inReplyTo: message.messageId, text: "Yes." });
assert.deepEqual([answer.subject, answer.inReplyTo], ["Re: Lunch?", message.messageId]);
await drafts.delete(inbox, answer.draftId);

// threads
const threads = agent.inboxes.threads;
assert.equal((await threads.list(inbox, { labels: ["todo"], senders: ["grace"] })).count, 2);
const thread = await threads.get(inbox, message.threadId);
assert.deepEqual(thread.messages.map((message) => message.subject), ["Lunch?", "Re: Lunch?", "Re: Lunch?"]);
assert.equal((await threads.search(inbox, { q: "offer" })).threads[0].threadId, sent.threadId);
assert.ok((await threads.getAttachment(inbox, message.threadId, attachment.attachmentId)).downloadUrl);
const relabelled = await threads.update(inbox, message.threadId, { addLabels: ["done"], removeLabels: ["todo"] });
assert.ok(relabelled.labels.includes("done"));
await threads.delete(inbox, sent.threadId);
await refused(AgentMail.NotFoundError, 404, "not_found", () => threads.get(inbox, sent.threadId));
await messages.delete(inbox, message.messageId);
await refused(AgentMail.NotFoundError, 404, "not_found", () => messages.get(inbox, message.messageId));

// lists
const { podId } = await agent.inboxes.get(inbox);
for (const [lists, ...whose] of [[agent.lists], [agent.pods.lists, podId], [agent.inboxes.lists, inbox]]) {
  const entry = await lists.create(...whose, "send", "block", { entry: "A+%/b@Blocked.example", reason: "no" });
  assert.equal(entry.entry, "a+%/b@blocked.example");
  assert.deepEqual([entry.entryType, entry.readOnly, entry.podId], ["email", false, whose.length ? podId : undefined]);
  assert.deepEqual(await lists.get(...whose, "send", "block", entry.entry), entry);
  assert.deepEqual((await lists.list(...whose, "send", "block", { limit: 1 })).entries, [entry]);
  await refused(AgentMailError, 409, "already_exists", () => lists.create(...whose, "send", "block", { entry: entry.entry }));
  await refused(AgentMailError, 403, "recipient_blocked", () => messages.send(inbox, { to: entry.entry, text: "x" }));
  await lists.delete(...whose, "send", "block", entry.entry);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => lists.get(...whose, "send", "block", entry.entry));
}
// domains
const domain = await agent.domains.create({ domain: "Example.ORG", subdomainsEnabled: true });
assert.deepEqual([domain.domain, domain.status, domain.trackingEnabled], ["example.org", "NOT_STARTED", false]);
assert.equal(domain.records.length, 5);
const wildcard = domain.records.find((record) => record.name === "*.example.org");
assert.deepEqual([wildcard.type, wildcard.priority, wildcard.status], ["MX", 10, "MISSING"]);
await refused(AgentMailError, 409, "already_exists", () => agent.domains.create({ domain: "example.org" }));
await refused(AgentMailError, 429, "domain_limit_reached", () => agent.domains.create({ domain: "other.example" }));
await refused(AgentMailError, 422, "validation_error", () => agent.domains.create({ domain: "192.0.2.1" }));
assert.deepEqual((await agent.domains.list({ limit: 1 })).domains.map((item) => item.domainId), [domain.domainId]);
const narrowed = await agent.domains.update(domain.domainId, { feedbackEnabled: false, subdomainsEnabled: false });
assert.deepEqual([narrowed.feedbackEnabled, narrowed.records.length], [false, 4]);
await agent.domains.verify(domain.domainId);
assert.equal((await agent.domains.get(domain.domainId)).status, "PENDING");
const zone = Buffer.from(await (await agent.domains.getZoneFile(domain.domainId)).arrayBuffer()).toString();
assert.match(zone, /inboxd\._domainkey\.example\.org\. IN TXT/);
await refused(AgentMailError, 403, "domain_not_verified", () => agent.inboxes.create({ domain: "example.org" }));
await agent.domains.delete(domain.domainId);
await refused(AgentMail.NotFoundError, 404, "not_found", () => agent.domains.get(domain.domainId));

// metrics
const counts = await agent.metrics.queryEvents({ eventTypes: ["message.received", "message.sent"], period: 60 });
assert.equal(counts["message.received"].reduce((sum, bucket) => sum + bucket.count, 0), 2);
assert.ok(counts["message.sent"][0].timestamp instanceof Date && !("message.bounced" in counts));
assert.deepEqual(await agent.inboxes.metrics.queryEvents(desk.inboxId, { descending: true, limit: 1 }), {});
const usage = await agent.metrics.queryUsage({ usageTypes: ["inbox_count", "pod_count"] });
assert.deepEqual(Object.entries(usage).map(([kind, points]) => [kind, points.at(-1).value]),
  [["inbox_count", 2], ["pod_count", 1]]);
assert.equal((await agent.inboxes.metrics.queryUsage(desk.inboxId)).message_count.at(-1).value, 0);
await refused(AgentMailError, 422, "validation_error", () => agent.metrics.queryEvents({ period: 59 }));

// API keys
const made = await agent.apiKeys.create({ name: "reader", permissions: { messageRead: true } });
const reader = connect(made.apiKey);
assert.ok((await reader.inboxes.messages.list(inbox)).count > 0);
await refused(AgentMailError, 403, "missing_permission", () => reader.inboxes.create());
assert.equal((await agent.apiKeys.get(made.apiKeyId)).name, "reader");
assert.equal((await agent.apiKeys.update(made.apiKeyId, { name: "a reader" })).name, "a reader");
const ofInbox = await agent.inboxes.apiKeys.create(desk.inboxId, { name: "desk" });
await refused(AgentMailError, 403, "inbox_out_of_scope", () => connect(ofInbox.apiKey).inboxes.get(inbox));
assert.deepEqual((await agent.inboxes.apiKeys.list(desk.inboxId)).apiKeys.map((key) => key.name), ["desk"]);
assert.equal((await agent.inboxes.apiKeys.update(desk.inboxId, ofInbox.apiKeyId, { name: "a desk" })).name, "a desk");
assert.deepEqual((await agent.apiKeys.list()).apiKeys.slice(0, 2).map((key) => key.name), ["a desk", "a reader"]);
await agent.inboxes.apiKeys.delete(desk.inboxId, ofInbox.apiKeyId);
await agent.apiKeys.delete(made.apiKeyId);
await refused(AgentMailError, 401, "unknown_api_key", () => reader.inboxes.messages.list(inbox));
await driveWebhooks(agent, inbox);
await drivePods(agent, inbox);
await driveStream(agent, inbox, signedUp.apiKey);
await driveApps(agent, inbox);
check(methods);
console.log("the TypeScript client did everything");
