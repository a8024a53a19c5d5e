//! What is new in the text of a reply.

use inboxd_mail::extract_text;

#[test]
fn what_programs_quote_goes() {
    for (program, text, expected) in [
        (
            "Gmail",
            "Yes, Monday.\n\nOn Fri, 20 Nov 2026 at 10:00, Anna <anna@example.org> wrote:\n\n> When?\n>\n> Anna\n",
            "Yes, Monday.",
        ),
        (
            "Gmail, wrapped",
            "Yes.\n\nOn Fri, 20 Nov 2026 at 10:00, Anna of the Very Long Name\n<anna@example.org> wrote:\n\n> When?\n",
            "Yes.",
        ),
        (
            "Gmail, wrapped over three lines",
            "Yes.\n\nOn Fri, 20 Nov 2026\nat 10:00, Anna <\nanna@example.org> wrote:\n\n> When?\n",
            "Yes.",
        ),
        ("Apple Mail", "Yes.\n\n> On 20 Nov 2026, at 10:00, Anna <a@b.c> wrote:\n> \n> When?\n", "Yes."),
        ("Thunderbird", "Yes.\n\nOn 11/20/26 10:00, Anna wrote:\n> When?\n>> Before\n", "Yes."),
        (
            "Outlook",
            "Yes.\n\n-----Original Message-----\nFrom: Anna\nSent: Friday\nTo: Bo\nSubject: x\n\nWhen?\n",
            "Yes.",
        ),
        (
            "Outlook on the web",
            "Yes.\n\n________________________________\nFrom: Anna <a@b.c>\nSent: Friday, November 20, 2026 10:00\nTo: Bo\nSubject: x\n\nWhen?",
            "Yes.",
        ),
        ("Outlook, bold", "Yes.\n\n*From:* Anna\n*Date:* Friday\n*To:* Bo\n*Subject:* x\n\nWhen?", "Yes."),
        ("unmarked behind its attribution", "Yes.\n\nOn Nov 20, 2026, at 10:00 AM, Anna wrote:\n\nWhen?\nAnna", "Yes."),
        ("attribution alone", "Yes.\n\nOn Nov 20, 2026, at 10:00 AM, Anna wrote:\n", "Yes."),
        ("an old Gmail", "Yes.\n\n2026-11-20 10:00 GMT+01:00 Anna <anna@example.org>:\n\n> When?\n", "Yes."),
        ("an attribution without a time", "Yes.\n\nOn Monday, Anna wrote:\n\n> When?\n", "Yes."),
        ("no attribution", "Yes.\n\n> When?\n", "Yes."),
        ("CRLF", "Yes.\r\n\r\nOn 20 Nov 2026 Anna wrote:\r\n> When?\r\n", "Yes."),
        ("an answer below", "On 20 Nov 2026 Anna wrote:\n> When?\n\nMonday.\n", "Monday."),
    ] {
        assert_eq!(extract_text(text), expected, "{program}");
    }
}

#[test]
fn signatures_go() {
    for (text, expected) in [
        ("Yes.\n\n-- \nBo\nExample Ltd", "Yes."),
        ("Yes.\n--\nBo", "Yes."),
        ("Yes.\n\nSent from my iPhone", "Yes."),
        ("Yes.\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n", "Yes."),
        ("Yes.\n\nSent from my iPhone\n\nOn 20 Nov 2026 Anna wrote:\n> When?", "Yes."),
        ("Yes.\n\n-- \nBo\n\nOn 20 Nov 2026 Anna wrote:\n> When?\n> -- \n> Anna", "Yes."),
        ("> When?\n\nMonday.\n\n-- \nBo", "Monday."),
        (
            "Sent from my office, the plans are here.\nSee below.",
            "Sent from my office, the plans are here.\nSee below.",
        ),
        ("a --\nb", "a --\nb"),
    ] {
        assert_eq!(extract_text(text), expected, "{text:?}");
    }
}

#[test]
fn a_dashed_line_far_above_the_end_is_no_signature() {
    let text = format!("intro\n--\n{}end", "line\n".repeat(30));
    assert_eq!(extract_text(&text), text);
}

#[test]
fn answers_between_quotations_keep_what_they_answer() {
    for (text, expected) in [
        (
            "Hi Anna,\n\nOn 20 Nov 2026 Anna wrote:\n> When?\n\nMonday.\n\n> Where?\n\nHere.\n\n> Thanks\n> Anna",
            "Hi Anna,\n\nOn 20 Nov 2026 Anna wrote:\n> When?\n\nMonday.\n\n> Where?\n\nHere.",
        ),
        ("> When?\nMonday.\n> Where?\nHere.\n-- \nBo", "> When?\nMonday.\n> Where?\nHere."),
        ("> When?\nMonday.\n> Where?", "> When?\nMonday.\n> Where?"),
    ] {
        assert_eq!(extract_text(text), expected);
    }
}

#[test]
fn forwarded_mails_stay() {
    for text in [
        "FYI\n\n---------- Forwarded message ---------\nFrom: Anna <a@b.c>\nDate: Fri\nSubject: x\nTo: Bo\n\nNews.\n-- \nAnna",
        "FYI\n\nBegin forwarded message:\n\nFrom: Anna\nDate: Fri\nTo: Bo\nSubject: x\n\nNews.",
        "-------- Forwarded Message --------\nSubject: x\nDate: Fri\nFrom: Anna\nTo: Bo\n\nOn 20 Nov 2026 C wrote:\n> old",
    ] {
        assert_eq!(extract_text(text), text);
    }
}

#[test]
fn a_mail_that_is_all_quotation_stays_whole() {
    for text in [
        "> all\n> of it",
        "On 20 Nov 2026 Anna wrote:\n> When?",
        "-----Original Message-----\nFrom: Anna\n\nWhen?",
        "-- \nBo",
        "Sent from my iPhone",
    ] {
        assert_eq!(extract_text(text), text);
    }
    assert_eq!(extract_text("\n> a\n\n"), "> a");
    assert_eq!(extract_text(""), "");
    assert_eq!(extract_text(" \n\t\n"), "");
}

#[test]
fn ordinary_words_stay() {
    for text in [
        "Hello\n\nHow are you?",
        "On Monday I wrote:\nthe plan is fine.",
        "From: the whole team\n\nThank you!",
        "a > b\nc < d",
        "He said:\nyes",
        "The meeting is on 5 May.\nOn that day we met.",
        "Subject: x\nTo: y",
    ] {
        assert_eq!(extract_text(text), text);
    }
}
