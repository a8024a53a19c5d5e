//! Relay URLs: `smtp://user:pass@host:port`.

use crate::relay::{
    RelayCredentials, RelayError, RelayOptions, RelaySecurity, RelayTransport, RelayUrl, RelayUrlError,
};

fn url(text: &str) -> RelayUrl {
    text.parse().unwrap()
}

#[test]
fn relay_url_is_parsed() {
    let table = [
        ("smtp://mail.example", "mail.example", 25, RelaySecurity::StartTls),
        ("smtp://mail.example/", "mail.example", 25, RelaySecurity::StartTls),
        ("SMTP://mail.example:2525", "mail.example", 2525, RelaySecurity::StartTls),
        ("smtp://u:p@mail.example", "mail.example", 587, RelaySecurity::StartTls),
        ("smtps://u:p@mail.example", "mail.example", 465, RelaySecurity::Implicit),
        ("smtp://127.0.0.1:25", "127.0.0.1", 25, RelaySecurity::StartTls),
        ("smtp://[::1]:2525", "::1", 2525, RelaySecurity::StartTls),
        ("smtp://[2001:db8::1]", "2001:db8::1", 25, RelaySecurity::StartTls),
    ];
    for (text, host, port, security) in table {
        let read = url(text);
        assert_eq!((read.host.as_str(), read.port, read.security), (host, port, security), "{text}");
        assert!(RelayTransport::new(RelayOptions::new(read, "mx.here.example")).is_ok(), "{text}");
    }
}

#[test]
fn credentials_are_decoded_and_not_displayed() {
    let read = url("smtp://us%65r%40x:p%3A%2Fs@s%25@mail.example");
    let expected = RelayCredentials { user: "user@x".to_owned(), password: "p:/s@s%".to_owned() };
    assert_eq!(read.credentials, Some(expected));
    assert!(!format!("{read:?}").contains("s@s%"), "{read:?}");
    assert_eq!(url("smtp://mail.example").credentials, None);
}

#[test]
fn invalid_relay_url_names_cause() {
    let table = [
        ("", RelayUrlError::Scheme),
        ("mail.example:25", RelayUrlError::Scheme),
        ("http://mail.example", RelayUrlError::Scheme),
        ("smtp://", RelayUrlError::Host),
        ("smtp://:25", RelayUrlError::Host),
        ("smtp://mail example", RelayUrlError::Host),
        ("smtp://[::1", RelayUrlError::Host),
        ("smtp://[nine]", RelayUrlError::Host),
        ("smtp://[::1]25", RelayUrlError::Host),
        ("smtp://mail.example:", RelayUrlError::Port),
        ("smtp://mail.example:0", RelayUrlError::Port),
        ("smtp://mail.example:65536", RelayUrlError::Port),
        ("smtp://mail.example:+25", RelayUrlError::Port),
        ("smtp://mail.example:25/path", RelayUrlError::Trailing),
        ("smtp://mail.example?tls=no", RelayUrlError::Trailing),
        ("smtp://user@mail.example", RelayUrlError::Credentials),
        ("smtp://user:@mail.example", RelayUrlError::Credentials),
        ("smtp://:pass@mail.example", RelayUrlError::Credentials),
        ("smtp://@mail.example", RelayUrlError::Credentials),
        ("smtp://u:%@mail.example", RelayUrlError::Encoding),
        ("smtp://u:%4@mail.example", RelayUrlError::Encoding),
        ("smtp://u:%+1@mail.example", RelayUrlError::Encoding),
        ("smtp://u:%00@mail.example", RelayUrlError::Encoding),
        ("smtp://u:%ff@mail.example", RelayUrlError::Encoding),
    ];
    for (text, expected) in table {
        assert_eq!(text.parse::<RelayUrl>(), Err(expected), "{text}");
    }
}

#[test]
fn invalid_ehlo_name_is_refused() {
    for hostname in ["", "a b", "a\r\nMAIL FROM:<>", "b\u{fc}cher.example"] {
        let made = RelayTransport::new(RelayOptions::new(url("smtp://mail.example"), hostname));
        assert!(matches!(made, Err(RelayError::Hostname(_))), "{hostname:?}");
    }
}
