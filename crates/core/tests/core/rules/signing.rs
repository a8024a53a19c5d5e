use inboxd_core::rules::signing::{SigningKey, same};
use inboxd_core::testing::fixtures::id;
use proptest::prelude::*;

fn key() -> SigningKey {
    SigningKey::new([7; 32])
}

#[test]
fn signed_text_is_verified() {
    for payload in [&b""[..], b"x", &[0, 255, 10, 13]] {
        let text = key().sign("download", payload);
        assert!(text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_'), "{text}");
        assert_eq!(key().verify("download", &text).as_deref(), Some(payload));
    }
}

#[test]
fn other_purpose_or_key_is_refused() {
    let text = key().sign("download", b"payload");
    assert_eq!(key().verify("page", &text), None);
    assert_eq!(key().verify("downloads", &text), None);
    assert_eq!(SigningKey::new([8; 32]).verify("download", &text), None);
}

#[test]
fn malformed_signature_is_refused() {
    for text in ["", "a", "====", "not base64 !", "AAAAAAAAAAAAAAAAAAAAAA", &"A".repeat(10_000)] {
        assert_eq!(key().verify("download", text), None, "{text:?}");
    }
}

#[test]
fn parts_are_separated() {
    assert_ne!(key().mac("p", &[b"ab", b"c"]), key().mac("p", &[b"a", b"bc"]));
    assert_ne!(key().mac("p", &[b"ab"]), key().mac("p", &[b"ab", b""]));
    assert_ne!(key().mac("pa", &[b"b"]), key().mac("p", &[b"ab"]));
}

#[test]
fn code_is_bound_to_organization() {
    assert_eq!(key().code_hash(id(1), "123456"), key().code_hash(id(1), "123456"));
    assert_ne!(key().code_hash(id(1), "123456"), key().code_hash(id(2), "123456"));
    assert_ne!(key().code_hash(id(1), "123456"), key().code_hash(id(1), "123457"));
}

#[test]
fn comparison_accepts_only_equal_bytes() {
    assert!(same(b"abc", b"abc"));
    assert!(!same(b"abc", b"abd") && !same(b"abc", b"ab") && !same(b"", b"a"));
}

proptest! {
    #[test]
    fn changed_text_is_refused(payload: Vec<u8>, place: prop::sample::Index, letter in "[A-Za-z0-9_-]") {
        let text = key().sign("download", &payload);
        let place = place.index(text.len());
        let mut changed = text.clone();
        changed.replace_range(place..=place, &letter);
        prop_assume!(changed != text);
        prop_assert_eq!(key().verify("download", &changed), None);
    }

    #[test]
    fn shortened_text_is_refused(payload: Vec<u8>, cut: prop::sample::Index) {
        let text = key().sign("download", &payload);
        prop_assert_eq!(key().verify("download", &text[..cut.index(text.len())]), None);
    }
}
