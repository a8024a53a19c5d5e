"""Verifies deliveries with the receiver libraries of Standard Webhooks and Svix."""

import json
import sys

import standardwebhooks
import svix.webhooks

with open(sys.argv[1], encoding="utf-8") as file:
    deliveries = json.load(file)


def accepts(library, secret, headers, body):
    try:
        library(secret).verify(body.encode(), headers)
        return True
    except (standardwebhooks.webhooks.WebhookVerificationError, svix.webhooks.WebhookVerificationError):
        return False


for delivery in deliveries:
    headers, body = delivery["headers"], delivery["body"]
    names = {"webhook": standardwebhooks.Webhook, "svix": svix.webhooks.Webhook}
    for prefix, library in names.items():
        fields = {f"{prefix}-{name}": headers[f"{prefix}-{name}"] for name in ("id", "timestamp", "signature")}
        for secret in delivery["secrets"]:
            assert accepts(library, secret, fields, body), (prefix, secret, fields)
            assert not accepts(library, secret, fields, body + " ")
            assert not accepts(library, secret, {**fields, f"{prefix}-id": "evt_0"}, body)
        for secret in delivery["strangers"]:
            assert not accepts(library, secret, fields, body), (prefix, secret)
print(len(deliveries))
