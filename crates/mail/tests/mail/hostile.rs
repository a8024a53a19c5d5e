//! Linear time for messages made to cost much.

use std::fmt::Write as _;
use std::time::Duration;

use inboxd_mail::{
    attachment_content, attachment_contents, extract_html, extract_text, header_values, parse, preview, text_from_html,
};

use crate::cost::cost;

/// Time limit for a message of about a megabyte: far above a linear algorithm, far below a quadratic one.
const LIMIT: Duration = Duration::from_secs(20);
/// Time below which growth is not measurable.
const NOTHING: Duration = Duration::from_millis(200);

fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let (taken, result) = cost(work);
    assert!(taken < LIMIT, "{name} took {taken:?}");
    result
}

/// Runs the work on a repeated piece of this length and of twice the length, and returns the result of the former.
///
/// The latter may take three times as long: a linear algorithm takes twice, a quadratic one four times. The best of
/// three tries counts, in three rounds, since other programs cool the caches.
fn linear<T>(piece: &str, bytes: usize, work: impl Fn(&str) -> T) -> T {
    let once = piece.repeat(bytes / piece.len());
    let twice = once.repeat(2);
    let taken = |input: &str| cost(|| work(input)).0;
    let best = |input: &str| (0..3).map(|_| taken(input)).min().unwrap();
    let is_linear = |_| taken(&twice) < NOTHING || best(&twice) < best(&once) * 3;
    assert!((0..3).any(is_linear), "{piece:?} {bytes} times takes {:?}, twice {:?}", best(&once), best(&twice));
    work(&once)
}

#[test]
fn header_fields_are_bounded() {
    let mut raw = String::from("Subject: x\r\n");
    for n in 0..200_000 {
        write!(raw, "X-{n}: y\r\n").unwrap();
    }
    raw.push_str("Received: last\r\nFrom: a@b.c\r\n\r\nbody\r\n");
    let mail = timed("many fields", || parse(raw.as_bytes()));
    assert_eq!(mail.headers.len(), 500);
    assert_eq!(mail.received_count, 1);
    assert_eq!(mail.from.len(), 1);
    assert_eq!(mail.text.as_deref(), Some("body"));
    assert_eq!(header_values(raw.as_bytes(), "received"), ["last"]);
}

#[test]
fn header_values_are_bounded_in_total() {
    let raw = format!("{}\r\n", format!("X: {}\r\n", "y".repeat(60_000)).repeat(300));
    let mail = timed("long fields", || parse(raw.as_bytes()));
    let bytes: usize = mail.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    assert!(bytes <= 256 * 1024, "{bytes}");
}

#[test]
fn hostile_header_values_are_linear() {
    for piece in
        ["=?a?q?", "=?utf-8?b?", "=?", "\"", "(", "<", "\\\"", "a,", "a:", "((", "<\"", "=?utf-8?q?=C3?= ", "@,", ";"]
    {
        for name in ["From", "Subject", "References", "Content-Type: multipart/mixed; boundary", "Date", "Message-ID"] {
            let mail = linear(piece, 100_000, |value| parse(format!("{name}: {value}\r\n\r\n").as_bytes()));
            assert!(mail.from.len() <= 1000);
        }
    }
}

#[test]
fn part_count_is_bounded() {
    let raw = format!(
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n{}",
        "--b\r\nContent-Type: image/png\r\n\r\nx\r\n".repeat(100_000)
    );
    let mail = timed("parts", || parse(raw.as_bytes()));
    assert!(mail.attachments.len() < 1000, "{}", mail.attachments.len());
    let empty = format!("Content-Type: multipart/mixed; boundary=b\n\n{}", "--b\n".repeat(2_000_000));
    timed("empty parts", || parse(empty.as_bytes()));
}

#[test]
fn multipart_depth_is_bounded() {
    for depth in [120, 5_000] {
        let mut raw = String::new();
        for level in 0..depth {
            write!(raw, "Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n").unwrap();
        }
        raw.push_str("Content-Type: text/plain\r\n\r\ndeep\r\n");
        for level in (0..depth).rev() {
            write!(raw, "--b{level}--\r\n").unwrap();
        }
        let mail = timed("nesting", || parse(raw.as_bytes()));
        if depth < 300 {
            assert_eq!(mail.text.as_deref(), Some("deep"));
        }
    }
}

#[test]
fn boundary_like_lines_are_linear() {
    let mut raw = String::new();
    for level in 0..200 {
        write!(raw, "Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n").unwrap();
    }
    raw.push_str("\r\n");
    raw.push_str(&"--b\r\n".repeat(200_000));
    timed("false boundaries", || parse(raw.as_bytes()));
}

#[test]
fn hostile_html_is_linear() {
    for piece in [
        "<div>",
        "</p>",
        "<",
        "<a href=\"",
        "<!--",
        "<!",
        "<style>",
        "<title",
        "&",
        "&ampx",
        "&amp;x",
        "&zwnj;",
        "&bogus;",
        "&#x26;",
        "<blockquote type=cite>",
        "<p a='",
        "<div class=gmail_quote>x</div>y",
        "<br>",
        "<td>",
        "</",
        "<a href=http://x>",
        "<svg/>",
        "<b \"",
        "<script></scrip>",
        "<div style=\"border-top:solid #E1E1E1\">",
        "<pre>\n",
        "<blockquote>",
        "<blockquote>a<br>",
    ] {
        let html = piece.repeat(300_000 / piece.len());
        let text = timed(piece, || text_from_html(&html));
        assert!(text.len() <= html.len() * 4, "{piece}");
        timed(piece, || extract_html(&html));
        let raw = format!("Content-Type: text/html\r\n\r\n{html}");
        timed(piece, || parse(raw.as_bytes()));
    }
}

#[test]
fn unmarked_quotations_are_linear() {
    let long = format!("a {}<br>", "b c ".repeat(120));
    for html in ["<br><blockquote>".repeat(80_000), format!("{}{}", long.repeat(4), "<blockquote>".repeat(150_000))] {
        timed("unmarked", || extract_html(&html));
    }
}

#[test]
fn unmatched_end_tags_after_deep_nesting_are_linear() {
    linear("<div>", 1_000_000, |tags| extract_html(&format!("{tags}{}", tags.replace("<div>", "</p></span>"))));
}

#[test]
fn hostile_text_is_linear() {
    for piece in [
        "On 2020 x\n",
        "wrote:\n",
        "On 1 wrote:\n",
        "> \n",
        ">\nx\n",
        "From: a\n",
        "From: a\nSent: b\n",
        "--\n",
        "-- \n\n",
        "\n",
        "x\n",
        "Sent from my x\n",
        "Sent from my x\n\n\n",
        "-----Original Message\n",
        "___________________________\n",
        "\r",
        " ",
        "> a\n\n",
        "a@b <c>:\n> x\n",
        "On ",
        "*",
        "From:\n",
        "To: a\n\n",
        "a:\n",
        "a: \u{a0}b@c ",
        "On 5.5.2026 10:00 a@b.c\n",
        "On 5.5.2026 10:00 a@b.c wrote\n> x\n",
        "> a\n\nb:\n",
        "---- a\n",
        "-----\n\n",
        ">>> 1 >>>\n> x\n",
        "a\n1.1.2026 10:00\n",
        "AB> x\ny\n",
        ">5\n",
        "sent from\n",
        "_______________________________\nx\n",
        "： ",
    ] {
        let text = piece.repeat(300_000 / piece.len());
        timed(piece, || extract_text(&text));
        timed(piece, || preview(&text));
    }
    let padded = format!("--\n{}", "y\n".repeat(21));
    linear(&padded, 1_000_000, |marks| extract_text(&format!("x\n{marks}")));
}

#[test]
fn large_bodies_are_truncated() {
    let raw = format!("Content-Type: text/plain; charset=utf-8\r\n\r\n{}", "é".repeat(6_000_000));
    let mail = timed("large", || parse(raw.as_bytes()));
    assert!(mail.text.unwrap().len() <= 8 * 1024 * 1024 + 3);
}

#[test]
fn charset_detection_is_linear() {
    for (charset, piece) in [
        ("utf-8", &b"\xff"[..]),
        ("", b"\xc4\xe3 "),
        ("gb18030", b"\xff\xff"),
        ("iso-2022-jp", b"\x1b$B\x1b(B"),
        ("iso-2022-jp", b"\x1b$B!\x1b$A!"),
        ("iso-2022-kr", b"\x0e!\x0f"),
        ("hz-gb-2312", b"~{"),
        ("utf-7", b"+"),
        ("utf-7", b"+A"),
        ("utf-16", b"\0"),
        ("utf-32", b"\xff\0"),
        ("cp437", b"\x80"),
    ] {
        let header = format!("Content-Type: text/plain; charset={charset}\r\n\r\n");
        let raw = [header.as_bytes(), &piece.repeat(200_000 / piece.len())].concat();
        let mail = timed(charset, || parse(&raw));
        assert!(mail.text.unwrap().len() <= raw.len() * 4, "{charset} {piece:x?}");
    }
    let fields = b"X: \xe9\xff\x80\r\nTo: \xe9\xff\x80\r\n".repeat(20_000);
    timed("bytes in fields", || parse(&fields));
}

#[test]
fn hostile_words_and_parameters_are_linear() {
    for piece in [
        "=?utf-8?q?x",
        "=?a?q?=",
        "=?utf-8?b?=",
        "=?utf-8?b?YQ",
        "=?utf-8?q?a?= ",
        "=?iso-2022-jp?b?GyRC?= =?x?q?y?= ",
        "?=",
        "=??q?",
        "=?utf-8?q??",
    ] {
        linear(piece, 64 * 1024, |value| {
            let fields = format!("Subject: {value}\r\n").repeat(10);
            parse(format!("{fields}Content-Type: a/b; name=\"{value}\"\r\n\r\n").as_bytes())
        });
    }
    for piece in [
        "a=\"",
        "a=\"b\"c;",
        "name*0=\"a\";",
        "name*1*=%;",
        "a=(",
        "a=b c",
        ";",
        "\"=",
        "a= b=",
        "(x)",
        "name*99999999999=a;",
    ] {
        linear(piece, 64 * 1024, |value| {
            let fields = format!("Content-Type: a/b; {value}\r\nContent-Disposition: attachment; {value}");
            let part = format!("--b\r\n{fields}\r\n\r\n").repeat(10);
            parse(format!("Content-Type: multipart/mixed; boundary=b\r\n\r\n{part}").as_bytes())
        });
    }
}

#[test]
fn files_inside_parts_are_linear_and_bounded() {
    for piece in [
        "begin 644 a\n",
        "begin 644 a\nend\n",
        "begin 644 a\n#0V%T\n",
        "#0V%T\nend\n",
        "begin 644 a\n#0V%T\nbegin 644 a\n",
    ] {
        let mail = linear(piece, 300_000, |text| parse(format!("Subject: x\n\n{text}").as_bytes()));
        assert!(mail.attachments.len() < 1000);
    }
    let attachment = b"\x02\x02\x90\x06\x00\x00\x00\x00\x00\x00\x00\x02\x0f\x80\x06\x00\x01\x00\x00\x00x\x00\x00";
    let properties = b"\x01\x03\x90\x06\x00\x08\x00\x00\x00\xff\xff\xff\xff\x03\x00\x00\x00\x00\x00";
    let many = b"\x01\x03\x90\x06\x00\x0c\x00\x00\x00\x01\x00\x00\x00\x03\x10\x00\x00\xff\xff\xff\xff\x00\x00";
    for piece in [&attachment[..], &attachment[..11], properties, many] {
        let stream = [b"\x78\x9f\x3e\x22\x01\x00", &piece.repeat(4_000_000 / piece.len())[..]].concat();
        let raw = [b"Content-Type: application/ms-tnef\r\n\r\n", &stream[..]].concat();
        let mail = timed("winmail", || parse(&raw));
        assert!(mail.attachments.len() <= 1000);
    }
}

#[test]
fn nested_tnef_depth_is_bounded() {
    let message = b"\x07\x03\x02\0\0\0\0\0\xc0\0\0\0\0\0\0\x46";
    let mut stream = b"\x78\x9f\x3e\x22\x01\x00".to_vec();
    for _ in 0..2_000 {
        let length = u32::try_from(message.len() + stream.len()).unwrap().to_le_bytes();
        let property = [&b"\x01\0\0\0\x0d\0\x01\x37\x01\0\0\0"[..], &length, message, &stream].concat();
        let length = u32::try_from(property.len()).unwrap().to_le_bytes();
        let start = b"\x78\x9f\x3e\x22\x01\x00\x02\x02\x90\x06\x00\x00\x00\x00\x00\x00\x00\x02\x05\x90\x06\x00";
        stream = [&start[..], &length, &property, b"\0\0"].concat();
    }
    let raw = [b"Content-Type: application/ms-tnef\r\n\r\n", &stream[..]].concat();
    let mail = timed("nested winmail", || parse(&raw));
    assert_eq!(mail.attachments.len(), 1 + 9);
}

#[test]
fn large_header_is_bounded() {
    for piece in ["x", "=?utf-8?q?a?= ", "a@b.c, ", "\u{e9}", " \r\n "] {
        let mail =
            linear(piece, 1_000_000, |value| parse(format!("Subject: {value}\r\nTo: {value}\r\n\r\nbody").as_bytes()));
        assert_eq!(mail.text.as_deref(), Some("body"));
    }
}

#[test]
fn repeated_empty_address_fields_are_linear() {
    let list = "a@example.org,".repeat(999);
    let mail = linear("To:\n", 1_000_000, |fields| parse(format!("To: {list}\n{fields}\n").as_bytes()));
    assert_eq!(mail.to.len(), 999);
}

#[test]
fn references_are_linear() {
    for (piece, text) in [("&ampx", "&x"), ("&amp;x", "&x")] {
        let raw = format!("Content-Type: text/html\r\n\r\n{}", piece.repeat(1024 * 1024 / piece.len()));
        let mail = timed(piece, || parse(raw.as_bytes()));
        assert!(mail.text.unwrap().starts_with(text));
    }
}

#[test]
fn winmail_files_are_read_in_one_walk() {
    let title = b"\x02\x10\x80\x01\x00\x02\x00\x00\x00a\x00a\x00";
    let start = b"\x02\x02\x90\x06\x00\x00\x00\x00\x00\x00\x00";
    let content = vec![b'x'; 16 * 1024];
    let data = [b"\x02\x0f\x80\x06\x00\x00\x40\x00\x00", &content[..], b"\x00\x00"].concat();
    let stream = [b"\x78\x9f\x3e\x22\x01\x00", &[start, &title[..], &data].concat().repeat(500)[..]].concat();
    let raw = [b"Content-Type: application/ms-tnef\r\n\r\n", &stream[..]].concat();
    let numbers: Vec<usize> = (1..=500).collect();
    let one = || drop(attachment_content(&raw, 500));
    let all = || assert!(attachment_contents(&raw, &numbers).iter().all(|file| file.as_ref() == Some(&content)));
    let best = |read: &dyn Fn()| (0..3).map(|_| cost(read).0).min().unwrap();
    let (one, all) = (best(&one), best(&all));
    // Processor time is counted in steps of the scheduler.
    assert!(all < one * 50 + Duration::from_millis(50), "one took {one:?}, all of 500 {all:?}");
}
