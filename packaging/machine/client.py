#!/usr/bin/env python3
"""Client of the tested machine, from the system outside: API over HTTPS, and mail over STARTTLS.

Prints one line of a result; fails with a traceback. State is in /root/state.json, accepted mail in /root/accepted.
"""
import hashlib
import json
import os
import smtplib
import ssl
import sys
import time
import urllib.parse
import urllib.request

HOST = "mail.example.org"
CONTEXT = ssl.create_default_context(cafile="/root/authority.pem")
STATE = "/root/state.json"
ACCEPTED = "/root/accepted"
SENDER = "grace@outside.example"


def load():
    with open(STATE) as file:
        return json.load(file)


def call(method, path, body=None, key=None, accept="application/json"):
    headers = {"Accept": accept, "Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"https://{HOST}{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30, context=CONTEXT) as response:
        return response.read()


def inbox_path(state, rest):
    return f"/v0/inboxes/{urllib.parse.quote(state['inbox_id'])}{rest}"


def sign_up(invitation):
    body = {"human_email": SENDER, "username": "scout", "invitation": invitation}
    state = json.loads(call("POST", "/v0/agent/sign-up", body))
    with open(STATE, "w") as file:
        json.dump({"key": state["api_key"], "inbox_id": state["inbox_id"]}, file)
    print(state["inbox_id"])


def verify(code):
    call("POST", "/v0/agent/verify", {"otp_code": code}, load()["key"])


def send(subject):
    state = load()
    body = {"to": SENDER, "subject": subject, "text": "Hello from my server."}
    call("POST", inbox_path(state, "/messages/send"), body, state["key"])


def messages(state):
    found, page = [], ""
    while page is not None:
        query = "/messages?limit=100&include_spam=true&include_unauthenticated=true"
        token = f"&page_token={urllib.parse.quote(page)}" if page else ""
        answer = json.loads(call("GET", inbox_path(state, query + token), key=state["key"]))
        found += answer["messages"]
        page = answer.get("next_page_token")
    return found


def subjects():
    print("\n".join(sorted(message["subject"] for message in messages(load()))))


def connect():
    smtp = smtplib.SMTP(HOST, 25, local_hostname="mx.outside.example", timeout=60)
    smtp.starttls(context=CONTEXT)
    return smtp


def load_mail(stop_file):
    """Sends mail until a file exists, and notes each 250 with its time and the digest of the content."""
    inbox, number = load()["inbox_id"], 0
    with open(ACCEPTED, "a") as accepted:
        while not os.path.exists(stop_file):
            with connect() as smtp:
                for _ in range(20):
                    number += 1
                    content = (
                        f"From: {SENDER}\r\nTo: {inbox}\r\nSubject: load {number}\r\n"
                        f"Message-ID: <load-{number}@outside.example>\r\n\r\n" + f"line of mail {number}\r\n" * 200
                    ).encode()
                    smtp.sendmail(SENDER, [inbox], content)
                    accepted.write(f"{time.time()} {number} {hashlib.sha256(content).hexdigest()}\n")
                    accepted.flush()


def check(until):
    """Requires each mail that was accepted before a time, byte for byte below the fields that the server adds."""
    state = load()
    stored = {message["subject"]: message["message_id"] for message in messages(state)}
    count = 0
    with open(ACCEPTED) as accepted:
        for at, number, digest in map(str.split, accepted):
            if float(at) >= float(until):
                continue
            path = f"/messages/{urllib.parse.quote(stored[f'load {number}'], safe='')}/raw"
            raw = call("GET", inbox_path(state, path), key=state["key"], accept="message/rfc822")
            content = raw[raw.index(f"From: {SENDER}\r\n".encode()):]
            assert hashlib.sha256(content).hexdigest() == digest, f"mail {number} differs"
            count += 1
    assert count, "no mail was accepted before that time"
    print(count)


def certificate():
    """Prints the serial number of the certificate, which the authority must have issued."""
    with connect() as smtp:
        print(smtp.sock.getpeercert()["serialNumber"])


COMMANDS = {
    "sign-up": sign_up, "verify": verify, "send": send, "subjects": subjects, "load": load_mail, "check": check,
    "certificate": certificate,
}
COMMANDS[sys.argv[1]](*sys.argv[2:])
