"""Reads events over the WebSocket of the unmodified Python client, synchronously and asynchronously."""

import asyncio

from agentmail import AsyncAgentMail, MessageReceivedEvent, MessageSentEvent, Subscribe, Subscribed
from agentmail.environment import AgentMailEnvironment
from agentmail.websockets.types.error import Error
from websockets.exceptions import InvalidStatus

from support import URL, connect, receive


def drive(agent, inbox, key):
    with agent.websockets.connect() as socket:
        socket.send_subscribe(Subscribe(event_types=["message.received"], inbox_ids=[inbox]))
        subscribed = socket.recv()
        assert isinstance(subscribed, Subscribed), subscribed
        assert (subscribed.event_types, subscribed.inbox_ids) == (["message.received"], [inbox]), subscribed
        receive(inbox, "Stream", "<stream@example.net>")
        first = socket.recv()
        assert isinstance(first, MessageReceivedEvent), first
        assert (first.message.subject, first.thread.inbox_id, first.event_id[:4]) == ("Stream", inbox, "evt_"), first
        socket.send_subscribe(Subscribe(event_types=["message.flown"]))
        refused = socket.recv()
        assert isinstance(refused, Error) and (refused.name, refused.code) == ("BadRequestError", "unknown_event_type"), refused
    # A subscription after the last event receives the events that occurred without a subscriber.
    sent = agent.inboxes.messages.send(inbox, to="grace@example.net", text="Meanwhile.")
    receive(inbox, "Stream again", "<stream-again@example.net>")
    with agent.websockets.connect(api_key=key) as socket:
        socket.send_subscribe(Subscribe(after_event_id=first.event_id, event_types=["message.received", "message.sent"]))
        assert isinstance(socket.recv(), Subscribed)
        told = [event for _, event in zip(range(2), socket)]
        assert isinstance(told[0], MessageSentEvent) and told[0].send.message_id == sent.message_id, told
        assert isinstance(told[1], MessageReceivedEvent) and told[1].message.subject == "Stream again", told
    try:
        with connect("am_unknown").websockets.connect():
            raise AssertionError("a key that does not exist is let in")
    except InvalidStatus as error:
        assert error.response.status_code == 401, error
    asyncio.run(follow(inbox, key))


async def follow(inbox, key):
    server = AgentMailEnvironment(http=URL, websockets=URL.replace("http", "ws", 1))
    async with AsyncAgentMail(api_key=key, environment=server).websockets.connect() as socket:
        await socket.send_subscribe(Subscribe())
        assert isinstance(await socket.recv(), Subscribed)
        await asyncio.to_thread(receive, inbox, "Stream, asynchronously", "<stream-async@example.net>")
        event = await socket.recv()
        assert isinstance(event, MessageReceivedEvent) and event.message.subject == "Stream, asynchronously", event
