"""Stores a file through the client and by URL, and reads and deletes it."""

import base64
import hashlib
import urllib.request

from agentmail.errors import NotFoundError

from support import ONCE, refused


def drive(agent, inbox):
    files, content = agent.inboxes.files, b"quarter"
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    declared = {"path": "reports/q3.txt", "size": len(content), "sha_256": digest, "content_type": "text/plain"}
    created = files.create(inbox, **declared, request_options=ONCE)
    assert (created.status, created.name, created.sha_256) == ("pending", "q3.txt", digest), created
    upload = created.upload
    put = urllib.request.Request(upload.url, content, upload.headers, method=upload.method)
    assert urllib.request.urlopen(put).status == 200
    assert files.complete(inbox, created.file_id, request_options=ONCE).status == "ready"
    assert files.create(inbox, **declared, request_options=ONCE).upload is None
    assert [one.path for one in files.list(inbox, path_prefix="reports/", request_options=ONCE).files] == ["reports/q3.txt"]
    found = files.get(inbox, created.file_id, request_options=ONCE)
    assert urllib.request.urlopen(found.download_url).read() == content
    files.delete(inbox, created.file_id, request_options=ONCE)
    refused(NotFoundError, 404, "not_found", files.get, inbox, created.file_id)
