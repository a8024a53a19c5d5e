//! Notices of the payment provider.

use super::*;

fn update(state: SubscriptionState, plan: Option<Plan>) -> SubscriptionUpdate {
    SubscriptionUpdate {
        is_beginning: false,
        names: Some(id(1)),
        customer_id: customer("cus_1"),
        subscription_id: SubscriptionId("sub_1".to_owned()),
        state,
        plan,
    }
}

/// An environment with a provider that sends this event.
fn notified_world(update: Option<SubscriptionUpdate>) -> World {
    let mut payments = MockPayments::new();
    payments.expect_notice().returning(move |signature, body, now| {
        assert_eq!((signature, body, now), (Some("signed"), b"{}".as_slice(), NOW));
        let created_at = NOW - Duration::seconds(5);
        Ok(PaymentNotice { event_id: "evt_1".to_owned(), created_at, update: update.clone() })
    });
    collecting(Some(payments))
}

/// Expects a new event and returns this previously paid state.
fn knows(tx: &mut MockTx, record: BillingRecord) {
    tx.billing.expect_note_event().once().returning(|organization_id, event_id, _| {
        assert_eq!((organization_id, event_id), (id(1), "evt_1"));
        Ok(true)
    });
    tx.billing.expect_read().once().return_once(move |_| Ok(record));
}

fn on(plan: Plan) -> Organization {
    Organization { plan, ..fixtures::organization() }
}

#[tokio::test]
async fn payment_changes_plan_immediately() {
    let mut world = notified_world(Some(update(SubscriptionState::Live, Some(Plan::Startup))));
    let tx = world.unit_of_work();
    locks(tx, on(Plan::Free));
    knows(tx, BillingRecord::default());
    tx.billing.expect_put_customer().once().returning(|organization_id, customer_id, _| {
        assert_eq!((organization_id, customer_id), (id(1), &customer("cus_1")));
        Ok(())
    });
    let stored = Captured::<Subscription>::default();
    let seen = stored.clone();
    tx.billing.expect_put_subscription().once().returning(move |subscription| {
        seen.push(subscription.clone());
        Ok(())
    });
    tx.accounts.expect_update().once().returning(|organization| {
        assert_eq!((organization.plan, organization.updated_at), (Plan::Startup, NOW));
        Ok(())
    });
    let journal = world.journal.clone();
    assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), Noticed::Applied);
    let expected =
        Subscription { said_at: NOW - Duration::seconds(5), ..subscription(1, SubscriptionState::Live, Plan::Startup) };
    assert_eq!((stored.only(), journal.commits()), (expected, 1));
}

#[tokio::test]
async fn end_of_subscription_removes_only_the_paid_plan() {
    let earlier =
        |plan| Subscription { said_at: NOW - Duration::DAY, ..subscription(1, SubscriptionState::Live, plan) };
    let other = subscription(2, SubscriptionState::Live, Plan::Startup);
    let table = [
        (Plan::Business, vec![earlier(Plan::Business)], Some(Plan::Free)),
        (Plan::Business, vec![earlier(Plan::Business), other], Some(Plan::Startup)),
        // Set manually.
        (Plan::Enterprise, vec![earlier(Plan::Business)], None),
    ];
    for (present, subscriptions, expected) in table {
        let mut world = notified_world(Some(update(SubscriptionState::Ended, None)));
        let tx = world.unit_of_work();
        locks(tx, on(present));
        knows(tx, BillingRecord { customer_id: Some(customer("cus_1")), subscriptions });
        tx.billing.expect_put_subscription().once().returning(|stored| {
            assert_eq!((stored.state, stored.plan), (SubscriptionState::Ended, Some(Plan::Business)));
            Ok(())
        });
        tx.accounts.expect_update().times(usize::from(expected.is_some())).returning(move |organization| {
            assert_eq!(Some(organization.plan), expected);
            Ok(())
        });
        assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), Noticed::Applied);
    }
}

#[tokio::test]
async fn repeated_event_changes_nothing() {
    let mut world = notified_world(Some(update(SubscriptionState::Live, Some(Plan::Startup))));
    let tx = world.unit_of_work();
    locks(tx, on(Plan::Free));
    tx.billing.expect_note_event().once().returning(|_, _, _| Ok(false));
    assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), Noticed::Repeated);
}

#[tokio::test]
async fn late_event_changes_nothing_and_is_recorded() {
    let mut world = notified_world(Some(update(SubscriptionState::Live, Some(Plan::Startup))));
    let tx = world.unit_of_work();
    locks(tx, on(Plan::Business));
    let known = subscription(1, SubscriptionState::Live, Plan::Business);
    knows(tx, BillingRecord { customer_id: Some(customer("cus_1")), subscriptions: vec![known] });
    let journal = world.journal.clone();
    assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), Noticed::Outdated);
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn event_without_organization_is_found_by_customer() {
    for (known, expected) in [(Some(id(1)), Noticed::Repeated), (None, Noticed::Ignored)] {
        let nameless = SubscriptionUpdate { names: None, ..update(SubscriptionState::Live, Some(Plan::Startup)) };
        let mut world = notified_world(Some(nameless));
        world.store.expect_organization_of_customer().once().returning(move |customer_id| {
            assert_eq!(*customer_id, customer("cus_1"));
            Ok(known)
        });
        if known.is_some() {
            let tx = world.unit_of_work();
            locks(tx, on(Plan::Free));
            tx.billing.expect_note_event().once().returning(|_, _, _| Ok(false));
        }
        assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), expected);
    }
}

#[tokio::test]
async fn event_of_unknown_customer_is_ignored() {
    assert_eq!(notice(&notified_world(None).app(), Some("signed"), b"{}").await.unwrap(), Noticed::Ignored);
    let mut world = notified_world(Some(update(SubscriptionState::Live, Some(Plan::Startup))));
    world.unit_of_work().accounts.expect_lock().once().returning(|_| Ok(None));
    let journal = world.journal.clone();
    assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), Noticed::Ignored);
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn customer_of_running_subscription_is_retained() {
    let stranger =
        SubscriptionUpdate { customer_id: customer("cus_2"), ..update(SubscriptionState::Lapsed, Some(Plan::Startup)) };
    let mut world = notified_world(Some(stranger));
    let tx = world.unit_of_work();
    locks(tx, on(Plan::Business));
    let running = subscription(2, SubscriptionState::Live, Plan::Business);
    knows(tx, BillingRecord { customer_id: Some(customer("cus_1")), subscriptions: vec![running] });
    tx.billing.expect_put_subscription().once().returning(|_| Ok(()));
    assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), Noticed::Applied);
}

#[tokio::test]
async fn contended_event_is_applied_again() {
    let mut world = notified_world(Some(update(SubscriptionState::Live, Some(Plan::Startup))));
    for attempt in 0..2 {
        let tx = world.unit_of_work();
        locks(tx, on(Plan::Startup));
        knows(tx, BillingRecord { customer_id: Some(customer("cus_1")), subscriptions: Vec::new() });
        tx.billing.expect_put_subscription().once().returning(|_| Ok(()));
        if attempt == 0 {
            tx.commit_fails = Some(StoreError::Contention);
        }
    }
    assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), Noticed::Applied);
}

#[tokio::test]
async fn unsigned_or_unreadable_event_is_refused() {
    for (error, is_unproven) in [
        (NoticeError::Unproven("no".to_owned()), true),
        (NoticeError::Unreadable { path: "id".to_owned(), message: "no".to_owned() }, false),
    ] {
        let mut payments = MockPayments::new();
        payments.expect_notice().once().returning(move |_, _, _| Err(error.clone()));
        let app = collecting(Some(payments)).app();
        let refused = notice(&app, None, b"").await.unwrap_err();
        assert_eq!(matches!(refused, Error::Billing(BillingError::UnprovenNotice(_))), is_unproven);
        if !is_unproven {
            assert_eq!(paths(refused), ["id"]);
        }
    }
}
