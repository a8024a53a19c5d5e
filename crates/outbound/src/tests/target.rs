use proptest::prelude::*;

use crate::problem::Problem;
use crate::target::Target;

#[test]
fn an_address_in_any_spelling_is_brought_into_the_usual_one() {
    for (text, normal) in [
        ("http://0x7f000001/", "http://127.0.0.1/"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://2130706433/a", "http://127.0.0.1/a"),
        ("http://0177.0.0.1/", "http://127.0.0.1/"),
        ("http://127。0。0。1/", "http://127.0.0.1/"),
        ("http:\\\\127.0.0.1\\a", "http://127.0.0.1/a"),
        ("HTTPS://Example.ORG:8443/a?b=c#d", "https://example.org:8443/a?b=c"),
        ("http://example.org", "http://example.org/"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
    ] {
        assert_eq!(Target::parse(text).unwrap().uri().to_string(), normal, "{text}");
    }
}

#[test]
fn what_is_no_web_address_is_refused_with_its_cause() {
    for (text, problem) in [
        ("", Problem::NoUrl),
        ("example.org/file.pdf", Problem::NoUrl),
        ("http://", Problem::NoUrl),
        ("http://exa mple.org/", Problem::NoUrl),
        ("http://256.256.256.256/", Problem::NoUrl),
        ("http://example.org:99999/", Problem::NoUrl),
        ("ftp://example.org/", Problem::Scheme),
        ("file:///etc/passwd", Problem::Scheme),
        ("gopher://127.0.0.1:25/", Problem::Scheme),
        ("data:text/plain,hello", Problem::Scheme),
        ("http://user@example.org/", Problem::Credentials),
        ("http://user:secret@example.org/", Problem::Credentials),
        ("http://:secret@example.org/", Problem::Credentials),
    ] {
        assert_eq!(Target::parse(text), Err(problem), "{text}");
    }
    let long = format!("http://example.org/{}", "a".repeat(9_000));
    assert_eq!(Target::parse(&long), Err(Problem::UrlTooLong { most: 8_192 }));
}

#[test]
fn a_redirect_is_read_from_where_it_was_met() {
    let start = Target::parse("https://example.org/a/b?c").unwrap();
    for (location, leads) in [
        ("/d", "https://example.org/d"),
        ("d", "https://example.org/a/d"),
        ("//other.example/d", "https://other.example/d"),
        ("http://other.example/#top", "http://other.example/"),
    ] {
        assert_eq!(start.redirected(location.as_bytes()).unwrap().uri().to_string(), leads, "{location}");
    }
    assert_eq!(start.redirected(b"ftp://example.org/"), Err(Problem::Scheme));
    assert_eq!(start.redirected(b"http://a:b@example.org/"), Err(Problem::Credentials));
    assert_eq!(start.redirected(b"http://[/"), Err(Problem::BadRedirect));
    assert_eq!(start.redirected(b"\xff"), Err(Problem::BadRedirect));
    assert_eq!(start.redirected(&[b'a'; 9_000]), Err(Problem::BadRedirect));
}

proptest! {
    #[test]
    fn no_text_stops_the_parser(text in "\\PC{0,80}") {
        if let Ok(target) = Target::parse(&format!("http://{text}")) {
            prop_assert!(target.uri().host().is_some_and(|host| !host.is_empty()));
        }
    }
}
