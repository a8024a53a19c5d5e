"""Signs and verifies mail with dkimpy. The first argument is the command, standard input its data."""

import base64
import json
import sys

import dkim
from nacl.signing import SigningKey


def key(asked):
    """Creates an Ed25519 key: the private key and its record."""
    made = SigningKey.generate()
    public = base64.b64encode(bytes(made.verify_key)).decode()
    return {"private": base64.b64encode(bytes(made)).decode(), "record": f"v=DKIM1; k=ed25519; p={public}"}


def sign(asked):
    """Signs a mail."""
    raw = base64.b64decode(asked["raw"])
    header, body = asked.get("canonical", "relaxed/relaxed").encode().split(b"/")
    field = dkim.sign(
        raw,
        asked["selector"].encode(),
        asked["domain"].encode(),
        asked["private"].encode(),
        canonicalize=(header, body),
        signature_algorithm=asked["algorithm"].encode(),
        include_headers=[name.encode() for name in asked["headers"]] if asked.get("headers") else None,
        length=asked.get("length", False),
    )
    return {"raw": base64.b64encode(field + raw).decode()}


def verify(asked):
    """Verifies every signature of a mail with the given DNS records."""
    mail = dkim.DKIM(base64.b64decode(asked["raw"]))
    count = sum(1 for name, _ in mail.headers if name.lower() == b"dkim-signature")
    looked_up = []

    def txt(name, timeout=5):
        name = name.decode() if isinstance(name, bytes) else name
        looked_up.append(name.rstrip("."))
        record = asked["records"].get(name.rstrip("."))
        return record.encode() if record is not None else None

    results = []
    for index in range(count):
        try:
            results.append(bool(mail.verify(idx=index, dnsfunc=txt)))
        except dkim.DKIMException as error:
            results.append(str(error))
    signed = [name.decode().lower() for name in mail.include_headers] if count else []
    return {"results": results, "names": looked_up, "signed": signed}


asked = json.load(sys.stdin)
json.dump({"key": key, "sign": sign, "verify": verify}[sys.argv[1]](asked), sys.stdout)
