// Calls the methods of features that this service lacks, and those that find inboxes, through the client.

import assert from "node:assert/strict";
import { AgentMail, AgentMailError } from "agentmail";
import { refused } from "./support.mjs";

const nobody = "d5e9c84f-c2b2-4bf4-b4b0-7ffd7a9ffc32";

export async function driveApps(agent, inbox) {
  const found = await agent.inboxes.search({ q: inbox, limit: 2 });
  assert.equal(found.inboxes[0].inboxId, inbox);
  const { podId } = found.inboxes[0];
  assert.ok((await agent.pods.inboxes.search(podId, { q: inbox.slice(0, 4) })).count >= 1);

  assert.deepEqual((await agent.providers.list()).providers, []);
  assert.equal((await agent.providers.search({ q: "fire" })).count, 0);
  assert.deepEqual((await agent.providers.listAccounts("firecrawl")).accounts, []);
  assert.deepEqual((await agent.accounts.list()).accounts, []);
  await refused(AgentMail.NotFoundError, 404, "not_found", () => agent.providers.get("firecrawl"));
  await refused(AgentMail.NotFoundError, 404, "not_found", () => agent.accounts.get(nobody));
  await refused(AgentMailError, 403, "not_offered", () => agent.providers.connect("firecrawl", {}));
  await refused(AgentMailError, 403, "not_offered", () => agent.inboxes.authorize(inbox, { authToken: "x" }));

  const { domainId } = await agent.domains.create({ domain: "one-click.example" });
  assert.equal((await agent.domains.getSetupLink(domainId)).supported, false);
  await agent.domains.delete(domainId);
}
