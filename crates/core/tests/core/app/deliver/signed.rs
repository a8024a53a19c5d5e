//! Signatures of outgoing mail by sender domain.

use inboxd_core::model::{DkimKey, KeyState, MailKey, QueuedMail, Route};
use inboxd_core::ports::StoreError;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{DOMAIN, NOW, id, inbox_id};

use super::{Stub, attempt, expect_settling, mail, world};

/// A mail to an external recipient from an inbox on a domain.
fn from(domain: &str) -> QueuedMail {
    let mut mail = mail(Route::Remote, &["a@example.org"]);
    if let Some(message) = &mut mail.message {
        message.inbox_id = inbox_id(&format!("scout@{domain}"));
    }
    mail
}

/// Returns the transmitted mail and the reason for a missing signature.
async fn handed_over(mut world: World, mail: &QueuedMail) -> (String, Vec<String>) {
    expect_settling(world.unit_of_work());
    let (transport, signer) = (Stub::default(), world.signer.clone());
    Box::pin(attempt(world, &transport, mail)).await;
    let raw = String::from_utf8(transport.handed_over.only().raw).unwrap();
    (raw, signer.missed_for())
}

fn own_key(sealed: &[u8]) -> DkimKey {
    DkimKey {
        organization_id: None,
        name: DOMAIN.to_owned(),
        selector: "inboxd7".to_owned(),
        sealed: sealed.to_vec(),
        public_key: String::new(),
        state: KeyState::Active,
        changed_at: NOW,
    }
}

fn with_own_key(sealed: &'static [u8]) -> World {
    let mut world = world();
    world.store.expect_dkim_keys().returning(move |_, name| {
        assert_eq!(name, DOMAIN);
        Ok(vec![DkimKey { state: KeyState::Next, selector: "next".to_owned(), ..own_key(b"") }, own_key(sealed)])
    });
    world
}

const SEALED: &[u8] = b"sealed for dkim key inboxd7 of inboxd.example: own";

#[tokio::test]
async fn service_key_signs_for_own_domains_and_domains_without_key() {
    for domain in [DOMAIN, "signup.inboxd.example", "unproven.example"] {
        let (raw, missed) = handed_over(with_own_key(SEALED), &from(domain)).await;
        assert!(raw.starts_with("DKIM-Signature: d=inboxd.example; s=inboxd7; key=own\r\n"), "{domain}: {raw}");
        assert!(missed.is_empty());
    }
}

#[tokio::test]
async fn custom_domain_signs_with_its_first_or_rotated_key() {
    let born = [b"sealed for ", id::<inboxd_core::model::DomainId>(30).0.as_bytes().as_slice(), b": born"].concat();
    let later = b"sealed for dkim key inboxd9 of custom.example: later".to_vec();
    for (selector, sealed, born_with, private) in
        [("inboxd", born, Some(id(30)), "born"), ("inboxd9", later, None, "later")]
    {
        let mut world = world();
        world.store.expect_mail_key().once().return_once(move |organization_id, names| {
            assert_eq!(organization_id, id(1));
            let names: Vec<&str> = names.iter().map(inboxd_core::model::DomainName::as_str).collect();
            assert_eq!(names, ["below.custom.example", "custom.example"]);
            Ok(Some(MailKey { name: "custom.example".to_owned(), selector: selector.to_owned(), sealed, born_with }))
        });
        let (raw, missed) = handed_over(world, &from("below.custom.example")).await;
        assert!(
            raw.starts_with(&format!("DKIM-Signature: d=custom.example; s={selector}; key={private}\r\n")),
            "{raw}"
        );
        assert!(missed.is_empty());
    }
}

#[tokio::test]
async fn mail_without_key_is_sent_unsigned_with_reason() {
    let mut waiting = world();
    waiting.store.expect_dkim_keys().returning(|_, _| Ok(vec![DkimKey { state: KeyState::Next, ..own_key(SEALED) }]));
    let cases = [(world(), "none was made"), (waiting, "its record does not stand in DNS yet")];
    for (world, reason) in cases {
        let (raw, missed) = handed_over(world, &from(DOMAIN)).await;
        assert!(!raw.contains("DKIM-Signature"), "{raw}");
        assert!(missed.len() == 1 && missed[0].contains(reason), "{reason}: {missed:?}");
    }
}

#[tokio::test]
async fn message_with_unreadable_signing_key_is_deferred() {
    let mut broken = world();
    broken.store.expect_mail_key().returning(|_, _| Err(StoreError::Unavailable("away".to_owned())));
    let mut broken_own = world();
    broken_own.store.expect_dkim_keys().returning(|_, _| Err(StoreError::Unavailable("away".to_owned())));
    let cases = [
        (with_own_key(b"sealed for another"), DOMAIN),
        (with_own_key(b"sealed for dkim key inboxd7 of inboxd.example: "), DOMAIN),
        (broken, "custom.example"),
        (broken_own, DOMAIN),
    ];
    for (mut world, domain) in cases {
        expect_settling(world.unit_of_work());
        let transport = Stub::default();
        let delivered = Box::pin(attempt(world, &transport, &from(domain))).await;
        assert_eq!((delivered.deferred, delivered.delivered, delivered.bounced), (1, 0, 0));
        assert_eq!(transport.handed_over.all(), []);
    }
}

#[tokio::test]
async fn local_domain_names_are_not_signed() {
    let mut world = world();
    world.settings.domain = "inboxd.localhost".to_owned();
    world.settings.signup_domain = "signup.inboxd.localhost".to_owned();
    let (raw, missed) = handed_over(world, &from("inboxd.localhost")).await;
    assert!(!raw.contains("DKIM-Signature") && missed.is_empty(), "{raw} {missed:?}");
}
