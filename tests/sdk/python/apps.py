"""Calls the methods of features that this service lacks, and those that find inboxes, through the client."""

from agentmail.core.api_error import ApiError
from agentmail.errors import NotFoundError

from support import ONCE, refused

NOBODY = "d5e9c84f-c2b2-4bf4-b4b0-7ffd7a9ffc32"


def drive(agent, inbox):
    """Calls the methods for an organization with this inbox."""
    found = agent.inboxes.search(q=inbox, limit=2, request_options=ONCE)
    assert found.inboxes[0].inbox_id == inbox and found.count >= 1, found
    pod = found.inboxes[0].pod_id
    assert inbox in [i.inbox_id for i in agent.pods.inboxes.search(pod, q=inbox[:4], request_options=ONCE).inboxes]
    refused(ApiError, 422, "validation_error", agent.inboxes.search, q="..")

    assert agent.apps.list(category="ai", request_options=ONCE).apps == []
    assert agent.apps.search(q="fire", request_options=ONCE).count == 0
    assert agent.apps.list_accounts("firecrawl", request_options=ONCE).accounts == []
    refused(NotFoundError, 404, "not_found", agent.apps.get, "firecrawl")
    refused(ApiError, 403, "not_offered", agent.apps.connect, "firecrawl")
    refused(ApiError, 403, "not_offered", agent.inboxes.authorize, inbox, auth_token="x")
    assert agent.accounts.list(ascending=True, request_options=ONCE).accounts == []
    assert agent.inboxes.accounts.list(inbox, request_options=ONCE).accounts == []
    assert agent.pods.accounts.list(pod, request_options=ONCE).accounts == []
    refused(NotFoundError, 404, "not_found", agent.accounts.get, NOBODY)
    disable = lambda **options: agent.accounts.update(NOBODY, status="disabled", **options)
    refused(NotFoundError, 404, "not_found", disable)
    refused(NotFoundError, 404, "not_found", agent.inboxes.accounts.get, inbox, NOBODY)
    refused(NotFoundError, 404, "not_found", agent.pods.accounts.get, pod, NOBODY)

    labs = agent.organizations.get_labs(request_options=ONCE)
    assert (labs.enabled, labs.available) == (False, False), labs
    refused(ApiError, 403, "not_offered", agent.organizations.join_labs)
    organization = agent.organizations.get(request_options=ONCE)
    assert organization.authentication_type == "email" and organization.authentication_id.startswith("mem_")
    assert organization.billing_id is None, organization

    domain = agent.domains.create(domain="one-click.example", request_options=ONCE)
    assert agent.domains.get_setup_link(domain.domain_id, request_options=ONCE).supported is False
    agent.domains.delete(domain.domain_id, request_options=ONCE)
