"""Common helpers of the scripts: clients, sign-up codes, refusals, and mail by SMTP."""

import json
import os
import re
import smtplib
import time
import urllib.error
import urllib.request
from email.message import EmailMessage

from agentmail import AgentMail
from agentmail.core.api_error import ApiError
from agentmail.environment import AgentMailEnvironment

URL = os.environ["INBOXD_URL"]
SMTP = os.environ["INBOXD_SMTP"]
ONCE = {"max_retries": 0}


def connect(key):
    server = AgentMailEnvironment(http=URL, websockets=URL.replace("http", "ws", 1))
    return AgentMail(api_key=key, environment=server)


def code_of(owner):
    for _ in range(300):
        for line in open(os.environ["INBOXD_LOG"]):
            code = re.search(r"verification code is (\d{6})", line)
            if code and owner in line:
                return code[1]
        time.sleep(0.1)
    raise AssertionError("no code for " + owner)


def call(key, method, path, body):
    """Calls an endpoint that the client lacks."""
    headers = {"Authorization": "Bearer " + key, "Content-Type": "application/json"}
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers, method=method)
    return json.load(urllib.request.urlopen(request))


def sign_in(email):
    """Signs a person in and returns the key."""
    call("none", "POST", "/v0/agent/sign-in", {"email": email})
    for _ in range(300):
        text = "".join(line for line in open(os.environ["INBOXD_LOG"]) if email in line)
        codes = re.findall(r"sign-in code is (\d{6})", text)
        if codes:
            try:
                return call("none", "POST", "/v0/agent/sign-in/verify", {"email": email, "otp_code": codes[-1]})["api_key"]
            except urllib.error.HTTPError as error:
                # The newest code is not mailed yet.
                assert error.code == 401, error
        time.sleep(0.1)
    raise AssertionError("no sign-in code for " + email)


def refused(kind, status, code, call, *args, **kwargs):
    try:
        call(*args, request_options=ONCE, **kwargs)
    except ApiError as error:
        assert isinstance(error, kind), (type(error), error)
        assert error.status_code == status, error
        body = error.body if isinstance(error.body, dict) else vars(error.body)
        name = body.get("code") or (error.body.model_extra or {}).get("code")
        assert name == code, (name, code, error)
        return
    raise AssertionError(f"{call} was not refused with {code}")


def receive(inbox, subject, message_id, text="Shall we meet at noon?", invitation=None, **headers):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Grace <grace@example.net>", inbox, subject
    mail["Message-ID"] = message_id
    for name, value in headers.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(text)
    mail.add_alternative("<p>" + text + "</p>", subtype="html")
    mail.add_attachment(b"\x00\x01 binary", maintype="application", subtype="octet-stream", filename="größe.bin")
    if invitation:
        mail.add_attachment(invitation, subtype="calendar", filename="invite.ics")
    with smtplib.SMTP(SMTP) as smtp:
        smtp.send_message(mail)
