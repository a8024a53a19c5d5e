use inboxd_core::model::{Plan, VerificationCode};
use inboxd_core::model::{Suppression, SuppressionReason, UsageChange};
use inboxd_core::ports::{AccountReads, Constraint, StoreError, SuppressionReads};

use crate::support::*;

#[tokio::test]
async fn organization_is_found_by_owner_in_any_letter_case() {
    let world = world().await;
    let found = world.store.organization_of_owner(&address("OWNER@Example.org")).await.unwrap();
    assert_eq!(found, Some(world.organization.clone()));
    assert_eq!(world.store.organization_of_owner(&address("other@example.org")).await.unwrap(), None);
}

#[tokio::test]
async fn second_organization_of_owner_is_refused() {
    let world = world().await;
    let mut tx = world.begin().await;
    let refused = tx.accounts().insert(&organization(2, "Owner@example.ORG")).await;
    assert_eq!(refused, Err(StoreError::Duplicate(Constraint::OwnerEmail)));
}

#[tokio::test]
async fn overview_counts_existing_resources() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    let mut tx = world.begin().await;
    let change = UsageChange { storage_bytes: 500, messages: 1, threads: 1 };
    let changes =
        [world.inbox_id(), &second.inbox_id].map(|inbox_id| (world.organization_id(), inbox_id.clone(), change));
    tx.usage().change(&changes).await.unwrap();
    tx.commit().await.unwrap();

    let overview = world.store.overview(world.organization_id()).await.unwrap().unwrap();
    assert_eq!(overview.organization, world.organization);
    assert_eq!((overview.inbox_count, overview.pod_count, overview.storage_bytes), (2, 1, 1000));

    delete_inbox(&world.store, &second).await;
    let overview = world.store.overview(world.organization_id()).await.unwrap().unwrap();
    assert_eq!((overview.inbox_count, overview.storage_bytes), (1, 500));
    assert_eq!(world.store.overview(organization(9, "x@y.example").organization_id).await.unwrap(), None);
}

#[tokio::test]
async fn operators_list_organizations_by_id() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let first = world.store.organizations(None, 1).await.unwrap();
    assert_eq!(first, std::slice::from_ref(&world.organization));
    let second = world.store.organizations(Some(world.organization_id()), 10).await.unwrap();
    assert_eq!(second, [other]);
}

#[tokio::test]
async fn plan_and_verification_are_updated() {
    let world = world().await;
    let mut tx = world.begin().await;
    let organization = tx.accounts().lock(world.organization_id()).await.unwrap().unwrap();
    let mut changed = organization.verified(at(5));
    changed.plan = Plan::Business;
    tx.accounts().update(&changed).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.store.overview(world.organization_id()).await.unwrap().unwrap().organization, changed);

    let mut tx = world.begin().await;
    let unknown = tx.accounts().update(&super::support::organization(9, "x@y.example")).await;
    assert_eq!(unknown, Err(StoreError::Contention));
}

#[tokio::test]
async fn newest_code_replaces_earlier_one() {
    let world = world().await;
    let organization_id = world.organization_id();
    let mut code = VerificationCode {
        organization_id,
        code_hash: [1; 32],
        expires_at: at(100),
        attempts: 3,
        sign_up_network: Some("192.0.2.0/24".to_owned()),
    };
    let mut tx = world.begin().await;
    tx.accounts().put_code(&code).await.unwrap();
    code = VerificationCode { code_hash: [2; 32], attempts: 0, ..code };
    tx.accounts().put_code(&code).await.unwrap();
    assert_eq!(tx.accounts().lock_code(organization_id).await.unwrap(), Some(code));
    tx.accounts().delete_code(organization_id).await.unwrap();
    assert_eq!(tx.accounts().lock_code(organization_id).await.unwrap(), None);
}

#[tokio::test]
async fn suppression_retains_first_reason_within_organization() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let first = Suppression {
        organization_id: world.organization_id(),
        address: address("gone@example.org"),
        reason: SuppressionReason::Bounce,
        created_at: at(1),
    };
    let later = Suppression { reason: SuppressionReason::Complaint, created_at: at(2), ..first.clone() };
    let mut tx = world.begin().await;
    tx.suppressions().add(&first).await.unwrap();
    tx.suppressions().add(&later).await.unwrap();
    tx.commit().await.unwrap();

    let asked = [address("GONE@example.org"), address("fine@example.org")];
    assert_eq!(world.store.suppressed(world.organization_id(), &asked).await.unwrap(), [first]);
    assert_eq!(world.store.suppressed(other.organization_id, &asked).await.unwrap(), []);
}
