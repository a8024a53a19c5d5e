// Verifies deliveries with the receiver libraries of Standard Webhooks and Svix.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as standard from "standardwebhooks";
import * as svix from "svix";

const deliveries = JSON.parse(readFileSync(process.argv[2], "utf8"));

for (const { headers, body, secrets, strangers } of deliveries) {
  for (const [prefix, library] of [["webhook", standard], ["svix", svix]]) {
    const names = ["id", "timestamp", "signature"].map((name) => `${prefix}-${name}`);
    const fields = Object.fromEntries(names.map((name) => [name, headers[name]]));
    const verify = (secret, fields, body) => new library.Webhook(secret).verify(body, fields);
    const refuses = (secret, fields, body) =>
      assert.throws(() => verify(secret, fields, body), library.WebhookVerificationError);
    for (const secret of secrets) {
      verify(secret, fields, body);
      refuses(secret, fields, `${body} `);
      refuses(secret, { ...fields, [`${prefix}-id`]: "evt_0" }, body);
    }
    for (const secret of strangers) refuses(secret, fields, body);
  }
}
console.log(deliveries.length);
