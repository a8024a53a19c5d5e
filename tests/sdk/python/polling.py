"""Calls the polling webhooks of the organization, a pod and an inbox through the client."""

from agentmail.errors import NotFoundError

from support import ONCE, refused


def drive(agent, inbox):
    pod = agent.inboxes.get(inbox, request_options=ONCE).pod_id
    for of, path in [(agent, ()), (agent.pods, (pod,)), (agent.inboxes, (inbox,))]:
        polling = of.webhooks.polling
        name = f"reader-{len(path)}-{of is agent.pods}"
        made = polling.create(*path, client_id=name, event_types=["message.received"], request_options=ONCE)
        assert made.token.startswith("poll_"), made
        again = polling.create(*path, client_id=name, event_types=["message.received"], request_options=ONCE)
        assert again.webhook_id == made.webhook_id and again.token != made.token, again
        assert [one.client_id for one in polling.list(*path, request_options=ONCE).polling_webhooks] == [name]
        assert polling.get(*path, made.webhook_id, request_options=ONCE).event_types == ["message.received"]
        polling.delete(*path, made.webhook_id, request_options=ONCE)
        refused(NotFoundError, 404, "not_found", polling.get, *path, made.webhook_id)
