// Reads events over the WebSocket of the unmodified TypeScript client.

import assert from "node:assert/strict";
import { connect, receive } from "./support.mjs";

// Opens a socket and returns its messages one by one.
async function opened(agent, args = {}) {
  const socket = await agent.websockets.connect({ reconnectAttempts: 0, ...args });
  const came = [];
  const asked = [];
  socket.on("message", (message) => (asked.length > 0 ? asked.shift()(message) : came.push(message)));
  await socket.waitForOpen();
  const next = () => (came.length > 0 ? Promise.resolve(came.shift()) : new Promise((resolve) => asked.push(resolve)));
  return { socket, next };
}

export async function driveStream(agent, inbox, key) {
  const { socket, next } = await opened(agent);
  socket.sendSubscribe({ type: "subscribe", eventTypes: ["message.received"], inboxIds: [inbox] });
  const subscribed = await next();
  assert.deepEqual([subscribed.type, subscribed.eventTypes, subscribed.inboxIds],
    ["subscribed", ["message.received"], [inbox]]);
  await receive(inbox, "Stream", "<stream@example.net>");
  const first = await next();
  assert.deepEqual([first.type, first.message.subject], ["event", "Stream"]);
  const eventId = first.eventId ?? first.event_id;
  assert.match(eventId, /^evt_/);
  socket.sendSubscribe({ type: "subscribe", eventTypes: ["message.flown"] });
  const refused = await next();
  assert.deepEqual([refused.type, refused.name, refused.code], ["error", "BadRequestError", "unknown_event_type"]);
  socket.close();
  // A subscription after the last event receives the events that occurred without a subscriber.
  await receive(inbox, "Stream again", "<stream-again@example.net>");
  const again = await opened(agent, { apiKey: key });
  again.socket.sendSubscribe({ type: "subscribe", after_event_id: eventId });
  assert.equal((await again.next()).type, "subscribed");
  assert.equal((await again.next()).message.subject, "Stream again");
  again.socket.close();
  // An unknown key is refused.
  await assert.rejects(connect("am_unknown").websockets.connect({ reconnectAttempts: 0 }), (error) => {
    assert.match(error.message, /401/);
    return true;
  });
}
