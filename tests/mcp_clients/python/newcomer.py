"""What a new user does: one URL, a mailed code, consent for one inbox with drafts only, a reply, and the end of it."""

import asyncio

import browser
import support
from sdk import Connection, content, refused, tools

EMAIL = "nina@newcomer.example"
NAME = "Chat client of a newcomer"


async def main():
    person = browser.Person(EMAIL)
    assert not person.codes()
    connection = Connection(person, NAME, "auto", "none")

    # First with all that was asked for: the newcomer has an organization and an inbox at once.
    async with connection.session() as (session, _):
        listed = content(await session.call_tool("list_inboxes", {}))
        inbox = support.field(listed, "inbox_id")
        assert inbox and inbox != support.INBOX, listed
        content(await session.call_tool("connection_info", {}))
    key = support.sign_in(person)
    status, _, me = support.call("GET", "/v0/auth/me", key=key)
    assert (me["email"], me["role"]) == (EMAIL, "owner"), me
    status, _, second = support.call("POST", "/v0/inboxes", {"username": "second"}, key=key)
    assert status == 200, second

    # Then one inbox, with drafts only.
    narrow = Connection(
        person, NAME + " (narrow)", "auto", "none", access="draft", inboxes="chosen", inbox_ids=[inbox], lifetime="1"
    )
    support.receive("Lunch", "Shall we meet at noon?", inbox)
    async with narrow.session() as (session, _):
        granted = set(narrow.storage.tokens.scope.split())
        assert "mail:send" not in granted and "mail:manage" not in granted, granted
        names = {tool.name for tool in await tools(session)}
        assert {"list_messages", "get_message", "create_draft"} <= names, names
        shown = support.strings(content(await session.call_tool("list_inboxes", {})))
        assert inbox in shown and second["inbox_id"] not in shown, shown

        messages = content(await session.call_tool("list_messages", {"inboxId": inbox}))
        message_id = support.field(messages["messages"], "message_id")
        draft = content(await session.call_tool("create_draft", {
            "inboxId": inbox, "to": ["grace@example.net"], "subject": "Re: Lunch", "text": "Yes, at noon.",
            "inReplyTo": message_id,
        }))
        draft_id = support.field(draft, "draft_id")
        # The other inbox is not there.
        result = await session.call_tool("list_messages", {"inboxId": second["inbox_id"]})
        assert getattr(result, "is_error", None) or getattr(result, "isError", None), result

    # Sending needs a person: the client asks for more, and the person denies it.
    narrow.is_open = False
    for name, arguments in [
        ("send_draft", {"inboxId": inbox, "draftId": draft_id}),
        ("send_message", {"inboxId": inbox, "to": ["eve@outside.example"], "text": "Secrets"}),
        ("delete_thread", {"inboxId": inbox, "threadId": support.field(messages["messages"], "thread_id")}),
    ]:

        async def act():
            async with narrow.session() as (session, _):
                content(await session.call_tool(name, arguments))

        await refused(act())
    path = f"/v0/inboxes/{inbox}"
    _, _, sent = support.call("GET", f"{path}/messages?labels=sent", key=key)
    assert sent["count"] == 0, sent
    assert support.call("GET", f"{path}/drafts/{draft_id}", key=key)[0] == 200

    # The person sends the draft, and ends the connections; nothing works any more.
    status, _, done = support.call("POST", f"{path}/drafts/{draft_id}/send", {}, key=key)
    assert status == 200, done
    assert support.revoke_connection(NAME, key) >= 2
    connection.is_open = False
    for each in (connection, narrow):

        async def next_call():
            async with each.session() as (session, _):
                content(await session.call_tool("list_inboxes", {}))

        await refused(next_call())
        status, _, body = support.call("GET", "/v0/inboxes", key=each.storage.tokens.access_token)
        assert status == 401, body


asyncio.run(main())
print("ok", NAME)
