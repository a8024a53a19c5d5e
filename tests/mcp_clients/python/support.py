"""Common helpers of the scripts: calls of the API, mail by SMTP, and checks of results."""

import json
import os
import smtplib
import urllib.error
import urllib.parse
import urllib.request
from email.message import EmailMessage

BASE = os.environ["INBOXD_URL"]
MCP = BASE + "/mcp"
OWNER = os.environ["INBOXD_OWNER"]
INBOX = os.environ["INBOXD_INBOX"]

# The tools of AgentMail's server.
AGENTMAIL = """
    list_inboxes get_inbox create_inbox update_inbox delete_inbox list_threads search_threads get_thread
    get_attachment update_thread delete_thread list_messages search_messages update_message send_message
    reply_to_message forward_message create_draft update_draft list_drafts get_draft send_draft delete_draft
    agent_verify
""".split()
assert len(AGENTMAIL) == 24


def call(method, path, body=None, key=os.environ["INBOXD_KEY"], form=None, headers=()):
    """Calls the API and returns status, headers and JSON."""
    url = path if path.startswith("http") else BASE + path
    request = urllib.request.Request(url, method=method, headers=dict(headers))
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    if form is not None:
        request.data = urllib.parse.urlencode(form).encode()
    try:
        answer = urllib.request.urlopen(request, timeout=30)
    except urllib.error.HTTPError as error:
        answer = error
    text = answer.read()
    return answer.status, answer.headers, json.loads(text) if text else None


def connections(key=None):
    """Returns the connections of the organization."""
    status, _, body = call("GET", "/v0/connections?limit=100", key=key or os.environ["INBOXD_KEY"])
    assert status == 200, body
    return body["connections"]


def revoke_connection(name, key=None):
    """Deletes all connections of the client with this name; returns their number."""
    key = key or os.environ["INBOXD_KEY"]
    found = [connection for connection in connections(key) if name in json.dumps(connection)]
    for connection in found:
        path = f"/v0/connections/{connection['connection_id']}"
        assert call("DELETE", path, key=key)[0] == 204
        assert call("DELETE", path, key=key)[0] in (204, 404)
    return len(found)


def sign_in(person):
    """Returns a key of the person for the API."""
    before = len(person.codes())
    assert call("POST", "/v0/agent/sign-in", {"email": person.email}, key=None)[0] == 200
    body = {"email": person.email, "otp_code": person.new_code(before)}
    status, _, answer = call("POST", "/v0/agent/sign-in/verify", body, key=None)
    assert status == 200, answer
    return answer["api_key"]


def receive(subject, text, inbox=INBOX):
    """Delivers a mail from outside to an inbox."""
    host, port = os.environ["INBOXD_SMTP"].rsplit(":", 1)
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Grace <grace@example.net>", inbox, subject
    mail["Message-ID"] = f"<{subject.replace(' ', '.')}@example.net>"
    mail.set_content(text)
    with smtplib.SMTP(host, int(port)) as smtp:
        smtp.send_message(mail)


def strings(value):
    """Returns all strings within a JSON value."""
    if isinstance(value, dict):
        return [text for each in value.values() for text in strings(each)]
    if isinstance(value, list):
        return [text for each in value for text in strings(each)]
    return [value] if isinstance(value, str) else []


def field(value, name):
    """Returns the first field with this name, in camelCase or snake_case, at any depth."""
    camel = "".join(word if place == 0 else word.title() for place, word in enumerate(name.split("_")))
    if isinstance(value, dict):
        for known in (name, camel):
            if value.get(known) is not None:
                return value[known]
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if (found := field(each, name)) is not None:
            return found
    return None
