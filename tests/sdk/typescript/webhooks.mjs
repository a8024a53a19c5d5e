// Webhooks of an organization, an inbox and a pod, through the client.

import assert from "node:assert/strict";
import { AgentMail, AgentMailError } from "agentmail";
import { refused } from "./support.mjs";

const url = "https://hooks.example.invalid/inboxd";
const ids = (items) => items.map((item) => item.webhookId);

// Calls the webhook methods for a verified organization on the free plan, which permits two webhooks.
export async function driveWebhooks(agent, inbox) {
  const { podId: pod } = await agent.inboxes.get(inbox);
  await everywhere(agent, inbox, pod);
  await below(agent.inboxes.webhooks, inbox);
  await below(agent.pods.webhooks, pod);
  // This client does not show the filters of a webhook.
  const made = await agent.inboxes.webhooks.create(inbox, { url, eventTypes: ["message.sent"] });
  assert.deepEqual(ids((await agent.inboxes.webhooks.list(inbox)).webhooks), [made.webhookId]);
  const ofPod = await agent.pods.webhooks.create(pod, { url, eventTypes: ["message.sent"], inboxIds: [inbox] });
  assert.deepEqual(ofPod.inboxIds, [inbox]);
  assert.deepEqual(ids((await agent.pods.webhooks.list(pod)).webhooks), [ofPod.webhookId, made.webhookId]);
  const fewer = await agent.pods.webhooks.update(pod, ofPod.webhookId, { removeInboxIds: [inbox] });
  assert.deepEqual(fewer.inboxIds, [], "it listens to nothing rather than to everything");
  const more = await agent.pods.webhooks.update(pod, ofPod.webhookId, { addInboxIds: [inbox] });
  assert.deepEqual(more.inboxIds, [inbox]);
  const third = () => agent.webhooks.create({ url, eventTypes: ["message.sent"] });
  await refused(AgentMailError, 429, "webhook_limit_reached", third);
  for (const id of ids((await agent.webhooks.list()).webhooks)) await agent.webhooks.delete(id);
  assert.equal((await agent.organizations.get()).webhookCount ?? 0, 0);
}

async function everywhere(agent, inbox, pod) {
  const eventTypes = ["message.received", "message.bounced"];
  const asked = { url, eventTypes, inboxIds: [inbox], podIds: [pod], clientId: "hook-1", headers: { "X-Team": "a" } };
  const made = await agent.webhooks.create(asked);
  assert.match(made.secret, /^whsec_/);
  assert.deepEqual([made.url, made.enabled, made.eventTypes], [url, true, eventTypes]);
  assert.deepEqual([made.inboxIds, made.podIds], [[inbox], [pod]]);
  const again = await agent.webhooks.create(asked);
  assert.deepEqual([again.webhookId, again.secret], [made.webhookId, ""]);
  assert.equal((await agent.webhooks.get(made.webhookId)).secret, "");
  assert.deepEqual(ids((await agent.webhooks.list({ limit: 1 })).webhooks), [made.webhookId]);
  // This client sends no `enabled`.
  const fewer = await agent.webhooks.update(made.webhookId, { eventTypes: ["message.sent"], removePodIds: [pod] });
  assert.deepEqual([fewer.eventTypes, fewer.enabled, fewer.podIds], [["message.sent"], true, []]);
  const more = await agent.webhooks.update(made.webhookId, { addPodIds: [pod] });
  assert.deepEqual([more.eventTypes, more.podIds], [["message.sent"], [pod]]);
  await headers(agent.webhooks, made.webhookId);
  // The client refuses unknown types; a type that is never emitted is stored.
  const remembered = await agent.webhooks.create({ url, eventTypes: ["message.opened"] });
  assert.deepEqual(remembered.eventTypes, ["message.opened"]);
  await agent.webhooks.delete(remembered.webhookId);
  const inside = () => agent.webhooks.create({ url: "http://127.0.0.1/", eventTypes: ["message.sent"] });
  await refused(AgentMailError, 422, "validation_error", inside);
  await agent.webhooks.delete(made.webhookId);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => agent.webhooks.get(made.webhookId));
}

// Calls the webhook methods below an inbox or a pod.
async function below(webhooks, place) {
  const made = await webhooks.create(place, { url, eventTypes: ["message.sent"], headers: { "X-Team": "a" } });
  assert.match(made.secret, /^whsec_/);
  assert.equal((await webhooks.get(place, made.webhookId)).webhookId, made.webhookId);
  assert.deepEqual(ids((await webhooks.list(place)).webhooks), [made.webhookId]);
  const changed = await webhooks.update(place, made.webhookId, { eventTypes: ["message.bounced"] });
  assert.deepEqual(changed.eventTypes, ["message.bounced"]);
  await headers(webhooks, place, made.webhookId);
  await webhooks.delete(place, made.webhookId);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => webhooks.get(place, made.webhookId));
}

async function headers(webhooks, ...path) {
  assert.deepEqual((await webhooks.getHeaders(...path)).headerNames, ["X-Team"]);
  await webhooks.updateHeaders(...path, { headers: { "X-Desk": "b" }, removeHeaders: ["x-team"] });
  assert.deepEqual((await webhooks.getHeaders(...path)).headerNames, ["X-Desk"]);
  const host = () => webhooks.updateHeaders(...path, { headers: { Host: "x" } });
  await refused(AgentMailError, 422, "validation_error", host);
}
