// Records the client methods that a script calls.

import assert from "node:assert/strict";

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

// Requires that each method was called.
export function check(every) {
  assert.deepEqual(every.map(({ name }) => name).filter((name) => !called.has(name)), [], "never called");
}
