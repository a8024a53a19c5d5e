use inboxd_core::rules::deduplication::{DedupDecision, decide, digest, generated_message_id};
use inboxd_core::testing::fixtures::{address, message_id};
use proptest::prelude::*;
use uuid::Uuid;

const DOMAIN: &str = "inboxd.example";

#[test]
fn digest_distinguishes_mails_and_senders() {
    let (anna, ben) = (address("anna@example.org"), address("ben@example.org"));
    let one = digest(Some(&anna), b"mail");
    assert_eq!(one, digest(Some(&address("ANNA@example.org")), b"mail"));
    assert_ne!(one, digest(Some(&ben), b"mail"));
    assert_ne!(one, digest(None, b"mail"));
    assert_ne!(one, digest(Some(&anna), b"mail "));
}

#[test]
fn new_message_id_is_retained() {
    let id = message_id("<a@example.org>");
    let expected = DedupDecision::New { message_id: id.clone(), header_message_id: None };
    assert_eq!(decide(id, &[1; 32], &[], DOMAIN), expected);
}

#[test]
fn equal_bytes_are_retransmission() {
    let id = message_id("<a@example.org>");
    assert_eq!(decide(id.clone(), &[1; 32], &[Some([1; 32])], DOMAIN), DedupDecision::Duplicate);
    let among_others = [None, Some([2; 32]), Some([1; 32])];
    assert_eq!(decide(id, &[1; 32], &among_others, DOMAIN), DedupDecision::Duplicate);
}

#[test]
fn different_bytes_with_known_message_id_get_new_id() {
    let id = message_id("<a@example.org>");
    for known in [Some([2; 32]), None] {
        let DedupDecision::New { message_id, header_message_id } = decide(id.clone(), &[1; 32], &[known], DOMAIN)
        else {
            panic!("not a retransmission")
        };
        assert_eq!(header_message_id, Some(id.clone()));
        assert_ne!(message_id, id);
        assert!(message_id.as_str().ends_with("@inboxd.example>"), "{message_id}");
    }
}

#[test]
fn missing_message_id_is_generated() {
    let DedupDecision::New { message_id, header_message_id } = generated_message_id(Uuid::from_u128(5), DOMAIN) else {
        panic!("not a retransmission")
    };
    assert_eq!(message_id.as_str(), "<00000000000000000000000000000005@inboxd.example>");
    assert_eq!(header_message_id, None);
}

proptest! {
    #[test]
    fn concurrent_copies_get_equal_ids_and_other_mails_different_ones(one: [u8; 32], other: [u8; 32]) {
        prop_assume!(one[..16] != other[..16]);
        let of = |digest: &[u8; 32]| decide(message_id("<a@example.org>"), digest, &[None], DOMAIN);
        prop_assert_eq!(of(&one), of(&one));
        // Fourteen and a half of the sixteen bytes are free; digests that differ there have different ids.
        if one[9..16] != other[9..16] {
            prop_assert_ne!(of(&one), of(&other));
        }
    }
}
