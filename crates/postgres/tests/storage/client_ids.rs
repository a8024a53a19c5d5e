use inboxd_core::ports::{ClientIdKind, Store};
use uuid::Uuid;

use crate::support::*;

#[tokio::test]
async fn client_id_is_claimed_once_for_each_kind_and_organization() {
    let world = world().await;
    let own = world.organization_id();
    let (note, key) = (ClientIdKind::Note, ClientIdKind::ApiKey);
    for (organization_id, kind, made, before) in [
        (own, note, "first", None),
        (own, note, "second", Some("first")),
        (own, key, "third", None),
        (Uuid::from_u128(99).into(), note, "fourth", None),
        (own, note, "fifth", Some("first")),
    ] {
        let mut tx = world.begin().await;
        let found = tx.client_ids().spend(organization_id, kind, "one", made).await.unwrap();
        assert_eq!(found.as_deref(), before, "{made}");
        tx.commit().await.unwrap();
    }
}

#[tokio::test]
async fn concurrent_claim_of_client_id_waits() {
    for commits in [true, false] {
        let world = world().await;
        let organization_id = world.organization_id();
        let mut first = world.begin().await;
        assert_eq!(first.client_ids().spend(organization_id, ClientIdKind::Note, "one", "a").await.unwrap(), None);
        let second = async {
            let mut tx = world.store.begin().await.unwrap();
            tx.client_ids().spend(organization_id, ClientIdKind::Note, "one", "b").await.unwrap()
        };
        let end = async {
            world.until_one_waits().await;
            if commits {
                first.commit().await.unwrap();
            } else {
                drop(first);
            }
        };
        let (found, ()) = tokio::join!(second, end);
        assert_eq!(found, commits.then(|| "a".to_owned()));
    }
}
