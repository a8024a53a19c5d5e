use inboxd_core::model::{BillingRecord, CustomerId, Plan, Subscription, SubscriptionId, SubscriptionState};
use inboxd_core::ports::BillingReads;
use time::Duration;

use crate::support::*;

fn subscription(of: &World, id: &str, state: SubscriptionState, plan: Option<Plan>) -> Subscription {
    let subscription_id = SubscriptionId(id.to_owned());
    Subscription { organization_id: of.organization_id(), subscription_id, state, plan, said_at: at(0) }
}

fn customer(id: &str) -> CustomerId {
    CustomerId(id.to_owned())
}

#[tokio::test]
async fn event_is_recorded_once_within_organization() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let mut tx = world.begin().await;
    assert!(tx.billing().note_event(world.organization_id(), "evt_1", at(0)).await.unwrap());
    tx.commit().await.unwrap();
    let mut tx = world.begin().await;
    assert!(!tx.billing().note_event(world.organization_id(), "evt_1", at(1)).await.unwrap());
    assert!(tx.billing().note_event(world.organization_id(), "evt_2", at(1)).await.unwrap());
    assert!(tx.billing().note_event(other.organization_id, "evt_1", at(1)).await.unwrap());
}

#[tokio::test]
async fn event_of_failed_unit_of_work_is_not_recorded() {
    let world = world().await;
    let mut tx = world.begin().await;
    assert!(tx.billing().note_event(world.organization_id(), "evt_1", at(0)).await.unwrap());
    drop(tx);
    let mut tx = world.begin().await;
    assert!(tx.billing().note_event(world.organization_id(), "evt_1", at(1)).await.unwrap());
}

#[tokio::test]
async fn old_payment_events_are_purged() {
    let world = world().await;
    let mut tx = world.begin().await;
    let billing = tx.billing();
    for (event, days, is_new) in [("evt_1", 0, true), ("evt_2", 90, true), ("evt_1", 90, false), ("evt_1", 91, true)] {
        let noted = billing.note_event(world.organization_id(), event, at(0) + Duration::days(days)).await.unwrap();
        assert_eq!(noted, is_new, "{event} on day {days}");
    }
}

#[tokio::test]
async fn subscription_state_replaces_earlier_one() {
    let world = world().await;
    let first = subscription(&world, "sub_1", SubscriptionState::Lapsed, None);
    let other = subscription(&world, "sub_2", SubscriptionState::Ended, Some(Plan::Business));
    let changed =
        Subscription { plan: Some(Plan::Startup), state: SubscriptionState::Live, said_at: at(1000), ..first.clone() };
    let mut tx = world.begin().await;
    for subscription in [&first, &other, &changed] {
        tx.billing().put_subscription(subscription).await.unwrap();
    }
    let expected = BillingRecord { customer_id: None, subscriptions: vec![other, changed] };
    assert_eq!(tx.billing().read(world.organization_id()).await.unwrap(), expected);
    tx.commit().await.unwrap();
    assert_eq!(world.store.billing(world.organization_id()).await.unwrap(), expected);
    let nobody = organization(9, "x@y.example").organization_id;
    assert_eq!(world.store.billing(nobody).await.unwrap(), BillingRecord::default());
}

#[tokio::test]
async fn customer_and_organization_are_paired_uniquely() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let own = world.organization_id();
    let mut tx = world.begin().await;
    for (organization_id, id) in [(own, "cus_1"), (own, "cus_2"), (other.organization_id, "cus_2")] {
        tx.billing().put_customer(organization_id, &customer(id), at(0)).await.unwrap();
    }
    tx.commit().await.unwrap();
    for (id, expected) in [("cus_1", None), ("cus_2", Some(own)), ("cus_3", None)] {
        assert_eq!(world.store.organization_of_customer(&customer(id)).await.unwrap(), expected, "{id}");
    }
    assert_eq!(world.store.billing(own).await.unwrap().customer_id, Some(customer("cus_2")));
    assert_eq!(world.store.billing(other.organization_id).await.unwrap().customer_id, None);
}
