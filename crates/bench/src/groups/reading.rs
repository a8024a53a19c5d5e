//! Message reading: parsing, new text, codes and links.
//!
//! The comparison is a pure MIME parser with the same bytes in the same round.

use std::hint::black_box;
use std::time::Instant;

use mail_parser::MessageParser;

use crate::options::Options;
use crate::outcome::count;
use crate::report::{self, ReportRow, Requirement};

/// Minimum number of bytes that one measurement reads.
const MIN_BYTES: usize = 16_000_000;
/// Size of the largest body that is read completely.
const MAX_BODY_BYTES: usize = 8_000_000;

/// Measures each message on one processor.
pub(crate) fn run(options: &Options) {
    let cases = cases();
    let mut rows: Vec<ReportRow> =
        cases.iter().map(|case| ReportRow::new(case.name, "MB/s", "MIME alone", Requirement::Nothing)).collect();
    for _ in 0..options.rounds {
        for (case, row) in cases.iter().zip(&mut rows) {
            let (ours, peer) = case.measure();
            row.add(ours, peer);
        }
    }
    report::print("reading", &rows);
}

/// Message that is read repeatedly.
struct Case {
    /// Name of the case.
    name: &'static str,
    raw: Vec<u8>,
}

/// Returns a typical message, and those with the highest cost.
fn cases() -> Vec<Case> {
    let huge = |name: &'static str, kind: &str, piece: &str| {
        let header = format!("From: a@b.example\r\nSubject: x\r\nContent-Type: {kind}; charset=utf-8\r\n\r\n");
        Case { name, raw: [header, piece.repeat(MAX_BODY_BYTES / piece.len())].concat().into_bytes() }
    };
    vec![
        Case { name: "reply, text and HTML, 30 KB", raw: reply() },
        huge("text, 8 MB of >", "text/plain", ">"),
        huge("text, quotation between answers", "text/plain", ">a\r\nx\r\n"),
        huge("text, attributions", "text/plain", "On 20 Nov 2026, Anna <a@b.c> wrote:\r\n"),
        huge("text, header blocks", "text/plain", "From: a\r\nSent: b\r\n\r\n"),
        huge("HTML, nested elements", "text/html", "<div style=\"color:#123\">a"),
        huge("HTML, block quotations", "text/html", "<br><blockquote>"),
        huge("HTML, character references", "text/html", "&ampx"),
        huge("HTML, styles", "text/html", "<p style=\"background:a a a a a a a a\">"),
        huge("HTML, links and codes", "text/html", "<a href=\"https://b/c?t=1\">code 123456</a>\r\n"),
    ]
}

/// Returns a reply from a web mail client to a conversation of ten messages.
fn reply() -> Vec<u8> {
    let words = "Thank you for the figures, they look right to me. Shall we talk about the rest on Thursday at ten?";
    let mut text = vec![format!("Hello Anna,\r\n\r\n{words}\r\n\r\nBest, Bo\r\n")];
    let mut html = vec![format!(
        "<div dir=\"ltr\"><div>Hello Anna,</div><div><br></div><div>{words}</div><div>Best, Bo</div></div>"
    )];
    for depth in 1..=10 {
        let mark = ">".repeat(depth);
        text.push(format!("\r\n{mark} On Fri, 20 Nov 2026 at 10:00, Anna <anna@example.org> wrote:\r\n"));
        text.push(format!("{mark} {words}\r\n").repeat(8));
        html.push(
            "<br><div class=\"gmail_quote\"><div dir=\"ltr\" class=\"gmail_attr\">On Fri, 20 Nov 2026 at 10:00, Anna &lt;<a \
             href=\"mailto:anna@example.org\">anna@example.org</a>&gt; wrote:<br></div><blockquote class=\"gmail_quote\" \
             style=\"margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex\">"
                .to_owned(),
        );
        html.push(format!("<div style=\"font-family:arial,sans-serif\">{words}&nbsp;</div>\r\n").repeat(8));
    }
    html.push("</blockquote></div>".repeat(10));
    let (text, html) = (text.concat(), html.concat());
    format!(
        "From: Bo <bo@example.org>\r\nTo: Anna <anna@example.org>\r\nSubject: Re: figures\r\nMessage-ID: <1@example.org>\r\n\
         Date: Sat, 21 Nov 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n\
         --b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n\
         {html}\r\n--b--\r\n"
    )
    .into_bytes()
}

impl Case {
    /// Returns the megabytes per second of inboxd and of a pure parser.
    fn measure(&self) -> (f64, f64) {
        let ours = self.rate(|raw| {
            black_box(inboxd_mail::parse(raw));
        });
        let parser = MessageParser::default();
        let peer = self.rate(|raw| {
            black_box(parser.parse(raw));
        });
        (ours, peer)
    }

    fn rate(&self, read: impl Fn(&[u8])) -> f64 {
        let times = (MIN_BYTES / self.raw.len()).max(1);
        let began = Instant::now();
        for _ in 0..times {
            read(&self.raw);
        }
        count(times * self.raw.len()) / 1e6 / began.elapsed().as_secs_f64()
    }
}
