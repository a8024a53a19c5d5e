"""A strict OAuth client in Python: the code flow with Authlib, for each way to authenticate a client."""

import json
import os

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

import browser
import support

CALLBACK = "http://127.0.0.1:33418/callback"
SCOPE = "mail:read mail:send"

status, headers, described = support.call("GET", "/.well-known/oauth-authorization-server", key=None)
assert status == 200 and headers.get_content_type() == "application/json", (status, headers)
metadata = AuthorizationServerMetadata(described)
# Authlib demands https for every endpoint; all other rules of RFC 8414 are checked.
text = json.dumps(described).replace('"http://', '"https://')
AuthorizationServerMetadata(json.loads(text)).validate()
assert support.call("GET", "/.well-known/openid-configuration", key=None)[2] == described

for method in ("client_secret_basic", "client_secret_post", "none"):
    name = f"Authlib {method}"
    body = {"client_name": name, "redirect_uris": [CALLBACK], "token_endpoint_auth_method": method, "scope": SCOPE}
    status, _, client = support.call("POST", metadata["registration_endpoint"], body, key=None)
    assert status == 201, client
    assert None not in client.values(), client

    def connect(**more):
        return OAuth2Client(
            client["client_id"], client.get("client_secret"), token_endpoint_auth_method=method, redirect_uri=CALLBACK,
            scope=SCOPE, code_challenge_method="S256", token_endpoint=metadata["token_endpoint"],
            revocation_endpoint_auth_method=method, **more,
        )

    session, verifier = connect(), generate_token(48)
    url, state = session.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, resource=support.MCP
    )
    redirect = browser.Person(support.OWNER).authorize(url, client=name)
    assert browser.parameters(redirect)["state"] == state
    token = session.fetch_token(
        metadata["token_endpoint"], authorization_response=redirect, code_verifier=verifier, state=state
    )
    assert set(token["scope"].split()) == set(SCOPE.split()), token
    assert session.get(support.BASE + "/v0/inboxes").status_code == 200

    # An ended token is refreshed before the call.
    session.token["expires_at"] = 1
    assert session.get(support.BASE + "/v0/inboxes").status_code == 200
    assert session.token["refresh_token"] != token["refresh_token"]
    assert session.token["access_token"] != token["access_token"]

    # The code was used: its replay is refused and revokes what it issued.
    try:
        connect().fetch_token(
            metadata["token_endpoint"], authorization_response=redirect, code_verifier=verifier, state=state
        )
        raise AssertionError("a code was used twice")
    except OAuthError as error:
        assert error.error == "invalid_grant", error
    assert session.get(support.BASE + "/v0/inboxes").status_code == 401

    # RFC 7009.
    session, verifier = connect(), generate_token(48)
    url, state = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
    redirect = browser.Person(support.OWNER).authorize(url, client=name)
    session.fetch_token(metadata["token_endpoint"], authorization_response=redirect, code_verifier=verifier)
    answer = session.revoke_token(
        metadata["revocation_endpoint"], session.token["refresh_token"], token_type_hint="refresh_token"
    )
    assert answer.status_code == 200, answer.text
    assert session.get(support.BASE + "/v0/inboxes").status_code == 401
print("ok Authlib")
