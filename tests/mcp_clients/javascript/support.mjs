// Common helpers of the scripts: the browser, calls of the API, and checks of results.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

export const BASE = process.env.INBOXD_URL;
export const MCP = `${BASE}/mcp`;
export const INBOX = process.env.INBOXD_INBOX;
export const CALLBACK = "http://127.0.0.1:33418/callback";

/** Opens an authorization URL as the owner, decides, and returns the parameters of the redirect. */
export async function authorize(url, client, decision = "allow") {
  const script = [process.env.INBOXD_BROWSER, process.env.INBOXD_OWNER, String(url), decision, client];
  const { stdout } = await promisify(execFile)("python3", script);
  const redirect = stdout.trim();
  assert.ok(redirect.startsWith(`${CALLBACK}?`), redirect);
  return new URL(redirect).searchParams;
}

/** Calls the API with the key of the owner; returns status, headers and JSON. */
export async function call(method, path, { body, form, key = process.env.INBOXD_KEY } = {}) {
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  if (body) headers["content-type"] = "application/json";
  const answer = await fetch(new URL(path, BASE), {
    method, headers, body: form ? new URLSearchParams(form) : body && JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : null };
}

/** Deletes the connections of the client with this name; returns their number. */
export async function revokeConnection(name) {
  const { body } = await call("GET", "/v0/connections?limit=100");
  const found = body.connections.filter((connection) => JSON.stringify(connection).includes(name));
  for (const { connection_id } of found) {
    assert.equal((await call("DELETE", `/v0/connections/${connection_id}`)).status, 204);
  }
  return found.length;
}

/** Returns the first field with this name, in camelCase or snake_case, at any depth. */
export function field(value, name) {
  if (value === null || typeof value !== "object") return undefined;
  const camel = name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  const own = value[name] ?? value[camel];
  return own ?? Object.values(value).map((each) => field(each, name)).find((found) => found !== undefined);
}

/** Returns the structured content of a successful result; the text must hold the same. */
export function content(result) {
  assert.ok(!result.isError, JSON.stringify(result));
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

/** Returns the text of a refusal, which has no structured content. */
export function failure(result) {
  assert.equal(result.isError, true, JSON.stringify(result));
  assert.equal(result.structuredContent, undefined, JSON.stringify(result));
  return result.content[0].text;
}
