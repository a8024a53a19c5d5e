//! DKIM keys.

use inboxd_core::model::domain::{RecordPurpose, RecordStatus};
use inboxd_core::model::{DkimKey, Domain, DomainName, DomainRecord, KeyState, MailKey, OrganizationId};
use inboxd_core::ports::DomainReads;

use crate::domains::domain;
use crate::support::*;

fn key(organization_id: Option<OrganizationId>, name: &str, selector: &str, state: KeyState) -> DkimKey {
    DkimKey {
        organization_id,
        name: name.to_owned(),
        selector: selector.to_owned(),
        sealed: format!("sealed {selector}").into_bytes(),
        public_key: "AAAA".to_owned(),
        state,
        changed_at: at(1),
    }
}

async fn insert(world: &World, key: &DkimKey) -> bool {
    let mut tx = world.begin().await;
    let is_new = tx.domains().insert_dkim_key(key).await.unwrap();
    tx.commit().await.unwrap();
    is_new
}

async fn promote(world: &World, key: &DkimKey) {
    let mut tx = world.begin().await;
    tx.domains().promote_dkim_key(key, at(2)).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn several_processes_agree_on_key_and_rotation() {
    let world = world().await;
    let first = key(None, "own.example", "inboxd", KeyState::Active);
    assert!(insert(&world, &first).await);
    for again in [&first, &key(None, "own.example", "other", KeyState::Active)] {
        assert!(!insert(&world, again).await, "one signs");
    }
    assert!(insert(&world, &key(None, "other.example", "inboxd", KeyState::Active)).await);
    assert!(insert(&world, &key(Some(world.organization_id()), "own.example", "inboxd", KeyState::Active)).await);
    assert_eq!(world.store.dkim_keys(None, "own.example").await.unwrap(), std::slice::from_ref(&first));

    let next = key(None, "own.example", "next", KeyState::Next);
    promote(&world, &next).await;
    assert_eq!(
        world.store.dkim_keys(None, "own.example").await.unwrap(),
        std::slice::from_ref(&first),
        "it does not exist yet"
    );
    assert!(insert(&world, &next).await);
    assert!(!insert(&world, &key(None, "own.example", "third", KeyState::Next)).await, "one waits");
    for _ in 0..2 {
        promote(&world, &next).await;
        let mut keys = world.store.dkim_keys(None, "own.example").await.unwrap();
        keys.sort_by_key(|key| key.selector.clone());
        let retired = DkimKey { state: KeyState::Retired, sealed: Vec::new(), changed_at: at(2), ..first.clone() };
        assert_eq!(keys, [retired, DkimKey { state: KeyState::Active, changed_at: at(2), ..next.clone() }]);
    }
}

#[tokio::test]
async fn custom_domain_key_signs_for_domain_and_subdomains_while_published() {
    let world = world().await;
    let with_key = |number, name: &str, status| {
        let domain = domain(&world.organization, number, name);
        let record = DomainRecord { purpose: RecordPurpose::Dkim, status, ..domain.records[0].clone() };
        Domain { records: vec![record], ..domain }
    };
    let whole = with_key(1, "custom.example", RecordStatus::Valid);
    for domain in [&whole, &with_key(2, "near.custom.example", RecordStatus::Missing)] {
        let mut tx = world.begin().await;
        tx.domains().insert(domain, b"born").await.unwrap();
        tx.commit().await.unwrap();
    }
    let names = |name: &str| DomainName::stored(name.to_owned()).with_parents();
    let found = async |name: &str| world.store.mail_key(world.organization_id(), &names(name)).await.unwrap();
    let born = MailKey {
        name: "custom.example".to_owned(),
        selector: "inboxd".to_owned(),
        sealed: b"born".to_vec(),
        born_with: Some(whole.domain_id),
    };
    for name in ["custom.example", "a.b.custom.example", "near.custom.example"] {
        assert_eq!(found(name).await, Some(born.clone()), "{name}");
    }
    assert_eq!(found("notcustom.example").await, None);
    let stranger = organization(2, "other@example.org");
    add_organization(&world.store, &stranger).await;
    assert_eq!(world.store.mail_key(stranger.organization_id, &names("custom.example")).await.unwrap(), None);

    let later = key(Some(world.organization_id()), "custom.example", "later", KeyState::Next);
    assert!(insert(&world, &later).await);
    assert_eq!(found("custom.example").await, Some(born), "it waits");
    promote(&world, &later).await;
    let wanted = MailKey {
        name: "custom.example".to_owned(),
        selector: "later".to_owned(),
        sealed: later.sealed.clone(),
        born_with: None,
    };
    assert_eq!(found("custom.example").await, Some(wanted));
    let mut tx = world.begin().await;
    tx.domains().delete(&whole, at(3)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(found("custom.example").await, None);
    assert_eq!(world.store.dkim_keys(Some(world.organization_id()), "custom.example").await.unwrap(), []);
}
