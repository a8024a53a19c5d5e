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

mod notices;

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
