use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use inboxd_core::model::{Domain, OrganizationId};
use inboxd_core::ports::{AccountReads, AddressClaims, InboxReads};
use inboxd_postgres::AddressRelease;

use crate::domains::domain;
use crate::members::{add, add_key, member};
use crate::support::*;

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

async fn count_events(world: &World, organization_id: OrganizationId) -> i64 {
    let mut connection = AsyncPgConnection::establish(&world.database.url()).await.unwrap();
    let text = format!("SELECT count(*) FROM events WHERE organization_id = '{}'", organization_id.0);
    diesel::sql_query(text).get_result::<CountRow>(&mut connection).await.unwrap().count
}

#[tokio::test]
async fn organization_that_is_verified_paid_or_held_is_not_removed() {
    let world = world().await;
    let mut tx = world.begin().await;
    assert_eq!(tx.accounts().lock_unconfirmed(at(0)).await.unwrap(), None, "too young");
    drop(tx);
    // A verification request locks the row.
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
async fn removed_organization_is_inaccessible_and_purged_after_its_inboxes() {
    let world = world().await;
    let (organization_id, owner) = (world.organization_id(), world.organization.owner_email.clone().unwrap());
    let mut tx = world.begin().await;
    assert_eq!(tx.accounts().lock_unconfirmed(at(1)).await.unwrap(), Some(organization_id));
    tx.accounts().remove(organization_id, AddressClaims::Released, at(2)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.store.organization_of_owner(&owner).await.unwrap(), None);
    assert_eq!(world.store.organizations(None, 10).await.unwrap(), []);
    let address = address(world.inbox_id().as_str());
    assert_eq!(world.store.destinations(&[address]).await.unwrap(), [None]);
    let mut tx = world.begin().await;
    assert_eq!(tx.accounts().lock(organization_id).await.unwrap(), None);
    assert_eq!(tx.accounts().purge_removed(10).await.unwrap(), 0, "its inbox is not empty yet");
    drop(tx);
    // Both names are free in the meantime.
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
    assert_eq!(overview.inbox_count, 1, "the other organization retains its rows");
}

#[tokio::test]
async fn purge_of_removed_organization_takes_at_most_its_limit_and_no_rows_of_others() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    // Rows at the same physical position in several partitions.
    let events = format!(
        "INSERT INTO events (organization_id, created_at, event_id, event_type, body)
        SELECT o.id::uuid, now() + week * interval '7 days', gen_random_uuid(), 'domain.verified', '{{}}'
        FROM unnest(ARRAY['{}', '{}']) AS o(id), generate_series(0, 2) AS week, generate_series(1, 5)",
        world.organization_id().0,
        other.organization_id.0
    );
    world.database.try_execute(&events).await.unwrap();
    let mut tx = world.begin().await;
    tx.accounts().remove(world.organization_id(), AddressClaims::Retained, at(2)).await.unwrap();
    tx.inboxes().purge_deleted(100).await.unwrap();
    tx.commit().await.unwrap();
    let mut left = count_events(&world, world.organization_id()).await;
    assert_eq!(left, 15);
    for _ in 0..100 {
        let mut tx = world.begin().await;
        let purged = tx.accounts().purge_removed(4).await.unwrap();
        tx.commit().await.unwrap();
        let now = count_events(&world, world.organization_id()).await;
        assert!(left - now <= 4, "{left} {now}");
        left = now;
        if purged == 0 {
            break;
        }
    }
    assert_eq!((left, count_events(&world, other.organization_id).await), (0, 15));
    assert_eq!(world.store.overview(world.organization_id()).await.unwrap(), None);
    assert!(world.store.overview(other.organization_id).await.unwrap().is_some());
    let taken = world.store.release_address(world.inbox_id().as_str()).await.unwrap();
    assert_eq!(taken, AddressRelease::Released, "it was still claimed");
}

#[tokio::test]
async fn purge_of_removed_organization_deletes_children_before_parents() {
    let world = world().await;
    let member = member(&world, 1, "maria@example.org");
    add(&world, &member).await;
    add_key(&world, &member, 5).await;
    let pod_id = Some(world.inbox.pod_id);
    let mut tx = world.begin().await;
    tx.domains().insert(&Domain { pod_id, ..domain(&world.organization, 1, "example.com") }, b"sealed").await.unwrap();
    tx.commit().await.unwrap();
    let connection = "INSERT INTO oauth_grants (organization_id, connection_id, member_id, client_id, client_name,
            redirect_host, permissions, inbox_ids, resource, created_at, updated_at, expires_at)
        SELECT organization_id, gen_random_uuid(), member_id, 'client', 'Chat', 'chat.example', '{}', '{}',
            'https://mail.example/mcp', now(), now(), now() FROM members";
    world.database.try_execute(connection).await.unwrap();
    let mut tx = world.begin().await;
    tx.accounts().remove(world.organization_id(), AddressClaims::Retained, at(2)).await.unwrap();
    tx.inboxes().purge_deleted(100).await.unwrap();
    tx.commit().await.unwrap();
    let mut units = 0;
    loop {
        let mut tx = world.begin().await;
        let purged = tx.accounts().purge_removed(3).await.unwrap();
        tx.commit().await.unwrap();
        if purged == 0 {
            break;
        }
        units += 1;
    }
    assert!(units > 1, "{units}");
    assert_eq!(world.store.overview(world.organization_id()).await.unwrap(), None);
}
