"""Webhooks of an organization, an inbox and a pod, through the client."""

from agentmail.core.api_error import ApiError
from agentmail.errors import NotFoundError

from support import ONCE, refused

URL = "https://hooks.example.invalid/inboxd"


def drive(agent, inbox):
    """Calls the webhook methods for a verified organization on the free plan, which permits two webhooks."""
    pod = agent.inboxes.get(inbox, request_options=ONCE).pod_id
    everywhere(agent, inbox, pod)
    below(agent.inboxes.webhooks, inbox)
    below(agent.pods.webhooks, pod)
    made = agent.inboxes.webhooks.create(inbox, url=URL, event_types=["message.sent"], request_options=ONCE)
    assert (made.inbox_id, made.pod_id) == (inbox, pod), made
    of_pod = agent.pods.webhooks.create(
        pod, url=URL, event_types=["message.sent"], inbox_ids=[inbox], request_options=ONCE
    )
    assert (of_pod.pod_id, of_pod.inbox_id, of_pod.inbox_ids) == (pod, None, [inbox]), of_pod
    fewer = agent.pods.webhooks.update(pod, of_pod.webhook_id, remove_inbox_ids=[inbox], request_options=ONCE)
    assert fewer.inbox_ids == [], "it listens to nothing rather than to everything"
    more = agent.pods.webhooks.update(pod, of_pod.webhook_id, add_inbox_ids=[inbox], request_options=ONCE)
    assert more.inbox_ids == [inbox], more
    refused(ApiError, 429, "webhook_limit_reached", agent.webhooks.create, url=URL, event_types=["message.sent"])
    for webhook in agent.webhooks.list(request_options=ONCE).webhooks:
        agent.webhooks.delete(webhook.webhook_id, request_options=ONCE)
    assert agent.organizations.get(request_options=ONCE).webhook_count == 0


def everywhere(agent, inbox, pod):
    asked = dict(
        url=URL, event_types=["message.received", "message.bounced"], inbox_ids=[inbox], pod_ids=[pod],
        client_id="hook-1", headers={"X-Team": "a"}, request_options=ONCE,
    )
    made = agent.webhooks.create(**asked)
    assert made.secret.startswith("whsec_") and made.enabled and made.url == URL, made
    assert (made.event_types, made.inbox_ids, made.pod_ids) == (asked["event_types"], [inbox], [pod]), made
    again = agent.webhooks.create(**asked)
    assert (again.webhook_id, again.secret) == (made.webhook_id, ""), again
    assert agent.webhooks.get(made.webhook_id, request_options=ONCE).secret == ""
    assert [w.webhook_id for w in agent.webhooks.list(limit=1, request_options=ONCE).webhooks] == [made.webhook_id]
    changed = agent.webhooks.update(
        made.webhook_id, event_types=["message.sent"], enabled=False, remove_pod_ids=[pod], request_options=ONCE
    )
    assert (changed.event_types, changed.enabled, changed.pod_ids) == (["message.sent"], False, []), changed
    changed = agent.webhooks.update(made.webhook_id, enabled=True, add_pod_ids=[pod], request_options=ONCE)
    assert changed.enabled and changed.pod_ids == [pod], changed
    headers(agent.webhooks, made.webhook_id)
    refused(ApiError, 400, "unknown_event_type", agent.webhooks.create, url=URL, event_types=["message.teleported"])
    refused(
        ApiError, 422, "validation_error", agent.webhooks.create, url="http://127.0.0.1/", event_types=["message.sent"]
    )
    agent.webhooks.delete(made.webhook_id, request_options=ONCE)
    refused(NotFoundError, 404, "not_found", agent.webhooks.get, made.webhook_id)


def below(webhooks, place):
    """Calls the webhook methods below an inbox or a pod."""
    made = webhooks.create(place, url=URL, event_types=["message.sent"], headers={"X-Team": "a"}, request_options=ONCE)
    assert made.secret.startswith("whsec_"), made
    assert webhooks.get(place, made.webhook_id, request_options=ONCE).webhook_id == made.webhook_id
    assert [w.webhook_id for w in webhooks.list(place, request_options=ONCE).webhooks] == [made.webhook_id]
    assert webhooks.update(place, made.webhook_id, enabled=False, request_options=ONCE).enabled is False
    headers(webhooks, place, made.webhook_id)
    webhooks.delete(place, made.webhook_id, request_options=ONCE)
    refused(NotFoundError, 404, "not_found", webhooks.get, place, made.webhook_id)


def headers(webhooks, *path):
    assert webhooks.get_headers(*path, request_options=ONCE).header_names == ["X-Team"]
    webhooks.update_headers(*path, headers={"X-Desk": "b"}, remove_headers=["x-team"], request_options=ONCE)
    assert webhooks.get_headers(*path, request_options=ONCE).header_names == ["X-Desk"]
    refused(ApiError, 422, "validation_error", webhooks.update_headers, *path, headers={"Host": "x"})
