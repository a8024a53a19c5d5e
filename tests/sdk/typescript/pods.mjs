// Pods and their collections, and threads and metrics of all inboxes, through the client.

import assert from "node:assert/strict";
import { AgentMail, AgentMailError } from "agentmail";
import { connect, receive, refused } from "./support.mjs";

const ids = (items, id) => items.map((item) => item[id]);

// Calls the pod methods for a verified organization that has an inbox with mail outside the new pod.
export async function drivePods(agent, outside) {
  const { podId: pod } = await agent.pods.create({ name: "Acme", clientId: "acme" });
  assert.equal((await agent.pods.create({ clientId: "acme" })).podId, pod);
  assert.equal((await agent.pods.get(pod)).name, "Acme");
  assert.equal((await agent.pods.list()).pods[0].podId, pod);
  await keys(agent, pod, outside);
  const inbox = await inboxes(agent, pod, outside);
  await threads(agent, pod, inbox);
  await drafts(agent, pod, inbox);
  await domains(agent, pod);
  await metrics(agent, pod, inbox);
  await refused(AgentMailError, 409, "cannot_delete", () => agent.pods.delete(pod));
  await agent.pods.inboxes.delete(pod, inbox);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => agent.inboxes.get(inbox));
  await agent.pods.delete(pod);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => agent.pods.get(pod));
}

async function keys(agent, pod, outside) {
  const made = await agent.pods.apiKeys.create(pod, { name: "pod" });
  assert.equal(made.podId, pod);
  await refused(AgentMailError, 403, "pod_out_of_scope", () => connect(made.apiKey).inboxes.get(outside));
  assert.equal((await connect(made.apiKey).inboxes.list()).count, 0);
  assert.equal((await agent.pods.apiKeys.update(pod, made.apiKeyId, { name: "renamed" })).name, "renamed");
  assert.deepEqual(ids((await agent.pods.apiKeys.list(pod)).apiKeys, "name"), ["renamed"]);
  await agent.pods.apiKeys.delete(pod, made.apiKeyId);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => agent.apiKeys.get(made.apiKeyId));
}

async function inboxes(agent, pod, outside) {
  const made = await agent.pods.inboxes.create(pod, { username: "acme", displayName: "Acme" });
  assert.deepEqual([made.podId, made.displayName], [pod, "Acme"]);
  assert.deepEqual(await agent.pods.inboxes.get(pod, made.inboxId), made);
  assert.equal((await agent.pods.inboxes.update(pod, made.inboxId, { displayName: "ACME" })).displayName, "ACME");
  assert.deepEqual(ids((await agent.pods.inboxes.list(pod)).inboxes, "inboxId"), [made.inboxId]);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => agent.pods.inboxes.get(pod, outside));
  return made.inboxId;
}

async function threads(agent, pod, inbox) {
  await receive(inbox, "Breakfast?", "<breakfast@example.net>");
  const ofPod = agent.pods.threads;
  const [listed] = (await ofPod.list(pod, { senders: ["grace"] })).threads;
  assert.deepEqual([listed.inboxId, listed.subject], [inbox, "Breakfast?"]);
  const everywhere = (await agent.threads.list()).threads;
  assert.equal(everywhere[0].threadId, listed.threadId);
  assert.ok(new Set(ids(everywhere, "inboxId")).size > 1);
  assert.deepEqual(ids((await ofPod.search(pod, { q: "breakfast" })).threads, "threadId"), [listed.threadId]);
  assert.ok((await agent.threads.search({ q: "dinner" })).count > 0);
  assert.equal((await ofPod.search(pod, { q: "dinner" })).count, 0);
  for (const [whose, ...path] of [[ofPod, pod, listed.threadId], [agent.threads, listed.threadId]]) {
    const { messages } = await whose.get(...path);
    assert.deepEqual(ids(messages, "subject"), ["Breakfast?"]);
    const [attachment] = messages[0].attachments;
    assert.equal((await whose.getAttachment(...path, attachment.attachmentId)).size, attachment.size);
    assert.ok((await whose.update(...path, { addLabels: ["kept"] })).labels.includes("kept"));
  }
  await ofPod.delete(pod, listed.threadId);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => ofPod.get(pod, listed.threadId));
  const elsewhere = everywhere[1].threadId;
  await refused(AgentMail.NotFoundError, 404, "not_found", () => ofPod.get(pod, elsewhere));
  await agent.threads.delete(elsewhere);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => agent.threads.get(elsewhere));
}

async function drafts(agent, pod, inbox) {
  const attachments = [{ filename: "a.txt", content: "YQ==" }];
  const made = await agent.inboxes.drafts.create(inbox, { text: "Soon.", attachments });
  assert.deepEqual(ids((await agent.pods.drafts.list(pod)).drafts, "draftId"), [made.draftId]);
  assert.deepEqual(await agent.pods.drafts.get(pod, made.draftId), made);
  const { attachmentId } = made.attachments[0];
  assert.equal((await agent.pods.drafts.getAttachment(pod, made.draftId, attachmentId)).size, 1);
}

async function domains(agent, pod) {
  const ofPod = agent.pods.domains;
  const made = await ofPod.create(pod, { domain: "acme.example" });
  assert.deepEqual([made.domain, made.podId], ["acme.example", pod]);
  assert.deepEqual(ids((await ofPod.list(pod)).domains, "domainId"), [made.domainId]);
  assert.equal((await ofPod.update(pod, made.domainId, { subdomainsEnabled: true })).subdomainsEnabled, true);
  await ofPod.verify(pod, made.domainId);
  assert.equal((await ofPod.get(pod, made.domainId)).status, "PENDING");
  const zone = Buffer.from(await (await ofPod.getZoneFile(pod, made.domainId)).arrayBuffer()).toString();
  assert.match(zone, /acme\.example\. IN MX/);
  await ofPod.delete(pod, made.domainId);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => ofPod.get(pod, made.domainId));
}

async function metrics(agent, pod, inbox) {
  const start = new Date(Date.now() - 3_600_000);
  const received = (await agent.metrics.queryEvents({ start, period: "3600" }))["message.received"];
  assert.equal(received.reduce((sum, bucket) => sum + bucket.count, 0), 3);
  for (const [whose, path] of [[agent.pods.metrics, pod], [agent.inboxes.metrics, inbox]]) {
    const counts = await whose.queryEvents(path, { eventTypes: ["message.received"] });
    assert.deepEqual(Object.keys(counts), ["message.received"]);
    assert.deepEqual(ids(counts["message.received"], "count"), [1]);
    await refused(AgentMailError, 422, "validation_error", () => whose.queryEvents(path, { period: "59" }));
    const usage = await whose.queryUsage(path, { usageTypes: ["message_count"] });
    assert.equal(usage.message_count.at(-1).value, 0);
  }
  assert.equal((await agent.metrics.queryUsage()).inbox_count.at(-1).value, 3);
}
