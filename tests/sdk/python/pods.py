"""Pods and their collections, and threads and metrics of all inboxes, through the client."""

import datetime

from agentmail.api_keys.types import CreateBearerApiKeyRequest
from agentmail.core.api_error import ApiError
from agentmail.errors import NotFoundError

from support import ONCE, connect, refused, receive


def drive(agent, outside):
    """Calls the pod methods for a verified organization that has an inbox with mail outside the new pod."""
    pod = agent.pods.create(name="Acme", client_id="acme", request_options=ONCE)
    assert agent.pods.create(client_id="acme", request_options=ONCE).pod_id == pod.pod_id
    assert agent.pods.get(pod.pod_id, request_options=ONCE).name == "Acme"
    assert agent.pods.list(request_options=ONCE).pods[0].pod_id == pod.pod_id
    keys(agent, pod.pod_id, outside)
    inbox = inboxes(agent, pod.pod_id, outside)
    threads(agent, pod.pod_id, inbox)
    drafts(agent, pod.pod_id, inbox)
    domains(agent, pod.pod_id)
    metrics(agent, pod.pod_id, inbox)
    refused(ApiError, 409, "cannot_delete", agent.pods.delete, pod.pod_id)
    agent.pods.inboxes.delete(pod.pod_id, inbox, request_options=ONCE)
    refused(NotFoundError, 404, "not_found", agent.inboxes.get, inbox)
    agent.pods.delete(pod.pod_id, request_options=ONCE)
    refused(NotFoundError, 404, "not_found", agent.pods.get, pod.pod_id)


def keys(agent, pod, outside):
    made = agent.pods.api_keys.create(pod, request=CreateBearerApiKeyRequest(name="pod"), request_options=ONCE)
    assert made.pod_id == pod, made
    refused(ApiError, 403, "pod_out_of_scope", connect(made.api_key).inboxes.get, outside)
    assert connect(made.api_key).inboxes.list(request_options=ONCE).count == 0
    assert agent.pods.api_keys.update(pod, made.api_key_id, name="renamed", request_options=ONCE).name == "renamed"
    assert [k.name for k in agent.pods.api_keys.list(pod, request_options=ONCE).api_keys] == ["renamed"]
    agent.pods.api_keys.delete(pod, made.api_key_id, request_options=ONCE)
    refused(NotFoundError, 404, "not_found", agent.api_keys.get, made.api_key_id)


def inboxes(agent, pod, outside):
    made = agent.pods.inboxes.create(pod, username="acme", display_name="Acme", request_options=ONCE)
    assert (made.pod_id, made.display_name) == (pod, "Acme"), made
    assert agent.pods.inboxes.get(pod, made.inbox_id, request_options=ONCE) == made
    updated = agent.pods.inboxes.update(pod, made.inbox_id, display_name="ACME", request_options=ONCE)
    assert updated.display_name == "ACME", updated
    assert [i.inbox_id for i in agent.pods.inboxes.list(pod, request_options=ONCE).inboxes] == [made.inbox_id]
    refused(NotFoundError, 404, "not_found", agent.pods.inboxes.get, pod, outside)
    return made.inbox_id


def threads(agent, pod, inbox):
    receive(inbox, "Breakfast?", "<breakfast@example.net>")
    of_pod = agent.pods.threads
    (listed,) = of_pod.list(pod, senders=["grace"], request_options=ONCE).threads
    assert (listed.inbox_id, listed.subject) == (inbox, "Breakfast?"), listed
    everywhere = agent.threads.list(request_options=ONCE).threads
    assert everywhere[0].thread_id == listed.thread_id and len({t.inbox_id for t in everywhere}) > 1, everywhere
    assert [t.thread_id for t in of_pod.search(pod, q="breakfast", request_options=ONCE).threads] == [listed.thread_id]
    assert agent.threads.search(q="dinner", request_options=ONCE).count > 0
    assert of_pod.search(pod, q="dinner", request_options=ONCE).count == 0
    for whose, path in [(of_pod, (pod, listed.thread_id)), (agent.threads, (listed.thread_id,))]:
        thread = whose.get(*path, request_options=ONCE)
        assert [m.subject for m in thread.messages] == ["Breakfast?"], thread
        attachment = thread.messages[0].attachments[0]
        assert whose.get_attachment(*path, attachment.attachment_id, request_options=ONCE).size == attachment.size
        assert "kept" in whose.update(*path, add_labels=["kept"], request_options=ONCE).labels
    of_pod.delete(pod, listed.thread_id, request_options=ONCE)
    refused(NotFoundError, 404, "not_found", of_pod.get, pod, listed.thread_id)
    elsewhere = everywhere[1].thread_id
    refused(NotFoundError, 404, "not_found", of_pod.get, pod, elsewhere)
    agent.threads.delete(elsewhere, request_options=ONCE)
    refused(NotFoundError, 404, "not_found", agent.threads.get, elsewhere)


def drafts(agent, pod, inbox):
    made = agent.inboxes.drafts.create(
        inbox, text="Soon.", attachments=[{"filename": "a.txt", "content": "YQ=="}], request_options=ONCE
    )
    assert [d.draft_id for d in agent.pods.drafts.list(pod, request_options=ONCE).drafts] == [made.draft_id]
    assert agent.pods.drafts.get(pod, made.draft_id, request_options=ONCE) == made
    attachment = made.attachments[0].attachment_id
    assert agent.pods.drafts.get_attachment(pod, made.draft_id, attachment, request_options=ONCE).size == 1


def domains(agent, pod):
    of_pod = agent.pods.domains
    made = of_pod.create(pod, domain="acme.example", request_options=ONCE)
    assert (made.domain, made.pod_id) == ("acme.example", pod), made
    assert [d.domain_id for d in of_pod.list(pod, request_options=ONCE).domains] == [made.domain_id]
    updated = of_pod.update(pod, made.domain_id, subdomains_enabled=True, request_options=ONCE)
    assert updated.subdomains_enabled is True, updated
    of_pod.verify(pod, made.domain_id, request_options=ONCE)
    assert of_pod.get(pod, made.domain_id, request_options=ONCE).status == "PENDING"
    zone = b"".join(of_pod.get_zone_file(pod, made.domain_id, request_options=ONCE)).decode()
    assert "acme.example. IN MX" in zone, zone
    of_pod.delete(pod, made.domain_id, request_options=ONCE)
    refused(NotFoundError, 404, "not_found", of_pod.get, pod, made.domain_id)


def metrics(agent, pod, inbox):
    start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
    assert set(agent.metrics.query_rates(request_options=ONCE)) == {"bounce", "complaint", "delivery"}
    everything = agent.metrics.query_events(start=start, period="3600", request_options=ONCE)
    assert sum(bucket.count for bucket in everything["message.received"]) == 3, everything
    for whose, path in [(agent.pods.metrics, (pod,)), (agent.inboxes.metrics, (inbox,))]:
        counts = whose.query_events(*path, event_types=["message.received"], request_options=ONCE)
        assert list(counts) == ["message.received"], counts
        assert [bucket.count for bucket in counts["message.received"]] == [1], counts
        refused(ApiError, 422, "validation_error", whose.query_events, *path, period="59")
        rates = whose.query_rates(*path, rate_types=["bounce"], period=3600, window=7200, limit=1, request_options=ONCE)
        assert [point.rate for point in rates["bounce"]] == [None], rates
        usage = whose.query_usage(*path, usage_types=["message_count"], request_options=ONCE)
        assert usage["message_count"][-1].value == 0, usage
    assert agent.metrics.query_usage(request_options=ONCE)["inbox_count"][-1].value == 3
