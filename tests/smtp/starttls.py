"""Sends a mail under TLS: HOST PORT RECIPIENT SUBJECT [ROOT]. With ROOT, the certificate must chain to it."""

import os
import smtplib
import ssl
import sys

host, port, recipient, subject = sys.argv[1:5]
context = ssl.create_default_context(cafile=sys.argv[5]) if len(sys.argv) > 5 else ssl._create_unverified_context()
with smtplib.SMTP(host, int(port), local_hostname="client.example.org", timeout=30) as smtp:
    smtp.ehlo()
    if smtp.has_extn("starttls") is False:
        sys.exit("STARTTLS is not offered")
    # The name in the certificate, independent of the address.
    smtp._host = os.environ.get("STARTTLS_NAME", "mx.inboxd.test")
    smtp.starttls(context=context)
    smtp.ehlo()
    if smtp.has_extn("starttls"):
        sys.exit("STARTTLS is offered twice")
    message = f"From: anna@example.org\r\nTo: {recipient}\r\nSubject: {subject}\r\n\r\nhello\r\n"
    smtp.sendmail("anna@example.org", [recipient], message)
    print(smtp.sock.version())
