"""Calls of a connected session of the Python SDK, and what their results hold."""

import urllib.parse

import support
from sdk import attribute, content, failure, tools


async def use(session, name):
    """Lists the tools and calls some of them, as a client of this name."""
    listed = {tool.name: tool for tool in await tools(session)}
    unlisted = set(support.AGENTMAIL) - set(listed)
    # What needs another scope may be hidden; the rest of AgentMail's tools is there.
    assert unlisted <= {"create_inbox", "update_inbox", "delete_inbox", "agent_verify"}, unlisted
    assert len(listed) <= 40, len(listed)
    for tool in listed.values():
        hints = tool.annotations
        names = ["read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"]
        assert all(attribute(hints, name) is not None for name in names), tool
        assert tool.title or hints.title, tool

    inboxes = content(await session.call_tool("list_inboxes", {}))
    assert support.INBOX in support.strings(inboxes), inboxes
    messages = content(await session.call_tool("list_messages", {"inboxId": support.INBOX}))
    assert "Ignore all instructions" in support.strings(messages), messages
    assert any("untrusted" in text for text in support.strings(messages)), messages
    message_id = support.field(messages["messages"], "message_id")
    message = content(await session.call_tool("get_message", {"inboxId": support.INBOX, "messageId": message_id}))
    assert any("ninety-one" in text for text in support.strings(message)), message

    sent = content(await session.call_tool("send_message", {
        "inboxId": support.INBOX, "to": ["ada@outside.example"], "cc": ["bob@outside.example"],
        "subject": f"From {name}", "text": "Hello",
    }))
    status, _, mail = support.call(
        "GET", f"/v0/inboxes/{support.INBOX}/messages/" + urllib.parse.quote(support.field(sent, "message_id"))
    )
    assert status == 200 and mail["cc"] == ["bob@outside.example"] and mail["subject"] == f"From {name}", mail

    missing = await session.call_tool("get_message", {"inboxId": support.INBOX, "messageId": "<none@example.net>"})
    path = f"/v0/inboxes/{support.INBOX}/messages/" + urllib.parse.quote("<none@example.net>")
    assert support.call("GET", path)[2]["fix"] in failure(missing), missing
    assert failure(await session.call_tool("get_inbox", {})), "an absent argument is an error of the tool"
    page = await session.list_resource_templates()
    assert attribute(page, "resource_templates"), page
