"""The conformance suite on the product: `conformance.py server|authorization`.

The suite sends no credentials, so a proxy adds the key. It replaces its own address in `Host` and `Origin` by that of
the server, and passes all other values on, which the suite uses to test them.
"""

import http.client
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import urllib.parse

import browser
import support

COMMAND = [os.environ["INBOXD_NODE"], os.environ["INBOXD_CONFORMANCE"]]
# The scenarios that need no fixtures of the suite, by revision.
SCENARIOS = {
    "2025-11-25": ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"],
    "2026-07-28": [
        "server-stateless", "http-header-validation", "caching", "tools-list", "resources-list",
        "dns-rebinding-protection",
    ],
}
# Checks of what this server does not offer: prompts, and news of a changed list.
ABSENT = [
    "sep-2549-prompts-list-caching-hints",
    "sep-2575-server-sends-prompts-list-changed-on-subscription",
    "sep-2575-server-sends-tools-list-changed-on-subscription",
]
SERVER = urllib.parse.urlsplit(support.BASE)


class Proxy(http.server.BaseHTTPRequestHandler):
    """Forwards a request with a key, and its response as it arrives."""

    protocol_version = "HTTP/1.1"

    def forward(self):
        own = f":{self.server.server_port}"
        connection = http.client.HTTPConnection(SERVER.hostname, SERVER.port, timeout=60)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() in ("host", "origin"):
                for host in ("127.0.0.1", "localhost"):
                    value = value.replace(host + own, SERVER.netloc)
            if name.lower() not in ("connection", "transfer-encoding"):
                connection.putheader(name, value)
        connection.putheader("x-api-key", os.environ["INBOXD_KEY"])
        connection.endheaders(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        answer = connection.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "date", "server"):
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()
        while part := answer.read1(65536):
            self.wfile.write(part)
            self.wfile.flush()
        connection.close()

    do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = forward

    def log_message(self, *_):
        pass


def results(folder):
    """Returns the checks that a run stored."""
    found = []
    for file in pathlib.Path(folder).rglob("checks.json"):
        found += json.loads(file.read_text())
    return found


def is_expected(check):
    """Returns whether a check succeeded, or needs a fixture that only a test server of the suite has."""
    is_untestable = (check.get("details") or {}).get("untestable")
    return check["status"] in ("SUCCESS", "INFO") or check["id"] in ABSENT or bool(is_untestable)


def server():
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    support.receive("Hello", "Shall we meet at noon?")
    wrong, passed = [], 0
    for revision, scenarios in SCENARIOS.items():
        for scenario in scenarios:
            folder = f"{revision}-{scenario}"
            url = f"http://127.0.0.1:{proxy.server_port}/mcp"
            options = ["--url", url, "--scenario", scenario, "--spec-version", revision, "-o", folder]
            ended = subprocess.run(COMMAND + ["server"] + options, capture_output=True, text=True, timeout=120)
            checks = results(folder)
            bad = [check for check in checks if not is_expected(check)]
            passed += sum(check["status"] == "SUCCESS" for check in checks)
            if bad or not checks:
                wrong.append(f"{revision} {scenario}: {json.dumps(bad, indent=1) or ended.stdout + ended.stderr}")
    assert not wrong, "\n".join(wrong)
    print("ok", passed, "checks")


def authorization():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    name = "Conformance suite"
    callback = f"http://127.0.0.1:{port}/callback"
    metadata = {"client_name": name, "redirect_uris": [callback], "token_endpoint_auth_method": "none"}
    endpoint = support.call("GET", "/.well-known/oauth-authorization-server", key=None)[2]["registration_endpoint"]
    status, _, client = support.call("POST", endpoint, metadata, key=None)
    assert status == 201, client
    options = ["--url", support.BASE, "--client-id", client["client_id"], "--resource", support.MCP, "-p", str(port)]
    suite = subprocess.Popen(
        COMMAND + ["authorization"] + options + ["-o", "authorization"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    said = ""
    for line in suite.stdout:
        said += line
        if line.startswith(support.BASE + "/"):
            redirect = browser.Person(support.OWNER).authorize(line.strip(), client=name)
            assert redirect.startswith(callback + "?"), redirect
            status, _, _ = browser.Person("nobody").request(redirect)
            assert status == 200, status
    checks = results("authorization")
    bad = [check for check in checks if check["status"] != "SUCCESS"]
    assert suite.wait() == 0 and checks and not bad, said + json.dumps(bad, indent=1)
    assert {check["id"] for check in checks} >= {"authorization-server-metadata", "authorization-code-grant"}, checks
    print("ok", len(checks), "checks")


{"server": server, "authorization": authorization}[sys.argv[1]]()
