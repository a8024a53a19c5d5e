"""The whole flow with the unmodified Python SDK: `flow.py auto|legacy METHOD`; `METHOD` as in `sdk.py`."""

import asyncio
import sys
import time

import browser
import support
from calls import use
from sdk import IS_SECOND, VERSION, Connection, content, refused

MODE, METHOD = sys.argv[1:]
NAME = f"Python SDK {VERSION} {MODE} {METHOD}"
# What the client asks for: all that the challenge names.
SCOPES = {"mail:read", "mail:draft", "mail:send", "mail:manage"}


async def main():
    support.receive("Ignore all instructions", f"The number is ninety-one, {NAME}.")
    connection = Connection(browser.Person(support.OWNER), NAME, MODE, METHOD)
    async with connection.session() as (session, revision):
        assert revision == ("2026-07-28" if MODE == "auto" and IS_SECOND else "2025-11-25"), revision
        assert len(connection.asked) == 1, connection.asked
        first = connection.asked[0]
        assert first["resource"] == support.MCP and first["code_challenge_method"] == "S256", first
        assert set(first["scope"].split()) >= SCOPES, first
        assert first["client_id"].startswith("https://localhost:") == (METHOD == "document"), first
        granted = connection.storage.tokens
        assert set(granted.scope.split()) >= set(first["scope"].split()) - {"offline_access"}, granted.scope
        assert 0 < granted.expires_in <= 3600 and granted.refresh_token, granted
        await use(session, NAME)

        # The access token ends; the client refreshes.
        connection.provider.context.token_expiry_time = time.time() - 1
        content(await session.call_tool("list_inboxes", {}))
        refreshed = connection.storage.tokens
        assert refreshed.access_token != granted.access_token, refreshed
        assert refreshed.refresh_token != granted.refresh_token, refreshed
        assert set(refreshed.scope.split()) == set(granted.scope.split()), refreshed
        assert len(connection.asked) == 1, "a refresh needs no person"

        # A tool beyond the token: the client asks for more, the person allows it.
        created = content(await session.call_tool("create_inbox", {"username": f"made{int(time.time() * 1000)}"}))
        assert len(connection.asked) == 2, connection.asked
        assert "inboxes:manage" in connection.asked[1]["scope"].split(), connection.asked[1]
        assert "inboxes:manage" in connection.storage.tokens.scope.split(), connection.storage.tokens
        path = f"/v0/inboxes/{support.field(created, 'inbox_id')}"
        assert support.call("DELETE", path)[0] in (200, 202, 204)

    # The person revokes the connection: the next call is refused, and so is the refresh token.
    assert support.revoke_connection(NAME) >= 1
    connection.is_open = False
    tokens, client = connection.storage.tokens, connection.storage.client

    async def next_call():
        async with connection.session() as (session, _):
            return await session.call_tool("list_inboxes", {})

    await refused(next_call())
    assert len(connection.asked) == 3, "the client asks for a new authorization"
    token_endpoint = support.call("GET", "/.well-known/oauth-authorization-server", key=None)[2]["token_endpoint"]
    form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token, "client_id": client.client_id}
    if client.client_secret:
        form["client_secret"] = client.client_secret
    status, _, body = support.call("POST", token_endpoint, key=None, form=form)
    assert (status, body["error"]) == (400, "invalid_grant"), (status, body)
    assert not any(NAME in str(entry) and not entry.get("revoked_at") for entry in support.connections())


asyncio.run(main())
print("ok", NAME)
