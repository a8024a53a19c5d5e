"""Runs readers from PyPI on the messages in FOLDER/mails and writes their results to FOLDER/<reader>."""

import pathlib
import sys
import warnings

warnings.filterwarnings("ignore")

import email_reply_parser
import mailparser_reply
import mailparser_reply.constants
import quotequail
import talon
from talon import quotations
from talon.signature.bruteforce import extract_signature

talon.init()


def talon_text(text):
    return quotations.extract_from_plain(text)


def talon_text_without_signature(text):
    return extract_signature(quotations.extract_from_plain(text))[0]


def talon_html(html):
    return quotations.extract_from_html(html)


def quotequail_text(text):
    """Returns the text above and below the quotation; a forward remains whole."""
    found = quotequail.unwrap(text)
    if not found or found["type"] == "forward":
        return text
    return "\n".join(filter(None, [found.get("text_top"), found.get("text_bottom")])) or text


def quotequail_html(html):
    found = quotequail.unwrap_html(html)
    if not found or found["type"] == "forward":
        return html
    return "\n".join(filter(None, [found.get("html_top"), found.get("html_bottom")])) or html


LANGUAGES = [language for language in mailparser_reply.constants.MAIL_LANGUAGES if len(language) == 2]


def mail_parser_reply_text(text):
    return mailparser_reply.EmailReplyParser(languages=LANGUAGES).parse_reply(text) or ""


READERS = {
    "talon": (talon_text, talon_html),
    "talon+signature": (talon_text_without_signature, None),
    "quotequail": (quotequail_text, quotequail_html),
    "mail-parser-reply": (mail_parser_reply_text, None),
    "email-reply-parser.py": (email_reply_parser.EmailReplyParser.parse_reply, None),
}


def main(folder):
    for name, (read_text, read_html) in READERS.items():
        out = folder / name
        out.mkdir(exist_ok=True)
        failures = 0
        for mail in sorted((folder / "mails").iterdir()):
            read = read_html if mail.suffix == ".html" else read_text
            if read is None:
                continue
            original = mail.read_text(encoding="utf-8")
            try:
                result = read(original)
            except Exception as error:  # A failure counts as the unchanged message.
                print(f"{name} fails at {mail.name}: {type(error).__name__}: {error}", file=sys.stderr)
                failures += 1
                result = original
            (out / mail.name).write_text(result or "", encoding="utf-8")
        if failures:
            print(f"{name}: {failures} mails made it fail, they count as original back whole", file=sys.stderr)


main(pathlib.Path(sys.argv[1]))
