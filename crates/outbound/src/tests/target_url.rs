use proptest::prelude::*;

use crate::request_error::RequestError;
use crate::target_url::TargetUrl;

#[test]
fn address_spelling_is_normalized() {
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
        assert_eq!(TargetUrl::parse(text).unwrap().uri().to_string(), normal, "{text}");
    }
}

#[test]
fn invalid_url_is_refused_with_cause() {
    for (text, error) in [
        ("", RequestError::InvalidUrl),
        ("example.org/file.pdf", RequestError::InvalidUrl),
        ("http://", RequestError::InvalidUrl),
        ("http://exa mple.org/", RequestError::InvalidUrl),
        ("http://256.256.256.256/", RequestError::InvalidUrl),
        ("http://example.org:99999/", RequestError::InvalidUrl),
        ("ftp://example.org/", RequestError::Scheme),
        ("file:///etc/passwd", RequestError::Scheme),
        ("gopher://127.0.0.1:25/", RequestError::Scheme),
        ("data:text/plain,hello", RequestError::Scheme),
        ("http://user@example.org/", RequestError::Credentials),
        ("http://user:secret@example.org/", RequestError::Credentials),
        ("http://:secret@example.org/", RequestError::Credentials),
    ] {
        assert_eq!(TargetUrl::parse(text), Err(error), "{text}");
    }
    let long = format!("http://example.org/{}", "a".repeat(9_000));
    assert_eq!(TargetUrl::parse(&long), Err(RequestError::UrlTooLong { max: 8_192 }));
}

#[test]
fn redirect_is_resolved_against_its_url() {
    let start = TargetUrl::parse("https://example.org/a/b?c").unwrap();
    for (location, leads) in [
        ("/d", "https://example.org/d"),
        ("d", "https://example.org/a/d"),
        ("//other.example/d", "https://other.example/d"),
        ("http://other.example/#top", "http://other.example/"),
    ] {
        assert_eq!(start.resolve_redirect(location.as_bytes()).unwrap().uri().to_string(), leads, "{location}");
    }
    assert_eq!(start.resolve_redirect(b"ftp://example.org/"), Err(RequestError::Scheme));
    assert_eq!(start.resolve_redirect(b"http://a:b@example.org/"), Err(RequestError::Credentials));
    assert_eq!(start.resolve_redirect(b"http://[/"), Err(RequestError::InvalidRedirect));
    assert_eq!(start.resolve_redirect(b"\xff"), Err(RequestError::InvalidRedirect));
    assert_eq!(start.resolve_redirect(&[b'a'; 9_000]), Err(RequestError::InvalidRedirect));
}

proptest! {
    #[test]
    fn arbitrary_text_does_not_panic(text in "\\PC{0,80}") {
        if let Ok(target) = TargetUrl::parse(&format!("http://{text}")) {
            prop_assert!(target.uri().host().is_some_and(|host| !host.is_empty()));
        }
    }
}
