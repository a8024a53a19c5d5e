// A strict OAuth client: metadata, registration, code, refresh, revocation and errors with oauth4webapi.

import assert from "node:assert/strict";
import * as oauth from "oauth4webapi";
import { authorize, BASE, call, CALLBACK, INBOX, MCP } from "./support.mjs";

const insecure = { [oauth.allowInsecureRequests]: true };
const discovery = { ...insecure, algorithm: "oauth2" };

// From the URL of the resource to the authorization server, as a client that knows nothing else.
const refused = await fetch(MCP, { method: "POST" });
assert.equal(refused.status, 401);
const resource = new URL(MCP);
const described = await oauth.processResourceDiscoveryResponse(
  resource, await oauth.resourceDiscoveryRequest(resource, insecure),
);
assert.ok(refused.headers.get("www-authenticate").includes("/.well-known/oauth-protected-resource/mcp"));
const issuer = new URL(described.authorization_servers[0]);
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, discovery));
assert.equal(server.issuer, BASE);
assert.equal(server.authorization_response_iss_parameter_supported, true);
assert.deepEqual(server.code_challenge_methods_supported, ["S256"]);

/** Registers a client and returns it with its authentication. */
async function register(method) {
  const metadata = { client_name: `oauth4webapi ${method}`, redirect_uris: [CALLBACK] };
  if (method !== "default") metadata.token_endpoint_auth_method = method;
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, metadata, insecure),
  );
  assert.equal(client.token_endpoint_auth_method, method === "default" ? "client_secret_basic" : method);
  assert.deepEqual(client.redirect_uris, [CALLBACK]);
  const secret = client.client_secret;
  const authentication = {
    default: () => oauth.ClientSecretBasic(secret),
    client_secret_basic: () => oauth.ClientSecretBasic(secret),
    client_secret_post: () => oauth.ClientSecretPost(secret),
    none: () => (assert.equal(secret, undefined), oauth.None()),
  }[method]();
  return [client, authentication];
}

/** Builds an authorization URL. */
async function authorizationUrl(client, verifier, state, change = {}) {
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    client_id: client.client_id, redirect_uri: CALLBACK, response_type: "code", state, resource: MCP,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256", ...change,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value);
  return url;
}

/** Exchanges a code. */
const exchange = (client, authentication, parameters, verifier, more = { resource: MCP }) =>
  oauth.authorizationCodeGrantRequest(server, client, authentication, parameters, CALLBACK, verifier, {
    ...insecure, additionalParameters: more,
  });

/** Requires an OAuth error with this code. */
async function fails(promise, code, status) {
  const error = await promise.then(() => assert.fail(`no ${code}`), (error) => error);
  const told = error.error ?? error.cause?.get?.("error") ?? error.cause?.[0]?.parameters?.error;
  if (error instanceof oauth.WWWAuthenticateChallengeError) assert.equal(error.status, 401, error.stack);
  else assert.equal(told, code, error.stack);
  if (status) assert.equal(error.status ?? error.response?.status, status);
}

for (const method of ["default", "client_secret_post", "none"]) {
  const [client, authentication] = await register(method);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const url = await authorizationUrl(client, verifier, state, { scope: "mail:read mail:draft" });
  const given = oauth.validateAuthResponse(server, client, await authorize(url, client.client_name), state);
  const tokens = await oauth.processAuthorizationCodeResponse(
    server, client, await exchange(client, authentication, given, verifier),
  );
  assert.equal(tokens.token_type, "bearer");
  assert.deepEqual(tokens.scope.split(" ").sort(), ["mail:draft", "mail:read"]);
  const inboxes = await oauth.protectedResourceRequest(
    tokens.access_token, "GET", new URL("/v0/inboxes", BASE), undefined, undefined, insecure,
  );
  assert.equal(inboxes.status, 200);

  // What the token may not do is a challenge that names the scope.
  const sent = { to: ["ada@outside.example"], subject: "x", text: "x" };
  const challenged = await oauth.protectedResourceRequest(
    tokens.access_token, "POST", new URL(`/v0/inboxes/${INBOX}/messages/send`, BASE),
    new Headers({ "content-type": "application/json" }), JSON.stringify(sent), insecure,
  ).then(() => assert.fail("sent"), (error) => error);
  assert.ok(challenged instanceof oauth.WWWAuthenticateChallengeError, challenged.stack);
  assert.equal(challenged.status, 403);
  const { parameters } = challenged.cause.find(({ scheme }) => scheme === "bearer");
  assert.equal(parameters.error, "insufficient_scope");
  assert.ok(parameters.scope.split(" ").includes("mail:send"), parameters.scope);
  assert.ok(parameters.resource_metadata.startsWith(`${BASE}/.well-known/oauth-protected-resource`));

  const refresh = (token, more) =>
    oauth.refreshTokenGrantRequest(server, client, authentication, token, { ...insecure, additionalParameters: more });
  const again = await oauth.processRefreshTokenResponse(server, client, await refresh(tokens.refresh_token));
  assert.notEqual(again.refresh_token, tokens.refresh_token);
  const narrow = await oauth.processRefreshTokenResponse(
    server, client, await refresh(again.refresh_token, { scope: "mail:read" }),
  );
  assert.equal(narrow.scope, "mail:read");
  const wider = async () =>
    oauth.processRefreshTokenResponse(server, client, await refresh(narrow.refresh_token, { scope: "admin" }));
  await fails(wider(), "invalid_scope", 400);

  // The code was used: its replay is refused and ends what it issued.
  const replay = async () =>
    oauth.processAuthorizationCodeResponse(server, client, await exchange(client, authentication, given, verifier));
  await fails(replay(), "invalid_grant", 400);
  assert.equal((await call("GET", "/v0/inboxes", { key: narrow.access_token })).status, 401);

  // RFC 7009: the refresh token ends the grant; an unknown token is no error.
  const second = oauth.generateRandomCodeVerifier();
  const next = await authorize(await authorizationUrl(client, second, "two"), client.client_name);
  const other = await oauth.processAuthorizationCodeResponse(
    server, client,
    await exchange(client, authentication, oauth.validateAuthResponse(server, client, next, "two"), second, {}),
  );
  assert.deepEqual(other.scope.split(" ").sort(), ["mail:draft", "mail:manage", "mail:read", "mail:send"]);
  for (const token of [other.refresh_token, "unknown"]) {
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, authentication, token, insecure),
    );
  }
  assert.equal((await call("GET", "/v0/inboxes", { key: other.access_token })).status, 401);

  if (method !== "none") {
    const wrong = oauth.ClientSecretPost("wrong");
    const use = async () =>
      oauth.processAuthorizationCodeResponse(server, client, await exchange(client, wrong, given, verifier));
    await fails(use(), "invalid_client", 401);
  }
}

// Errors of the authorization endpoint reach the client with `state` and `iss`.
const [client] = await register("none");
const verifier = oauth.generateRandomCodeVerifier();
for (const [change, code] of [
  [{ code_challenge: null, code_challenge_method: null }, "invalid_request"],
  [{ code_challenge_method: "plain" }, "invalid_request"],
  [{ code_challenge_method: null }, "invalid_request"],
  [{ response_type: "token" }, "unsupported_response_type"],
  [{ scope: "unheard:of" }, "invalid_scope"],
  [{ resource: "https://elsewhere.example/mcp" }, "invalid_target"],
]) {
  const answer = await fetch(await authorizationUrl(client, verifier, "s", change), { redirect: "manual" });
  assert.ok([302, 303].includes(answer.status), `${JSON.stringify(change)}: ${answer.status}`);
  const location = new URL(answer.headers.get("location"));
  assert.throws(
    () => oauth.validateAuthResponse(server, client, location.searchParams, "s"),
    (error) => error instanceof oauth.AuthorizationResponseError && error.error === code,
    `${JSON.stringify(change)}: ${location}`,
  );
}
const denied = await authorize(await authorizationUrl(client, verifier, "s"), client.client_name, "deny");
assert.throws(
  () => oauth.validateAuthResponse(server, client, denied, "s"),
  (error) => error.error === "access_denied",
);
console.log("ok oauth4webapi");
