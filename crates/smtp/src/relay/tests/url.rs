//! `smtp://user:pass@host:port`.

use crate::relay::{Credentials, Relay, RelayError, RelayOptions, RelayUrl, Security, UrlError};

fn url(text: &str) -> RelayUrl {
    text.parse().unwrap()
}

#[test]
fn relays_are_read() {
    let table = [
        ("smtp://mail.example", "mail.example", 25, Security::StartTls),
        ("smtp://mail.example/", "mail.example", 25, Security::StartTls),
        ("SMTP://mail.example:2525", "mail.example", 2525, Security::StartTls),
        ("smtp://u:p@mail.example", "mail.example", 587, Security::StartTls),
        ("smtps://u:p@mail.example", "mail.example", 465, Security::Implicit),
        ("smtp://127.0.0.1:25", "127.0.0.1", 25, Security::StartTls),
        ("smtp://[::1]:2525", "::1", 2525, Security::StartTls),
        ("smtp://[2001:db8::1]", "2001:db8::1", 25, Security::StartTls),
    ];
    for (text, host, port, security) in table {
        let read = url(text);
        assert_eq!((read.host.as_str(), read.port, read.security), (host, port, security), "{text}");
        assert!(Relay::new(RelayOptions::new(read, "mx.here.example")).is_ok(), "{text}");
    }
}

#[test]
fn credentials_are_decoded_and_never_shown() {
    let read = url("smtp://us%65r%40x:p%3A%2Fs@s%25@mail.example");
    let expected = Credentials { user: "user@x".to_owned(), password: "p:/s@s%".to_owned() };
    assert_eq!(read.credentials, Some(expected));
    assert!(!format!("{read:?}").contains("s@s%"), "{read:?}");
    assert_eq!(url("smtp://mail.example").credentials, None);
}

#[test]
fn what_is_no_relay_says_why() {
    let table = [
        ("", UrlError::Scheme),
        ("mail.example:25", UrlError::Scheme),
        ("http://mail.example", UrlError::Scheme),
        ("smtp://", UrlError::Host),
        ("smtp://:25", UrlError::Host),
        ("smtp://mail example", UrlError::Host),
        ("smtp://[::1", UrlError::Host),
        ("smtp://[nine]", UrlError::Host),
        ("smtp://[::1]25", UrlError::Host),
        ("smtp://mail.example:", UrlError::Port),
        ("smtp://mail.example:0", UrlError::Port),
        ("smtp://mail.example:65536", UrlError::Port),
        ("smtp://mail.example:+25", UrlError::Port),
        ("smtp://mail.example:25/path", UrlError::Trailing),
        ("smtp://mail.example?tls=no", UrlError::Trailing),
        ("smtp://user@mail.example", UrlError::Credentials),
        ("smtp://user:@mail.example", UrlError::Credentials),
        ("smtp://:pass@mail.example", UrlError::Credentials),
        ("smtp://@mail.example", UrlError::Credentials),
        ("smtp://u:%@mail.example", UrlError::Encoding),
        ("smtp://u:%4@mail.example", UrlError::Encoding),
        ("smtp://u:%+1@mail.example", UrlError::Encoding),
        ("smtp://u:%00@mail.example", UrlError::Encoding),
        ("smtp://u:%ff@mail.example", UrlError::Encoding),
    ];
    for (text, expected) in table {
        assert_eq!(text.parse::<RelayUrl>(), Err(expected), "{text}");
    }
}

#[test]
fn a_host_name_that_would_break_ehlo_is_refused() {
    for hostname in ["", "a b", "a\r\nMAIL FROM:<>", "b\u{fc}cher.example"] {
        let made = Relay::new(RelayOptions::new(url("smtp://mail.example"), hostname));
        assert!(matches!(made, Err(RelayError::Hostname(_))), "{hostname:?}");
    }
}
