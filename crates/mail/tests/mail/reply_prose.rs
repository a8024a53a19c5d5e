//! Text of authors that resembles the lines of programs.

use inboxd_mail::extract_text;

#[test]
fn lines_about_forwards_start_no_forward() {
    for line in
        ["--- a/forwarded.rs", "--- forwarded.rs", "---- I forwarded it to Anna", "--- not forwarded by anybody yet"]
    {
        let new = format!("This is the change:\n\n{line}\n+++ b/x");
        let text = format!("{new}\n\nOn 20 Nov 2026 Anna wrote:\n> When?");
        assert_eq!(extract_text(&text), new);
    }
}

#[test]
fn last_lines_of_author_remain() {
    for line in [
        "I moved us off avg.com",
        "Please install it from avast.com today.",
        "The antivirus is from avast.com",
        "Sent via airmail to Boston.",
        "Sent via registered mail",
        "Sent from my local post office.",
        "Sent from my desk in the old library",
        "Verzonden met PostNL per brievenbuspost mail",
        "Gesendet per E-Mail am Montag",
        "Envoyé avec un camion portable",
        "Sent with the curios for the museum",
    ] {
        for text in [format!("The parcel:\n\n{line}"), format!("The parcel:\n{line}"), format!("{line}\nBo")] {
            assert_eq!(extract_text(&text), text);
        }
    }
    let text = "The plan is here.\nSent from my attic";
    assert_eq!(extract_text(text), text);
    assert_eq!(extract_text("The plan is here.\n\nSent from my Quanta X2"), "The plan is here.");
}

#[test]
fn link_after_quote_mark_is_text() {
    for text in [
        "Welcome to the shop.\n\n> Confirm: https://example.org/verify\n\nThank you for coming.",
        "Welcome to the shop.\n\n>> https://example.org/verify",
        "News\n\n> Read on: https://example.org/1\n\nMore news\n\n> Read on: https://example.org/2",
    ] {
        assert_eq!(extract_text(text), text);
    }
    for (text, expected) in [
        ("Yes.\n\nOn 20 Nov 2026 Anna wrote:\n> https://example.org/verify", "Yes."),
        ("Yes.\n\n> Look:\n> https://example.org/verify", "Yes."),
        ("Yes.\n\n> https://example.org/verify\n> Anna", "Yes."),
        ("Yes.\n\n> Did you see https://example.org/verify", "Yes."),
    ] {
        assert_eq!(extract_text(text), expected);
    }
}

#[test]
fn dividing_dashes_start_no_signature() {
    for text in [
        "The report:\n--\nResults\n--\nLamps",
        "The report:\n--\n1\n2\n3\n4\n5\n6\n7\n8\n9",
        "The report:\n--\nOne\n\nTwo\n\nThree",
    ] {
        assert_eq!(extract_text(text), text);
    }
    for text in ["Yes.\n--\nAnna\nExample Ltd", "Yes.\n-- \nAnna\n\n1\n\n2\n\n3", "Yes.\n--\n\nAnna\n\nExample Ltd"] {
        assert_eq!(extract_text(text), "Yes.");
    }
}

#[test]
fn ordinary_messages_remain_whole() {
    let mut cut = Vec::new();
    for text in [
        "On Monday I wrote:\nthe plan is fine.",
        "On 5 May 2026 at 10:00 I wrote:\n\nthe plan is fine.",
        "On 20 November 2026 the committee wrote:\n\nDear Sir,\nplease pay.\n\nWe did.",
        "As Anna wrote:\nno.",
        "From: Berlin Hbf\nTo: München Hbf\nDate: 20.11.2026\n\nSeat 12",
        "Your trip\n\nFrom: Berlin\nTo: Munich\nDate: 20 Nov 2026\nTime: 10:00\n\nHave a good journey",
        "From: the whole team\n\nThank you!",
        "Hello\n\nSubject: figures\nTo: everybody\n\nplease read",
        "New message from your site\n\nFrom: Anna <anna@example.org>\nSubject: a question\n\nMessage:\nHow much is it?",
        "Name: Anna\nEmail: anna@example.org\nDate: 20.11.2026\nMessage: hello",
        "De: 9h00\nA: 17h00\nObjet: réunion",
        "Von: 10:00\nBis: 12:00\nBetreff: Besprechung\nDatum: 20.11.2026",
        "Agenda\n------\n1. Start\n2. End\n\n---\nAnna",
        "Title\n=====\n\nText\n\n---\n\nMore text",
        "The log says:\n2026-11-20 10:00:01 error: no such user anna@example.org:\n2026-11-20 10:00:02 done",
        "Steps:\n\n1. open\n2. close\n\nThen:\n- a\n- b",
        "The parcel was\nsent from Samsung in Germany.",
        "I sent it from my iPhone",
        "Was it sent from my iPhone?",
        "Die Mail ist gesendet",
        "Can you forward this to Anna:\nthe figures are fine.",
        "The forwarded message:\nit never came.",
        "Please forward the original message.\n\nThank you",
        "a --\nb",
        "a -- b\n\n---- c",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "x > y\n\n->z\n\n=> w",
        ">50 % of the users said yes.\n\nGood.",
        "We are at\n>50 % now",
        "Dear all,\n\n>From Monday on we are closed.\n\nBo",
        "Call me at 10:00:\n+49 30 1234",
        "Anna <anna@example.org> is the one to ask.\nBo",
        "Write to\nanna@example.org:\nshe knows.",
        "El 20 de noviembre, a las 10 en punto:\nnos vemos.",
        "Am 20.11.2026 um 10:00 treffen wir uns:\n\nAnna, Bo und ich.",
        "W dniu 20.11.2026 o 10:00 spotkanie:\n\nsala 5",
        "20.11.2026 10:00:\n\nAnna calls",
        "2026年11月20日 10:00:\n\n会議があります。",
        "日期：2026年11月20日\n时间：10:00\n地点：北京",
        "To: be done\nFrom: now on\n\nok",
        "Sent from my point of view, it is fine, and more so than before.\n\nBo",
        "He said on 5 May:\n\"no\"\nand left.",
        "Schedule\n\nFrom: 10:00\nTo: 12:00\nSubject: Kick-off\n\nFrom: 13:00\nTo: 14:00\nSubject: Review",
        "C> dir\nC:\\> cd x",
        "Anna B>C is shown",
        "Date: 20 Nov 2026\nSubject: minutes\n\nPresent: Anna, Bo",
        "## Original message format\n\nEvery line ends with CR LF.",
        "### Original message\n\nEvery line ends with CR LF.",
        "--- Original message format\n\nEvery line ends with CR LF.",
        "__Original message__ was lost. I attach it\n\nagain.",
        "__Original message__\n\nis what the label says.",
        "-- the original message was fine, thanks\n\nAnna was pleased.",
        "--- the original message was fine, thanks\n\nAnna was pleased.",
        "---- original mail server: mx1 ----\n\nIt is full.",
        "The original message server:\nFrom: mx1\nTo: mx2",
        "The invitees for 2026 are in the sheet (plan@example.org):\n\nAnna\nBo",
        "2026-11-20 10:00:01 ERROR user <bob@example.org>:\n\nno such user",
        "Yesterday your order 2026-1234 was sent to <jane@example.org>:\n\n2 chairs",
        "Thank you, your order 2026-1234 10:00 was sent to Jane <jane@example.org>:\n\n2 chairs",
        "Bonjour,\nvoici ce que j'ai envoyé le 20/11/2026 à <bob@example.org> :\n\nles chiffres",
        "Le 20/11/2026 à 10:00 j'ai écrit à Bob <bob@example.org> :\n\nles chiffres",
        "On 20 Nov 2026 at 10:00 the report was sent to Jane <jane@example.org>:\n\n3 pages",
        "Am 20.11.2026 um 10:00 Uhr ging an Anna <anna@example.org>:\n\ndie Liste",
    ] {
        for text in [text.to_owned(), format!("Hello Bo,\n\n{text}"), format!("{text}\n\nBest,\nAnna")] {
            let new = extract_text(&text);
            if new != text {
                cut.push((text, new));
            }
        }
    }
    assert!(cut.is_empty(), "{cut:#?}");
}
