"""What a connection with the widest scopes never makes: keys, members and webhooks, which would outlive its token."""

import urllib.parse

from authlib.common.security import generate_token
from authlib.integrations.httpx_client import OAuth2Client

import browser
import support

CALLBACK = "http://127.0.0.1:33418/callback"
NAME = "Client with all scopes"
SCOPE = "mail:read mail:draft mail:send mail:manage inboxes:manage admin"

metadata = support.call("GET", "/.well-known/oauth-authorization-server", key=None)[2]
body = {"client_name": NAME, "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
status, _, client = support.call("POST", metadata["registration_endpoint"], body, key=None)
assert status == 201, client
session = OAuth2Client(
    client["client_id"], token_endpoint_auth_method="none", redirect_uri=CALLBACK, scope=SCOPE,
    code_challenge_method="S256",
)
verifier = generate_token(48)
url, _ = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
redirect = browser.Person(support.OWNER).authorize(url, client=NAME)
token = session.fetch_token(metadata["token_endpoint"], authorization_response=redirect, code_verifier=verifier)
assert "admin" in token["scope"].split(), token["scope"]

# What exists, made by the owner.
status, _, key = support.call("POST", "/v0/api-keys", {"name": "before"})
assert status == 200, key
status, _, member = support.call("POST", "/v0/members", {"email": "maria@example.org", "role": "member"})
assert status == 200, member
status, _, webhook = support.call("POST", "/v0/webhooks", {"url": "https://8.8.8.8/hook"})
assert status == 200, webhook
LISTS = ["/v0/api-keys", "/v0/members", "/v0/webhooks"]


def state():
    """Returns keys, members and webhooks without the times of use."""
    lists = [support.call("GET", path + "?limit=100")[2] for path in LISTS]
    kept = ("id", "email", "role", "name", "url", "permissions", "inbox_ids", "event_types")
    entries = [entry for found in lists for value in found.values() if isinstance(value, list) for entry in value]
    return [{name: value for name, value in entry.items() if name.endswith(kept)} for entry in entries]


before = state()
organization = support.call("GET", "/v0/auth/me")[2]["organization_id"]
api_key, hook = f"/v0/api-keys/{key['api_key_id']}", f"/v0/webhooks/{webhook['webhook_id']}"
inbox = "/v0/inboxes/" + urllib.parse.quote(support.INBOX)
new_hook = {"url": "https://1.1.1.1/stolen"}
for method, path, body in [
    ("POST", "/v0/api-keys", {"name": "made"}),
    ("POST", inbox + "/api-keys", {"name": "made"}),
    ("PATCH", api_key, {"name": "changed"}),
    ("POST", "/v0/members", {"email": "mallory@example.net", "role": "admin"}),
    ("PATCH", f"/v0/members/{member['member_id']}", {"role": "admin"}),
    ("POST", "/v0/webhooks", new_hook),
    ("POST", inbox + "/webhooks", new_hook),
    ("PATCH", hook, {"event_types": ["message.sent"]}),
    ("PATCH", hook + "/headers", {"headers": {"X-Stolen": "1"}}),
    ("POST", hook + "/rotate-secret", {}),
    ("DELETE", api_key, None),
    ("DELETE", f"/v0/members/{member['member_id']}", None),
    ("DELETE", hook, None),
    ("POST", "/v0/auth/switch", {"organization_id": organization}),
]:
    status, headers, refusal = support.call(method, path, body, key=token["access_token"])
    assert status == 403, (method, path, status, refusal)
    # No wider token helps: the client is not sent to the person for one.
    assert "insufficient_scope" not in (headers.get("WWW-Authenticate") or ""), (method, path, headers)
    assert refusal["fix"], refusal
assert state() == before, (before, state())
print("ok", NAME)
