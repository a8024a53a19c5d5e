"""An invited person connects a chat client: organization, role and inboxes of the invitation, until the removal."""

import asyncio

import browser
import support
from sdk import Connection, content, refused

EMAIL = "maria@example.org"
NAME = "Chat client of a teammate"


async def main():
    invitation = {"email": EMAIL, "role": "member", "inbox_ids": [support.INBOX]}
    status, _, member = support.call("POST", "/v0/members", invitation)
    assert status == 200, member
    status, _, other = support.call("POST", "/v0/inboxes", {"username": "other"})
    assert status == 200, other

    organization = support.call("GET", "/v0/auth/me")[2]["organization_id"]
    connection = Connection(browser.Person(EMAIL), NAME, "auto", "none", organization=organization)
    async with connection.session() as (session, _):
        inboxes = support.strings(content(await session.call_tool("list_inboxes", {})))
        assert support.INBOX in inboxes and other["inbox_id"] not in inboxes, inboxes
        sent = content(await session.call_tool("send_message", {
            "inboxId": support.INBOX, "to": ["ada@outside.example"], "subject": "From Maria", "text": "Hello",
        }))
        assert support.field(sent, "message_id"), sent

        # What her role does not allow, no consent can give: she is not asked.
        try:
            result = await session.call_tool("delete_inbox", {"inboxId": support.INBOX})
            assert getattr(result, "is_error", None), result
        except Exception as error:
            assert not isinstance(error, AssertionError), error
        assert len(connection.asked) == 1, connection.asked
    assert support.call("GET", f"/v0/inboxes/{support.INBOX}")[0] == 200

    token = connection.storage.tokens.access_token
    status, _, me = support.call("GET", "/v0/auth/me", key=token)
    assert (status, me["email"], me["role"]) == (200, EMAIL, "member"), me
    assert me["organization_id"] == organization, me
    mine = support.connections(support.sign_in(connection.person))
    assert [entry["connection_id"] for entry in mine] == [
        entry["connection_id"] for entry in support.connections() if NAME in str(entry)
    ], mine

    # The removal ends the connection with the membership.
    assert support.call("DELETE", f"/v0/members/{member['member_id']}")[0] == 204
    assert support.call("GET", "/v0/inboxes", key=token)[0] == 401
    connection.is_open = False

    async def next_call():
        async with connection.session() as (session, _):
            content(await session.call_tool("list_inboxes", {}))

    await refused(next_call())
    assert len(connection.asked) == 2, "the client asks for a new authorization"
    assert not [entry for entry in support.connections() if NAME in str(entry) and not entry.get("revoked_at")]


asyncio.run(main())
print("ok", NAME)
