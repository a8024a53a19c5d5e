//! Linear time of code and link extraction for hostile input.

use std::time::Duration;

use inboxd_mail::{extract_codes, extract_links};

use crate::cost::{assert_linear, best_cost};

/// Maximum number of bytes read of a text.
const READ: usize = 128 * 1024;
/// Minimum time with a meaning on a shared machine.
const NOISE: Duration = Duration::from_millis(500);

/// Fails if a text four times as long takes much more than four times as long, or if text beyond the limit is read.
fn assert_bounded(name: &str, of_length: impl Fn(usize) -> String, work: impl Fn(&str)) {
    let [quarter, whole, beyond] = [READ / 4, READ, 32 * READ].map(of_length);
    let taken = assert_linear(name, NOISE, || work(&whole), || work(&quarter));
    let limit = taken * 4 + NOISE;
    let longer = best_cost(limit, || work(&beyond));
    assert!(longer < limit, "{name}: the whole takes {taken:?}, with the text beyond it {longer:?}");
}

fn repeated(piece: &str) -> impl Fn(usize) -> String {
    move |length| piece.repeat(length / piece.len())
}

#[test]
fn text_is_linear() {
    for piece in [
        "1",
        "1 ",
        "12 ",
        "4839 ",
        "483920\n",
        "code ",
        "code 4839 ",
        "your code: ",
        "A7K9QZ ",
        "A-",
        "1-",
        ".",
        "-\n",
        "验证码",
        "代码4839代码",
        "https://a.example/verify ",
        "https://",
        "(https://a",
        "ABCDEF ",
    ] {
        assert_bounded(piece, repeated(piece), |text| {
            assert!(extract_codes(Some(text), text).len() <= 10);
            assert!(extract_links(Some(text), text, None).len() <= 10);
        });
    }
}

#[test]
fn search_before_each_number_is_linear() {
    for (long, number) in [("代码", "代码4839代码"), ("-", " 4839"), ("code", "code 4839 "), ("- ", "4839\n")] {
        let text = |length| [repeated(long)(length / 2), repeated(number)(length / 2)].concat();
        assert_bounded(long, text, |text| assert!(extract_codes(None, text).len() <= 10));
    }
}

#[test]
fn brackets_after_link_are_linear() {
    for piece in [")", ".)", "("] {
        let text = |length| ["https://a.example/x", &repeated(piece)(length)].concat();
        assert_bounded(piece, text, |text| assert_eq!(extract_links(None, text, None), []));
    }
}

#[test]
fn html_is_linear() {
    for piece in [
        "<a href='https://a.example/verify?token=8fK2mQ9xT1'>Verify your email</a>",
        "<a href=https://a.example/v>",
        "<a href=mailto:a@b.example>a</a>",
        "Confirm <b>",
        "<img alt='verify'>",
        "<a href='",
    ] {
        let [quarter, whole] = [2 * READ, 8 * READ].map(repeated(piece));
        let work = |html: &str| assert!(extract_links(None, "", Some(html)).len() <= 10);
        assert_linear(piece, NOISE, || work(&whole), || work(&quarter));
    }
}
