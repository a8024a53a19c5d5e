//! Signatures and footers, and text that only looks like them.

use inboxd_mail::{ParsedMail, extract_html, extract_text, parse};

const NOTICE: &str = "This e-mail and its attachments are confidential and intended solely for the addressee.";

fn reply(kind: &str, body: &str) -> ParsedMail {
    let header = "From: Anna Berg <anna@example.org>\r\nSubject: Re: Oak\r\nIn-Reply-To: <a@example.org>";
    parse(format!("{header}\r\nContent-Type: text/{kind}; charset=utf-8\r\n\r\n{body}").as_bytes())
}

fn parts(mail: &ParsedMail) -> [&str; 3] {
    [&mail.extracted_text, &mail.signature, &mail.footer].map(|part| part.as_deref().unwrap_or_default())
}

#[test]
fn contact_data_below_name_of_author_are_signature() {
    let text = "Monday is fine.\n\nBest,\nAnna\n\nAnna Berg\nSawmill Ltd.\n+44 1632 960 114\n\nOn 1 May 2026 at 10:00, Bo \
                <bo@example.org> wrote:\n> When?";
    let mail = reply("plain", text);
    assert_eq!(parts(&mail), ["Monday is fine.\n\nBest,\nAnna", "Anna Berg\nSawmill Ltd.\n+44 1632 960 114", ""]);
    let html = "<p>Monday is fine.</p><p>Dr. Anna Berg | Sales<br>anna@example.org</p><blockquote type=cite>When?</blockquote>";
    let mail = reply("html", html);
    assert_eq!(parts(&mail), ["Monday is fine.", "Dr. Anna Berg | Sales\nanna@example.org", ""]);
    assert_eq!(mail.extracted_html.as_deref(), Some("<p>Monday is fine.</p>"));
}

#[test]
fn signature_below_quotation_is_found() {
    let mail = reply("plain", "Monday.\n\nBo wrote on 1 May 2026:\n> When?\n\n-- \nAnna Berg\nSawmill");
    assert_eq!(parts(&mail), ["Monday.", "Anna Berg\nSawmill", ""]);
}

#[test]
fn name_below_closing_needs_no_known_author() {
    let text = "See you.\n\nMit freundlichen Grüßen\nBo Holm\nLager\nTelefon: 030 555 01 22";
    assert_eq!(extract_text(text), "See you.\n\nMit freundlichen Grüßen");
    let first = "See you.\n\nCheers,\nBo\nbo@example.org";
    assert_eq!(extract_text(first), "See you.\n\nCheers,\nBo");
}

#[test]
fn notices_are_footer() {
    let print = "Please consider the environment before printing this e-mail.";
    let mail = reply("plain", &format!("Monday.\n\n-- \nAnna Berg\n\n{print}\n\n{NOTICE}\n"));
    assert_eq!(parts(&mail), ["Monday.", "Anna Berg", &format!("{print}\n\n{NOTICE}")]);
    let mail = reply("html", &format!("<p>Monday.</p><p>{NOTICE}</p><div id=appendonsend></div><p>When?</p>"));
    assert_eq!(parts(&mail), ["Monday.", "", NOTICE]);
    let html = format!("<p>Monday.</p><div id=Signature><p>Anna Berg</p></div><p>{NOTICE}</p>");
    assert_eq!(parts(&reply("html", &html)), ["Monday.", "Anna Berg", NOTICE]);
    let wrapped = "Monday.\n\nThis e-mail and its attachments are confidential and intended\nsolely for the addressee.";
    assert_eq!(extract_text(wrapped), "Monday.");
    let list =
        "New oak is in.\n\nSawmill Ltd., 4 Mill Lane, Kendal\nYou receive this because you subscribed. Unsubscribe";
    assert_eq!(extract_text(list), "New oak is in.");
}

#[test]
fn words_of_author_are_neither_signature_nor_footer() {
    for text in [
        "Hello,\n\nplease unsubscribe me from this list.",
        "Please keep this confidential.\n\nAnna",
        "Sorry!\n\nPlease delete this e-mail, I sent it to you by mistake and to nobody else.",
        "I shall print it for the environment committee.\n\nAnna Berg",
        "Call Anna Berg\n+44 1632 960 114",
        "My new number:\n+44 1632 960 114\n\nAnna Berg",
        "The address is\n\nSawmill Ltd.\n4 Mill Lane\nwww.sawmill.example",
        "Best,\nAnna\n\nPS: bring the keys and call +44 1632 960 114",
        "Take these:\n- oak\n- ash\n\nRegards,\nAnna Berg",
    ] {
        let mail = reply("plain", text);
        assert_eq!(parts(&mail), [text, "", ""]);
    }
}

#[test]
fn message_of_signature_and_notice_stays_whole() {
    let text = format!("Anna Berg\n+44 1632 960 114\n\n{NOTICE}");
    assert_eq!(parts(&reply("plain", &text)), [&text, "", ""]);
}

#[test]
fn surroundings_are_bounded() {
    let text = format!("Monday.\n\n{}", format!("{NOTICE}\n\n").repeat(1000));
    let mail = reply("plain", &text);
    assert_eq!(mail.extracted_text.as_deref(), Some("Monday."));
    assert!(mail.footer.is_some_and(|footer| (2048..=4096).contains(&footer.len())));
}

#[test]
fn other_message_on_line_of_text_is_removed() {
    let header = "From: Bo <bo@example.org> Sent: Friday, May 1, 2026 10:00 AM To: Anna Subject: Oak";
    for glued in [
        "Thanks! -----Original Message----- From: Bo <bo@example.org>\nSent: Friday\nTo: Anna\n\nWhen?".to_owned(),
        format!("Thanks!\n-----Original Message----- {header}\n\nWhen?"),
        format!("Thanks!\n\n{header}\n\nWhen?"),
        "Thanks! On Fri, 1 May 2026 at 10:00, Bo <bo@example.org> wrote:\n> When?".to_owned(),
        "Thanks!Am Fr., 1. Mai 2026 um 10:00 Uhr schrieb Bo <bo@example.org>:\n> When?".to_owned(),
    ] {
        assert_eq!(extract_text(&glued), "Thanks!", "{glued}");
        let html = glued.replace('<', "&lt;").replace('\n', "<br>");
        assert_eq!(extract_html(&html).trim_end_matches("<br>").trim(), "Thanks!", "{html}");
    }
    let whole = "We met on 1 May 2026 at 10:00. On Friday we decide between two offers:\nthe first and the second.";
    assert_eq!(extract_text(whole), whole);
}

#[test]
fn last_block_quotation_with_whole_message_is_removed() {
    let quoted = "<blockquote><p>Dear Anna,</p><p>when?</p><p>Bo</p></blockquote>";
    let mail = reply("html", &format!("<p>Monday.</p>{quoted}"));
    assert_eq!(mail.extracted_html.as_deref(), Some("<p>Monday.</p>"));
    let cited = "<p>The contract says:</p><blockquote><p>Oak is delivered dry.</p></blockquote>";
    assert_eq!(reply("html", cited).extracted_html.as_deref(), Some(cited));
    let answered = format!("<p>Monday.</p>{quoted}<p>Is that enough?</p>");
    assert_eq!(reply("html", &answered).extracted_html.as_deref(), Some(answered.as_str()));
}

#[test]
fn quotation_in_several_blocks_is_removed() {
    let blocks = "<blockquote>When?</blockquote><p><br></p><blockquote>And where?</blockquote>";
    let html = format!("<p>Monday.</p><p>On Fri, 1 May 2026 at 10:00, Bo &lt;bo@example.org&gt; wrote:</p>{blocks}");
    assert_eq!(extract_html(&html), "<p>Monday.</p>");
}

#[test]
fn two_header_fields_with_address_start_message() {
    for fields in ["From: Bo <bo@example.org>\nSent: Friday", "From: Bo <bo@example.org>\nSubject: Oak"] {
        assert_eq!(extract_text(&format!("Monday.\n\n{fields}\n\nWhen?")), "Monday.");
    }
    let trip = "The trip:\n\nFrom: Kendal\nDate: 1 May\n\nBring boots.";
    assert_eq!(extract_text(trip), trip);
}
