// The whole flow with the unmodified TypeScript SDKs: `flow.mjs sdk`, `flow.mjs client legacy|auto|VERSION`.

import assert from "node:assert/strict";
import { authorize, call, CALLBACK, content, failure, field, INBOX, MCP, revokeConnection } from "./support.mjs";

const [which, mode = "legacy"] = process.argv.slice(2);
const isSdk = which === "sdk";
const path = isSdk ? "@modelcontextprotocol/sdk/client" : "@modelcontextprotocol/client";
const { Client } = await import(isSdk ? `${path}/index.js` : path);
const { StreamableHTTPClientTransport } = await import(isSdk ? `${path}/streamableHttp.js` : path);
const { UnauthorizedError } = await import(isSdk ? `${path}/auth.js` : path);
const name = `TypeScript ${which} ${mode}`;

/** Stores the client and its tokens in memory, and remembers the URL that the browser opens. */
class Provider {
  asked = [];
  redirectUrl = CALLBACK;
  clientMetadata = {
    client_name: name, redirect_uris: [CALLBACK], grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"], token_endpoint_auth_method: isSdk ? "client_secret_basic" : "none",
  };
  state = () => "a state with spaces & signs";
  clientInformation = () => this.client;
  saveClientInformation = (client) => void (this.client = client);
  tokens = () => this.stored;
  saveTokens = (tokens) => void (this.stored = tokens);
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => void (this.verifier = verifier);
  redirectToAuthorization = (url) => void this.asked.push(url);
  discoveryState = () => this.discovered;
  saveDiscoveryState = (state) => void (this.discovered = state);
  invalidateCredentials(scope) {
    if (scope === "all" || scope === "client") this.client = undefined;
    if (scope === "all" || scope === "tokens") this.stored = undefined;
  }
}

const provider = new Provider();
let transport;

/** The person allows what was asked last; the client exchanges the code. */
async function allow() {
  const given = await authorize(provider.asked.at(-1), name);
  assert.equal(given.get("state"), provider.state());
  assert.equal(given.get("iss"), new URL(MCP).origin);
  await (isSdk ? transport.finishAuth(given.get("code")) : transport.finishAuth(given));
}

async function connect() {
  const versions = { legacy: "legacy", auto: "auto" };
  const client = new Client(
    { name: "inboxd test", version: "1" },
    isSdk ? {} : { versionNegotiation: { mode: versions[mode] ?? { pin: mode } } },
  );
  transport = new StreamableHTTPClientTransport(new URL(MCP), { authProvider: provider });
  await client.connect(transport);
  return client;
}

// The first connection asks for an authorization. A pinned client sends nothing before its first request.
async function connected() {
  try {
    const client = await connect();
    await client.listTools();
    return client;
  } catch (error) {
    assert.ok(error instanceof UnauthorizedError, error.stack);
    await allow();
    return await connect();
  }
}

const client = await connected();
assert.equal(provider.asked.length, 1);
const first = provider.asked[0].searchParams;
assert.equal(first.get("resource"), MCP);
assert.deepEqual(first.get("scope").split(" ").sort(), ["mail:draft", "mail:manage", "mail:read", "mail:send"]);
const revision = isSdk ? transport.protocolVersion : client.getNegotiatedProtocolVersion();
assert.equal(revision, isSdk || mode === "legacy" ? "2025-11-25" : "2026-07-28");
assert.equal(provider.stored.expires_in <= 3600, true);

const { tools } = await client.listTools();
for (const tool of tools) {
  for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) {
    assert.equal(typeof tool.annotations[hint], "boolean", `${tool.name} ${hint}`);
  }
}
assert.ok(tools.some((tool) => tool.name === "reply_to_message"));
assert.ok(JSON.stringify(content(await client.callTool({ name: "list_inboxes", arguments: {} }))).includes(INBOX));
const listed = content(await client.callTool({ name: "list_messages", arguments: { inboxId: INBOX } }));
assert.ok(JSON.stringify(listed).includes("untrusted"));
const found = { inboxId: INBOX, messageId: field(listed, "message_id") };
const message = content(await client.callTool({ name: "get_message", arguments: found }));
assert.equal(field(message, "subject"), field(listed, "subject"));
const none = { inboxId: INBOX, messageId: "<none@example.net>" };
const refusal = await call("GET", `/v0/inboxes/${INBOX}/messages/${encodeURIComponent(none.messageId)}`);
const text = failure(await client.callTool({ name: "get_message", arguments: none }));
assert.ok(text.includes(refusal.body.fix), text);

// The access token ends early: the client gets 401 and refreshes.
const granted = provider.stored;
provider.stored = { ...granted, access_token: "am_ended" };
content(await client.callTool({ name: "list_inboxes", arguments: {} }));
assert.notEqual(provider.stored.access_token, granted.access_token);
assert.notEqual(provider.stored.refresh_token, granted.refresh_token);
assert.equal(provider.stored.scope, granted.scope);
assert.equal(provider.asked.length, 1, "a refresh needs no person");

// A tool beyond the token.
const more = { name: "create_inbox", arguments: { displayName: name } };
if (isSdk) {
  // This version refreshes where it should ask the person, and then gives up.
  await assert.rejects(client.callTool(more), /after trying upscoping/);
} else {
  await assert.rejects(client.callTool(more), UnauthorizedError);
  assert.equal(provider.asked.length, 2);
  const scopes = provider.asked[1].searchParams.get("scope").split(" ");
  assert.ok(scopes.includes("inboxes:manage") && scopes.includes("mail:send"), scopes.join(" "));
  await allow();
  const { inboxes } = (await call("GET", "/v0/inboxes")).body;
  assert.ok(!inboxes.some((inbox) => inbox.display_name === name), "the refused call changed something");
  const created = content(await client.callTool(more));
  assert.equal((await call("DELETE", `/v0/inboxes/${field(created, "inbox_id")}`)).status < 300, true);
}

// The person revokes the connection: the next call is refused, and so is the refresh token.
const { refresh_token } = provider.stored;
const { client_id, client_secret } = provider.client;
assert.ok((await revokeConnection(name)) >= 1);
const before = provider.asked.length;
await assert.rejects(client.callTool({ name: "list_inboxes", arguments: {} }), UnauthorizedError);
assert.equal(provider.asked.length, before + 1, "the client asks for a new authorization");
assert.equal(provider.client.client_id, client_id, "the client stays registered");
const { token_endpoint } = (await call("GET", "/.well-known/oauth-authorization-server", { key: null })).body;
const form = { grant_type: "refresh_token", refresh_token, client_id, ...(client_secret && { client_secret }) };
const refused = await call("POST", token_endpoint, { key: null, form });
assert.deepEqual([refused.status, refused.body.error], [400, "invalid_grant"]);
await client.close().catch(() => {});
console.log("ok", name);
process.exit(0);
