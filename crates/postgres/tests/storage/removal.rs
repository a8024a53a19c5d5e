use inboxd_core::ports::{AccountReads, InboxReads};

use crate::support::*;

#[tokio::test]
async fn organization_that_is_verified_paid_or_held_is_not_removed() {
    let world = world().await;
    let mut tx = world.begin().await;
    assert_eq!(tx.accounts().lock_unconfirmed(at(0)).await.unwrap(), None, "too young");
    drop(tx);
    // A request that verifies holds the row.
    let mut verifying = world.begin().await;
    let organization = verifying.accounts().lock(world.organization_id()).await.unwrap().unwrap();
    let mut tx = world.begin().await;
    assert_eq!(tx.accounts().lock_unconfirmed(at(1)).await.unwrap(), None, "held");
    drop(tx);
    verifying.accounts().update(&organization.clone().verified(at(5))).await.unwrap();
    verifying.commit().await.unwrap();
    let mut tx = world.begin().await;
    assert_eq!(tx.accounts().lock_unconfirmed(at(1)).await.unwrap(), None, "verified");
    let mut paid = organization;
    paid.plan = inboxd_core::model::Plan::Startup;
    tx.accounts().update(&paid).await.unwrap();
    assert_eq!(tx.accounts().lock_unconfirmed(at(1)).await.unwrap(), None, "paid");
}

#[tokio::test]
async fn removed_organization_is_out_of_reach_and_its_rows_go_once_inboxes_are_empty() {
    let world = world().await;
    let (organization_id, owner) = (world.organization_id(), world.organization.owner_email.clone());
    let mut tx = world.begin().await;
    assert_eq!(tx.accounts().lock_unconfirmed(at(1)).await.unwrap(), Some(organization_id));
    tx.accounts().remove(organization_id, at(2)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.store.organization_of_owner(&owner).await.unwrap(), None);
    assert_eq!(world.store.organizations(None, 10).await.unwrap(), []);
    let address = address(world.inbox_id().as_str());
    assert_eq!(world.store.destinations(&[address]).await.unwrap(), [None]);
    let mut tx = world.begin().await;
    assert_eq!(tx.accounts().lock(organization_id).await.unwrap(), None);
    assert_eq!(tx.accounts().purge_removed(10).await.unwrap(), 0, "its inbox is not empty yet");
    drop(tx);
    // Both names are free meanwhile.
    let next = organization(2, "Owner@example.org");
    add_organization(&world.store, &next).await;
    add_inbox(&world.store, &inbox(&next, world.inbox_id().as_str())).await;

    let mut tx = world.begin().await;
    tx.inboxes().purge_deleted(100).await.unwrap();
    assert_eq!(tx.accounts().purge_removed(10).await.unwrap(), 10);
    assert_eq!(tx.accounts().purge_removed(10).await.unwrap(), 0);
    tx.commit().await.unwrap();
    assert_eq!(world.store.overview(organization_id).await.unwrap(), None);
    let overview = world.store.overview(next.organization_id).await.unwrap().unwrap();
    assert_eq!(overview.inbox_count, 1, "the other organization keeps what it has");
}
