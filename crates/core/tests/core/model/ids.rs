use inboxd_core::model::api_key::{PlaintextKey, hash_key};
use inboxd_core::model::{ApiKeyId, InboxId, MessageId, OrganizationId};
use inboxd_core::testing::fixtures::{address, id};
use proptest::prelude::*;
use uuid::Uuid;

#[test]
fn id_prefix_names_resource() {
    let organization: OrganizationId = id(0xabc);
    assert_eq!(organization.to_string(), "org_00000000000000000000000000000abc");
    assert_eq!("org_00000000000000000000000000000abc".parse(), Ok(organization));
}

#[test]
fn only_canonical_form_is_id() {
    for text in [
        "",
        "org_",
        "00000000000000000000000000000abc",
        "key_00000000000000000000000000000abc",
        "org_0000000000000000000000000000abc",
        "org_00000000-0000-0000-0000-000000000abc",
        "org_{0000000000000000000000000000000abc}",
        "org_0000000000000000000000000000zzzz",
        "ORG_00000000000000000000000000000abc",
    ] {
        assert!(text.parse::<OrganizationId>().is_err(), "{text}");
    }
}

#[test]
fn malformed_id_is_refused_with_expected_form() {
    let error = "org_nope".parse::<OrganizationId>().unwrap_err();
    assert_eq!(error.to_string(), "not an id of this kind: it is `org_` and 32 hex digits");
}

#[test]
fn inbox_id_is_lower_case_address() {
    let inbox_id = InboxId::of(&address("Scout+Tag@Inboxd.Example"));
    assert_eq!(inbox_id.as_str(), "scout+tag@inboxd.example");
    assert_eq!((inbox_id.username(), inbox_id.domain()), ("scout+tag", "inboxd.example"));
}

#[test]
fn message_id_is_accepted_with_and_without_brackets() {
    assert_eq!(MessageId::parse("a/b@c"), MessageId::parse(" <a/b@c> "));
    assert_eq!(MessageId::parse("no at sign"), None);
}

#[test]
fn generated_message_id_needs_no_escaping_in_path() {
    let minted = MessageId::minted(Uuid::from_u128(u128::MAX), "inboxd.example");
    let local = minted.as_str().trim_start_matches('<').split('@').next().unwrap();
    assert!(local.bytes().all(|c| c.is_ascii_alphanumeric() || b"._-".contains(&c)), "{minted}");
}

#[test]
fn key_is_found_by_hash_and_recognized_by_prefix() {
    let key = PlaintextKey::from_random([0; 32]);
    assert_eq!(key.reveal(), format!("am_{}", "A".repeat(43)));
    assert_eq!(key.prefix(), "am_AAAAAAAAA");
    assert_eq!(key.prefix().len(), 12);
    assert_eq!(key.hash(), hash_key(key.reveal()));
    assert_ne!(key.hash(), PlaintextKey::from_random([1; 32]).hash());
    // `printf 'am_AAAA…' | sha256sum` with 43 times `A`.
    let sha_256 = "97a82582f6205685cf346aa59f9c089eb8228f9cbac56c763dc0652af8411ac3";
    let byte = |pair: usize| u8::from_str_radix(&sha_256[2 * pair..2 * pair + 2], 16).unwrap();
    assert_eq!(key.hash(), std::array::from_fn(byte));
}

proptest! {
    #[test]
    fn ids_survive_round_trip(number: u128) {
        let id: ApiKeyId = id(number);
        prop_assert_eq!(id.to_string().parse(), Ok(id));
    }
}
