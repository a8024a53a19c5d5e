//! DKIM keys.

use inboxd_core::app::dkim::{Rotation, begin_signing, make_own_keys, rotate};
use inboxd_core::model::{DkimKey, KeyState};
use inboxd_core::ports::{KeyMaker as _, Lookup, Vault as _};
use inboxd_core::testing::fixtures::{DOMAIN, NOW};
use inboxd_core::testing::{Captured, MockTx, PlainVault, StubDns, StubKeys, World};
use time::Duration;

/// A key of a service domain.
fn key(selector: &str, state: KeyState) -> DkimKey {
    DkimKey {
        organization_id: None,
        name: DOMAIN.to_owned(),
        selector: selector.to_owned(),
        sealed: b"sealed".to_vec(),
        public_key: "cHVibGlj".to_owned(),
        state,
        changed_at: NOW,
    }
}

/// An environment with these keys of a service domain.
fn world(keys: Vec<DkimKey>) -> World {
    let mut world = World::default();
    world.store.expect_dkim_keys().returning(move |organization_id, name| {
        assert_eq!((organization_id, name), (None, DOMAIN));
        Ok(keys.clone())
    });
    world
}

fn inserts(tx: &mut MockTx) -> Captured<DkimKey> {
    let inserted = Captured::default();
    let seen = inserted.clone();
    tx.domains.expect_insert_dkim_key().once().returning(move |key| {
        seen.push(key.clone());
        Ok(true)
    });
    inserted
}

#[tokio::test]
async fn service_key_is_created_once_and_encrypted_for_its_name() {
    let mut world = world(Vec::new());
    let inserted = inserts(world.unit_of_work());
    let journal = world.journal.clone();
    make_own_keys(&world.app()).await.unwrap();
    let made = inserted.only();
    assert_eq!((made.name.as_str(), made.selector.as_str(), made.state), (DOMAIN, "inboxd", KeyState::Next));
    let private = PlainVault.open(format!("dkim key inboxd of {DOMAIN}").as_bytes(), &made.sealed).unwrap();
    assert_eq!(private, StubKeys.rsa_2048().await.unwrap().private);
    assert_eq!(journal.commits(), 1);
    // The sign-up domain below it needs no key, and a domain with a key gets no other.
    for state in [KeyState::Next, KeyState::Active] {
        make_own_keys(&self::world(vec![key("inboxd", state)]).app()).await.unwrap();
    }
}

#[tokio::test]
async fn first_key_is_used_when_published_and_later_one_on_rotation() {
    let first = key("inboxd", KeyState::Next);
    let name = format!("inboxd._domainkey.{DOMAIN}");
    for answer in [Lookup::Absent, Lookup::Failed("silence".to_owned()), Lookup::Found(vec!["v=DKIM1; p=".to_owned()])]
    {
        let mut waiting = world(vec![first.clone()]);
        waiting.dns = StubDns::default().with_txt(&name, answer);
        assert!(!begin_signing(&waiting.app()).await.unwrap());
    }
    let stands = Lookup::Found(vec![format!("v=DKIM1; k=rsa; p={}", first.public_key)]);
    let mut published = world(vec![first.clone()]);
    published.dns = StubDns::default().with_txt(&name, stands.clone());
    let promoted = Captured::default();
    let seen = promoted.clone();
    published.unit_of_work().domains.expect_promote_dkim_key().once().returning(move |key, at| {
        seen.push((key.clone(), at));
        Ok(())
    });
    let journal = published.journal.clone();
    assert!(begin_signing(&published.app()).await.unwrap());
    assert_eq!((promoted.only(), journal.commits()), ((first.clone(), NOW), 1));

    let mut rotating = world(vec![key("before", KeyState::Active), first]);
    rotating.dns = StubDns::default().with_txt(&name, stands);
    assert!(begin_signing(&rotating.app()).await.unwrap(), "one signs, and the other one stays");
}

#[tokio::test]
async fn new_key_is_used_only_when_published() {
    let active = key("inboxd", KeyState::Active);
    let mut begun = world(vec![active.clone()]);
    let inserted = inserts(begun.unit_of_work());
    let Rotation::Publish { name, value, reason: None } = rotate(&begun.app(), DOMAIN).await.unwrap() else {
        panic!("no pending key yet");
    };
    let next = inserted.only();
    assert_eq!((next.state, name.clone()), (KeyState::Next, format!("{}._domainkey.{DOMAIN}", next.selector)));
    assert_ne!(next.selector, "inboxd", "both records are published");

    // The key waits: nothing is stored for a wrong record or silent DNS.
    for answer in [Lookup::Absent, Lookup::Failed("silence".to_owned()), Lookup::Found(vec!["v=DKIM1; p=".to_owned()])]
    {
        let mut waiting = world(vec![active.clone(), next.clone()]);
        waiting.dns = StubDns::default().with_txt(&name, answer);
        let said = rotate(&waiting.app(), DOMAIN).await.unwrap();
        assert!(matches!(&said, Rotation::Publish { value: wanted, .. } if *wanted == value), "{said:?}");
    }

    let mut published = world(vec![active, next.clone()]);
    published.dns = StubDns::default().with_txt(&name, Lookup::Found(vec![value]));
    let promoted = Captured::default();
    let seen = promoted.clone();
    published.unit_of_work().domains.expect_promote_dkim_key().once().returning(move |key, at| {
        seen.push((key.clone(), at));
        Ok(())
    });
    let journal = published.journal.clone();
    let said = rotate(&published.app(), DOMAIN).await.unwrap();
    let old = (format!("inboxd._domainkey.{DOMAIN}"), NOW + Duration::days(7));
    assert_eq!(said, Rotation::Switched { name, old: Some(old) });
    assert_eq!((promoted.only(), journal.commits()), ((next, NOW), 1));
}

#[tokio::test]
async fn only_signing_service_domains_are_rotated() {
    for name in ["example.org", "signup.inboxd.example", ""] {
        let refused = rotate(&World::default().app(), name).await.unwrap_err();
        assert!(format!("{refused:?}").contains(DOMAIN), "{refused:?}");
    }
}
