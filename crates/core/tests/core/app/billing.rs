//! Payments for plans, and events of the payment provider.

use inboxd_core::app::billing::{Checkout, Noticed, checkout, notice, portal, problems_of_checkout, status};
use inboxd_core::model::{
    BillingRecord, Caller, CustomerId, Organization, PaymentNotice, Permission, Plan, Reach, Subscription,
    SubscriptionId, SubscriptionState, SubscriptionUpdate,
};
use inboxd_core::ports::{CheckoutOrder, NoticeError, PaymentsError, PortalVisit, StoreError};
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{Captured, MockPayments, MockTx, World};
use inboxd_core::{BillingError, Error};
use time::Duration;

use super::{locks, paths, permissions};

const HOME: &str = "https://inboxd.example/docs";

fn for_sale() -> MockPayments {
    let mut payments = MockPayments::new();
    payments.expect_plans().returning(|| vec![Plan::Startup, Plan::Business]);
    payments
}

fn customer(id: &str) -> CustomerId {
    CustomerId(id.to_owned())
}

fn subscription(number: u32, state: SubscriptionState, plan: Plan) -> Subscription {
    let subscription_id = SubscriptionId(format!("sub_{number}"));
    Subscription { organization_id: id(1), subscription_id, state, plan: Some(plan), said_at: NOW }
}

fn wants(plan: &str) -> Checkout {
    Checkout { plan: Some(plan.to_owned()), ..Checkout::default() }
}

/// An environment with these payments.
fn collecting(payments: Option<MockPayments>) -> World {
    let mut world = World::default();
    world.payments = payments;
    world
}

/// An environment with this paid state.
fn world(payments: MockPayments, record: BillingRecord) -> World {
    let mut world = collecting(Some(payments));
    world.store.expect_billing().returning(move |organization_id| {
        assert_eq!(organization_id, id(1));
        Ok(record.clone())
    });
    world
}

#[test]
fn plan_is_read_from_database() {
    for (payments, configured) in [(None, false), (Some(MockPayments::new()), true)] {
        let app = collecting(payments).app();
        let caller = Caller {
            organization: Organization { plan: Plan::Business, ..fixtures::organization() },
            ..fixtures::caller()
        };
        let status = status(&app, &caller).unwrap();
        assert_eq!((status.plan, status.configured), (Plan::Business, configured));
    }
}

#[tokio::test]
async fn billing_needs_permission_and_organization_scope() {
    let pod = Caller { reach: Reach::Pod(id(2)), permissions: permissions(&["billing"]), ..fixtures::caller() };
    let without = Caller { permissions: permissions(&["organization_read"]), ..fixtures::caller() };
    // The refusal does not reveal whether billing is configured.
    for caller in [pod, without, fixtures::inbox_caller()] {
        let app = World::default().app();
        let refusals = [
            status(&app, &caller).map(|_| String::new()),
            checkout(&app, &caller, wants("startup"), HOME).await,
            portal(&app, &caller, HOME).await,
        ];
        for refused in refusals {
            assert!(matches!(refused, Err(Error::MissingPermission(Permission::Billing))), "{refused:?}");
        }
    }
    let with = Caller { permissions: permissions(&["billing"]), ..fixtures::caller() };
    assert!(status(&World::default().app(), &with).is_ok());
}

#[tokio::test]
async fn checkout_without_provider_is_refused() {
    let app = World::default().app();
    let caller = fixtures::caller();
    for refused in [checkout(&app, &caller, Checkout::default(), HOME).await, portal(&app, &caller, HOME).await] {
        assert!(
            matches!(refused, Err(Error::Billing(BillingError::NotConfigured(Some(organization)))) if organization == id(1))
        );
    }
    assert!(matches!(notice(&app, None, b"").await, Err(Error::Billing(BillingError::NotConfigured(None)))));
}

#[tokio::test]
async fn checkout_sends_required_fields_to_provider() {
    let orders = Captured::<CheckoutOrder>::default();
    let seen = orders.clone();
    let mut payments = for_sale();
    payments.expect_checkout().times(4).returning(move |order| {
        seen.push(order.clone());
        Ok("https://pay.example/1".to_owned())
    });
    let world = world(payments, BillingRecord { customer_id: Some(customer("cus_1")), subscriptions: Vec::new() });
    let clock = world.clock.clone();
    let app = world.app();
    let caller = fixtures::caller();
    let url = checkout(&app, &caller, wants("startup"), HOME).await.unwrap();
    assert_eq!(url, "https://pay.example/1");
    checkout(&app, &caller, wants("startup"), HOME).await.unwrap();
    let elsewhere = Checkout { success_url: Some("https://app.example/yes".to_owned()), ..wants("startup") };
    checkout(&app, &caller, elsewhere, HOME).await.unwrap();
    clock.advance(Duration::minutes(1));
    checkout(&app, &caller, wants("startup"), HOME).await.unwrap();

    let [first, again, elsewhere, later] = orders.all().try_into().unwrap();
    let expected = CheckoutOrder {
        organization_id: id(1),
        plan: Plan::Startup,
        customer_id: Some(customer("cus_1")),
        email: "owner@example.org".to_owned(),
        success_url: HOME.to_owned(),
        cancel_url: HOME.to_owned(),
        idempotency_key: first.idempotency_key.clone(),
    };
    assert_eq!(first, expected);
    assert_eq!(again, expected, "the same order within a minute has the same key");
    assert_eq!((elsewhere.success_url.as_str(), elsewhere.cancel_url.as_str()), ("https://app.example/yes", HOME));
    assert_ne!(elsewhere.idempotency_key, first.idempotency_key);
    assert_ne!(later.idempotency_key, first.idempotency_key);
}

#[tokio::test]
async fn invalid_checkout_fields_are_all_named() {
    let wanted = Checkout {
        plan: Some("gold".to_owned()),
        success_url: Some("app.example".to_owned()),
        cancel_url: Some("javascript:1".to_owned()),
    };
    let app = collecting(Some(for_sale())).app();
    assert_eq!(problems_of_checkout(&app, &wanted).len(), 3);
    let refused = checkout(&app, &fixtures::caller(), wanted, HOME).await.unwrap_err();
    assert_eq!(paths(refused), ["plan", "success_url", "cancel_url"]);
}

#[tokio::test]
async fn second_subscription_is_refused() {
    let ended = subscription(1, SubscriptionState::Ended, Plan::Startup);
    let live = subscription(2, SubscriptionState::Live, Plan::Startup);
    for (subscriptions, is_refused) in [(vec![ended.clone()], false), (vec![ended, live], true)] {
        let mut payments = for_sale();
        payments.expect_checkout().times(usize::from(!is_refused)).returning(|_| Ok("https://pay.example".to_owned()));
        let app = world(payments, BillingRecord { customer_id: None, subscriptions }).app();
        let answer = checkout(&app, &fixtures::caller(), wants("business"), HOME).await;
        assert_eq!(matches!(answer, Err(Error::Billing(BillingError::AlreadySubscribed))), is_refused, "{answer:?}");
    }
}

#[tokio::test]
async fn customer_deleted_at_provider_is_created_again() {
    let mut payments = for_sale();
    let keys = Captured::<String>::default();
    let seen = keys.clone();
    payments.expect_checkout().times(2).returning(move |order| {
        seen.push(order.idempotency_key.clone());
        if order.customer_id.is_some() {
            Err(PaymentsError::UnknownCustomer)
        } else {
            Ok("https://pay.example".to_owned())
        }
    });
    payments.expect_portal().once().returning(|_| Err(PaymentsError::UnknownCustomer));
    let record = BillingRecord { customer_id: Some(customer("cus_gone")), subscriptions: Vec::new() };
    let app = world(payments, record).app();
    assert_eq!(checkout(&app, &fixtures::caller(), wants("startup"), HOME).await.unwrap(), "https://pay.example");
    assert_ne!(keys.all()[0], keys.all()[1], "another order has another key");
    assert!(matches!(portal(&app, &fixtures::caller(), HOME).await, Err(Error::Billing(BillingError::NeverPaid))));
}

#[tokio::test]
async fn portal_needs_existing_customer() {
    let mut payments = MockPayments::new();
    let visits = Captured::<PortalVisit>::default();
    let seen = visits.clone();
    payments.expect_portal().once().returning(move |visit| {
        seen.push(visit.clone());
        Ok("https://portal.example".to_owned())
    });
    let record = BillingRecord { customer_id: Some(customer("cus_1")), subscriptions: Vec::new() };
    let url = portal(&world(payments, record).app(), &fixtures::caller(), HOME).await.unwrap();
    assert_eq!(url, "https://portal.example");
    let visit = visits.only();
    assert_eq!((visit.customer_id, visit.return_url.as_str()), (customer("cus_1"), HOME));
    let refused = portal(&world(MockPayments::new(), BillingRecord::default()).app(), &fixtures::caller(), HOME).await;
    assert!(matches!(refused, Err(Error::Billing(BillingError::NeverPaid))), "{refused:?}");
}

#[tokio::test]
async fn provider_outage_is_reported() {
    let mut payments = for_sale();
    payments.expect_checkout().once().returning(|_| Err(PaymentsError::Unavailable("down".to_owned())));
    let app = world(payments, BillingRecord::default()).app();
    let refused = checkout(&app, &fixtures::caller(), wants("startup"), HOME).await;
    assert!(
        matches!(refused, Err(Error::Billing(BillingError::Provider(PaymentsError::Unavailable(_))))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn url_refused_by_provider_is_invalid_field() {
    let mut payments = for_sale();
    payments.expect_checkout().once().returning(|_| Err(PaymentsError::UnusableUrl("cancel_url")));
    let app = world(payments, BillingRecord::default()).app();
    let refused = checkout(&app, &fixtures::caller(), wants("startup"), HOME).await.unwrap_err();
    assert_eq!(paths(refused), ["cancel_url"]);
}

fn news(state: SubscriptionState, plan: Option<Plan>) -> SubscriptionUpdate {
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
fn told(news: Option<SubscriptionUpdate>) -> World {
    let mut payments = MockPayments::new();
    payments.expect_notice().returning(move |signature, body, now| {
        assert_eq!((signature, body, now), (Some("signed"), b"{}".as_slice(), NOW));
        let created_at = NOW - Duration::seconds(5);
        Ok(PaymentNotice { event_id: "evt_1".to_owned(), created_at, news: news.clone() })
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
    let mut world = told(Some(news(SubscriptionState::Live, Some(Plan::Startup))));
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
        let mut world = told(Some(news(SubscriptionState::Ended, None)));
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
    let mut world = told(Some(news(SubscriptionState::Live, Some(Plan::Startup))));
    let tx = world.unit_of_work();
    locks(tx, on(Plan::Free));
    tx.billing.expect_note_event().once().returning(|_, _, _| Ok(false));
    assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), Noticed::Repeated);
}

#[tokio::test]
async fn late_event_changes_nothing_and_is_recorded() {
    let mut world = told(Some(news(SubscriptionState::Live, Some(Plan::Startup))));
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
        let nameless = SubscriptionUpdate { names: None, ..news(SubscriptionState::Live, Some(Plan::Startup)) };
        let mut world = told(Some(nameless));
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
    assert_eq!(notice(&told(None).app(), Some("signed"), b"{}").await.unwrap(), Noticed::Ignored);
    let mut world = told(Some(news(SubscriptionState::Live, Some(Plan::Startup))));
    world.unit_of_work().accounts.expect_lock().once().returning(|_| Ok(None));
    let journal = world.journal.clone();
    assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), Noticed::Ignored);
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn customer_of_running_subscription_is_retained() {
    let stranger =
        SubscriptionUpdate { customer_id: customer("cus_2"), ..news(SubscriptionState::Lapsed, Some(Plan::Startup)) };
    let mut world = told(Some(stranger));
    let tx = world.unit_of_work();
    locks(tx, on(Plan::Business));
    let running = subscription(2, SubscriptionState::Live, Plan::Business);
    knows(tx, BillingRecord { customer_id: Some(customer("cus_1")), subscriptions: vec![running] });
    tx.billing.expect_put_subscription().once().returning(|_| Ok(()));
    assert_eq!(notice(&world.app(), Some("signed"), b"{}").await.unwrap(), Noticed::Applied);
}

#[tokio::test]
async fn contended_event_is_applied_again() {
    let mut world = told(Some(news(SubscriptionState::Live, Some(Plan::Startup))));
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
