use inboxd_core::model::{Actor, LegalHold, LegalHoldScope, MemberId};
use inboxd_core::ports::LegalHoldReads;
use uuid::Uuid;

use crate::support::*;

fn hold(scope: &LegalHoldScope, reason: &str) -> LegalHold {
    let member_id: MemberId = Uuid::from_u128(9).into();
    LegalHold {
        scope: scope.clone(),
        reason: reason.to_owned(),
        placed_by: Actor::Member {
            member_id,
            name: "Maria".to_owned(),
            email: "maria@example.org".to_owned(),
            connection_id: None,
        },
        placed_at: at(7),
    }
}

async fn put(world: &World, hold: &LegalHold) {
    let mut tx = world.begin().await;
    tx.legal_holds().put(hold).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn hold_covers_its_inbox_or_all_of_its_organization() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let whole = LegalHoldScope { organization_id: world.organization_id(), inbox_id: None };
    let inbox = LegalHoldScope { inbox_id: Some(world.inbox_id().clone()), ..whole.clone() };
    let foreign = LegalHoldScope { organization_id: other.organization_id, ..inbox.clone() };
    put(&world, &hold(&inbox, "case 7")).await;

    let mut tx = world.begin().await;
    assert_eq!(tx.legal_holds().covering(&inbox).await.unwrap(), Some(hold(&inbox, "case 7")));
    assert_eq!(tx.legal_holds().covering(&whole).await.unwrap(), None);
    assert_eq!(tx.legal_holds().any(whole.organization_id).await.unwrap(), Some(hold(&inbox, "case 7")));
    assert_eq!(tx.legal_holds().covering(&foreign).await.unwrap(), None);
    assert_eq!(tx.legal_holds().any(foreign.organization_id).await.unwrap(), None);
    tx.legal_holds().remove(&inbox).await.unwrap();
    assert_eq!(tx.legal_holds().covering(&inbox).await.unwrap(), None);
    tx.commit().await.unwrap();

    put(&world, &hold(&whole, "case 8")).await;
    put(&world, &LegalHold { placed_at: at(99), ..hold(&whole, "case 9") }).await;
    let mut tx = world.begin().await;
    let expected = Some(hold(&whole, "case 9"));
    assert_eq!(tx.legal_holds().covering(&inbox).await.unwrap(), expected, "it keeps the time of its placement");
    assert_eq!(tx.legal_holds().find(&inbox).await.unwrap(), None);
    assert_eq!(world.store.legal_hold(&whole).await.unwrap(), expected);
    assert_eq!(world.store.legal_hold(&inbox).await.unwrap(), None);
}

#[tokio::test]
async fn placement_waits_for_deletions_that_run() {
    let world = world().await;
    let mut deletion = world.begin().await;
    deletion.inboxes().hold(&[destination(&world.inbox)]).await.unwrap();
    let mut placement = world.begin().await;
    let lock = placement.inboxes().lock_all(world.organization_id());
    let waited = tokio::time::timeout(std::time::Duration::from_millis(100), lock).await;
    assert!(waited.is_err(), "the hold was placed beside a deletion");
    drop(placement);
    deletion.commit().await.unwrap();
    let mut placement = world.begin().await;
    placement.inboxes().lock_all(world.organization_id()).await.unwrap();
}

#[tokio::test]
async fn unconfirmed_organization_under_hold_is_not_removed() {
    let world = world().await;
    let whole = LegalHoldScope { organization_id: world.organization_id(), inbox_id: None };
    put(&world, &hold(&whole, "case 7")).await;
    let mut tx = world.begin().await;
    assert_eq!(tx.accounts().lock_unconfirmed(at(1)).await.unwrap(), None);
    tx.legal_holds().remove(&whole).await.unwrap();
    assert_eq!(tx.accounts().lock_unconfirmed(at(1)).await.unwrap(), Some(world.organization_id()));
}
