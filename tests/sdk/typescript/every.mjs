// Records the client methods that a script calls, and calls the remaining ones.

import assert from "node:assert/strict";

// Methods that wire.md does not offer, and telemetry of the client: their paths do not exist.
const notOffered = [
  "accounts", "agent.attachHuman", "apps", "domains.getSetupLink", "inboxes.accounts", "inboxes.authorize",
  "inboxes.calendar", "inboxes.files", "inboxes.metrics.queryRates", "inboxes.search",
  "inboxes.webhooks.polling", "metrics.queryRates", "organizations.getLabs", "organizations.joinLabs", "pods.accounts",
  "pods.inboxes.search", "pods.metrics.queryRates", "pods.webhooks.polling", "providers", "webhooks.polling",
];

// A body with the fields that some methods require.
const anything = { q: "x", url: "x", eventTypes: ["message.received"], humanEmail: "x", authToken: "x" };

const within = (names, method) => names.some((name) => method === name || method.startsWith(`${name}.`));
const called = new Set();

// Yields every method of every resource below a client.
function* methods(client, path = []) {
  for (let prototype = Object.getPrototypeOf(client); prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype)) {
    for (const [key, { get, value: method }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (key.startsWith("_") || key === "constructor") continue;
      if (get) yield* methods(client[key], [...path, key]);
      else if (path.length > 0 && typeof method === "function") yield { name: [...path, key].join("."), method, key, prototype };
    }
  }
}

// Makes every method record its calls.
export function record(client) {
  const every = [...methods(client)];
  for (const { name, method, key, prototype } of every) {
    prototype[key] = function (...args) {
      called.add(name);
      return method.apply(this, args);
    };
  }
  return every;
}

// Requires that each offered method was called, and that each other one returns 404 in the envelope.
export async function check(client, every) {
  const offered = every.filter(({ name }) => !within(notOffered, name));
  assert.deepEqual(offered.map(({ name }) => name).filter((name) => !called.has(name)), [], "never called");
  for (const { name, method } of every.filter(({ name }) => within(notOffered, name))) {
    const resource = name.split(".").slice(0, -1).reduce((found, part) => found[part], client);
    // No parameter makes the path exist.
    const [, parameters] = method.toString().match(/\(([^)]*?)(?:,? ?requestOptions)?\)/);
    const values = parameters.split(", ").filter(Boolean).map((parameter) => (parameter.startsWith("request") ? anything : "x"));
    await assert.rejects(async () => method.apply(resource, values), (error) => {
      assert.equal(error.statusCode, 404, `${name}: ${error}`);
      assert.equal(error.body.code, "route_not_found", name);
      for (const field of ["name", "message", "fix", "docs"]) assert.ok(error.body[field], `${name}: ${field}`);
      return true;
    });
  }
}
