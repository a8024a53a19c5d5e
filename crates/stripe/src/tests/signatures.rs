//! Signature check of events.

use inboxd_core::ports::NoticeError;
use time::{Duration, OffsetDateTime};

use crate::signature::verify;

/// Computed with `openssl dgst -sha256 -hmac whsec_test` over `1795000000.{"id":"evt_1"}`.
const TRUE: &str = "9768205fbb644a6a645cdd13f225c6791ed91580e4d16c14b9a8e73cd4ba4393";
const BODY: &[u8] = br#"{"id":"evt_1"}"#;

fn now() -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(1_795_000_000).unwrap()
}

fn reason(secret: &str, header: Option<&str>, body: &[u8], now: OffsetDateTime) -> Option<String> {
    match verify(secret, header, body, now) {
        Ok(()) => None,
        Err(NoticeError::Unproven(reason)) => Some(reason),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn valid_signature_is_accepted() {
    let other = "0".repeat(64);
    for header in [
        format!("t=1795000000,v1={TRUE}"),
        format!("v1={TRUE},t=1795000000"),
        format!("t=1795000000, v1={other}, v1={TRUE}, v0={other}"),
        format!("t=1795000000,v1={}", TRUE.to_uppercase()),
        format!("t=1795000000,v1=short,v1={TRUE},v2"),
    ] {
        assert_eq!(reason(super::SECRET, Some(&header), BODY, now()), None, "{header}");
    }
}

#[test]
fn forged_signature_is_refused() {
    let header = format!("t=1795000000,v1={TRUE}");
    let forged = "does not match";
    for (secret, header, body) in [
        ("whsec_other", header.as_str(), BODY),
        (super::SECRET, &header, br#"{"id":"evt_2"}"#.as_slice()),
        (super::SECRET, &header, b""),
        (super::SECRET, &format!("t=1795000001,v1={TRUE}"), BODY),
        (super::SECRET, &format!("t=01795000000,v1={TRUE}"), BODY),
        (super::SECRET, &format!("t=1795000000,v1={}", "0".repeat(64)), BODY),
    ] {
        assert!(reason(secret, Some(header), body, now()).unwrap().contains(forged), "{header}");
    }
    for header in [
        "",
        "nonsense",
        "t=1795000000",
        "t=1795000000,v1=",
        "t=now,v1=00",
        &format!("v1={TRUE}"),
        &format!("t=,v1={TRUE}"),
        &format!("t=-1795000000,v1={TRUE}"),
        &format!("t=99999999999999999999,v1={TRUE}"),
        &format!("t=1795000000,v0={TRUE}"),
        &format!("t=1795000000,v1={TRUE}{}", ",x=y".repeat(2_000)),
        &format!("t=1795000000,v1={}", "+f".repeat(32)),
        &format!("t=1795000000,v1={}", "é".repeat(32)),
    ] {
        assert!(reason(super::SECRET, Some(header), BODY, now()).unwrap().contains("t=…,v1=…"), "{header}");
    }
    assert!(reason(super::SECRET, None, BODY, now()).unwrap().contains("no header"));
}

#[test]
fn signature_expires_after_five_minutes() {
    let header = format!("t=1795000000,v1={TRUE}");
    for (seconds, is_good) in [(300, true), (-300, true), (301, false), (-301, false), (86_400, false)] {
        let refused = reason(super::SECRET, Some(&header), BODY, now() + Duration::seconds(seconds));
        assert_eq!(refused.is_none(), is_good, "{seconds} s: {refused:?}");
        assert!(refused.is_none_or(|reason| reason.contains("5 minutes")));
    }
}
