//! New text of messages that are no replies; parts that look like a message are their own content.

use inboxd_mail::parse;

fn new(header: &str, text: &str) -> String {
    let raw = format!("{header}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}");
    parse(raw.as_bytes()).extracted_text.unwrap()
}

fn new_of_html(header: &str, html: &str) -> String {
    let raw = format!("{header}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
    parse(raw.as_bytes()).extracted_html.unwrap()
}

const FORM: &str = "You have a new enquiry.\n\nFrom: Jane <jane@example.org>\nDate: 20 Nov 2026 10:00\nSubject: Pricing\n\nHow much is it?";
const FORM_OF_HTML: &str = "<p>You have a new enquiry.</p><p>From: Jane &lt;jane@example.org&gt;<br>Date: 20 Nov 2026 10:00<br>Subject: Pricing</p><p>How much is it?</p>";
const OUTLOOK: &str =
    "Yes.\n\nFrom: Anna <anna@example.org>\nSent: Friday, 20 November 2026 10:00\nTo: Bo\nSubject: x\n\nWhen?";

#[test]
fn form_content_is_new() {
    for text in [
        FORM,
        "A guest wrote to you.\n\nVon: Jana <jana@example.org>\nDatum: 20.11.2026\nAn: Haus am See\nBetreff: Zimmer\n\nIst noch etwas frei?",
        "New ticket\n\nFrom: Jane\nSent: 10:00\nSubject: Printer\n\nIt is on fire.",
        "Welcome.\n\n--- Reply above this line ---\n\nYour ticket was opened.",
        "Message of the day\n\n20.11.2026 10:00, Jane <jane@example.org>:\n\nThe door is open.",
        "Hello,\n\nOn 20 Nov 2026 Jane <jane@example.org> wrote in the guest book:\n\nLovely place!",
    ] {
        assert_eq!(new("Subject: A new enquiry", text), text);
    }
    assert_eq!(new_of_html("Subject: A new enquiry", FORM_OF_HTML), FORM_OF_HTML);
}

#[test]
fn form_content_in_reply_is_quoted() {
    for header in [
        "Subject: A new enquiry\r\nIn-Reply-To: <1@example.org>",
        "Subject: A new enquiry\r\nReferences: <1@example.org>",
        "Subject: Re: A new enquiry",
        "Subject: [EXTERNAL] AW: A new enquiry",
        "Subject: =?utf-8?q?=E5=9B=9E=E5=A4=8D=EF=BC=9Ax?=",
    ] {
        assert_eq!(new(header, FORM), "You have a new enquiry.", "{header}");
        assert_eq!(new_of_html(header, FORM_OF_HTML), "<p>You have a new enquiry.</p>", "{header}");
    }
}

#[test]
fn clear_quotation_is_removed_from_any_message() {
    for text in [
        OUTLOOK,
        "Yes.\n\n-----Original Message-----\nFrom: Anna\nSubject: x\n\nWhen?",
        "Yes.\n\nVon: Anna\nGesendet: Freitag, 20. November 2026 10:00\nAn: Bo\nBetreff: x\n\nWann?",
        "Yes.\n\nOn Fri, Nov 20, 2026 at 10:00 AM Anna Berg <anna@example.org> wrote:\n\nWhen?",
        "Yes.\n\nOn 20 Nov 2026 Anna wrote:\n> When?",
        "Yes.\n\n> When?",
    ] {
        assert_eq!(new("Subject: x", text), "Yes.", "{text}");
    }
}
