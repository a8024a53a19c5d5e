//! Record of mail that was refused at SMTP.

use std::net::{IpAddr, Ipv4Addr};

use inboxd_core::app::{App, refusals};
use inboxd_core::model::{RefusedMail, SmtpRefusal, SmtpStage};
use inboxd_core::ports::{Destination, RecipientRoute, StoreError};
use inboxd_core::rules::refusals::REFUSAL_TTL;
use inboxd_core::testing::fixtures::{self, NOW, address};
use inboxd_core::testing::{Captured, World};

fn note(app: &App, recipient: &str) {
    let mail = RefusedMail {
        client: IpAddr::V4(Ipv4Addr::LOCALHOST),
        helo: "client.example".to_owned(),
        envelope_from: None,
        recipient: address(recipient),
        stage: SmtpStage::Content,
        code: 451,
        status: "4.3.0",
        reply: "the mail was not stored; try again later".to_owned(),
    };
    refusals::note(app, mail);
}

/// A world in which the fixture inbox is the only one, with or without tags.
fn world() -> World {
    let mut world = World::default();
    world.store.expect_destinations().returning(|addresses| {
        let inbox = fixtures::inbox();
        let route = RecipientRoute::from(Destination {
            organization_id: inbox.organization_id,
            pod_id: inbox.pod_id,
            inbox_id: inbox.inbox_id.clone(),
        });
        let is_inbox = |address: &inboxd_mail::EmailAddress| address.without_tag() == inbox.inbox_id.as_str();
        Ok(addresses.iter().map(|address| is_inbox(address).then(|| route.clone())).collect())
    });
    world
}

#[tokio::test]
async fn refusals_are_stored_for_inboxes_alone() {
    let mut world = world();
    world.settings.postmaster = Some(address("scout@inboxd.example"));
    let stored = Captured::<SmtpRefusal>::default();
    let seen = stored.clone();
    world.unit_of_work().refusals.expect_add().once().returning(move |rows, _| {
        for row in rows {
            seen.push(row.clone());
        }
        Ok(())
    });
    let journal = world.journal.clone();
    let app = world.app();
    for recipient in
        ["scout@inboxd.example", "scout+x@inboxd.example", "postmaster@inboxd.example", "nobody@inboxd.example"]
    {
        note(&app, recipient);
    }
    refusals::record(&app).await.unwrap();
    let rows = stored.all();
    assert_eq!((rows.len(), rows[0].count), (1, 3), "{rows:?}");
    assert_eq!(rows[0].inbox_id, fixtures::inbox().inbox_id);
    assert_eq!(journal.commits(), 1);
    // Nothing is left.
    refusals::record(&app).await.unwrap();
}

#[tokio::test]
async fn unknown_recipients_cost_no_unit_of_work() {
    let app = world().app();
    note(&app, "nobody@inboxd.example");
    refusals::record(&app).await.unwrap();
}

#[tokio::test]
async fn refusals_wait_while_storage_is_away() {
    let mut world = world();
    let stored = Captured::<u64>::default();
    let seen = stored.clone();
    world.unit_of_work().refusals.expect_add().once().returning(|_, _| Err(StoreError::Unavailable("away".to_owned())));
    world.unit_of_work().refusals.expect_add().once().returning(move |rows, _| {
        seen.push(rows[0].count);
        Ok(())
    });
    let app = world.app();
    note(&app, "scout@inboxd.example");
    assert!(refusals::record(&app).await.is_err());
    note(&app, "scout@inboxd.example");
    refusals::record(&app).await.unwrap();
    assert_eq!(stored.all(), [2]);
    assert_eq!(refusals::take_dropped(&app), 0);
}

#[tokio::test]
async fn refusals_are_purged_after_seven_days() {
    let mut world = World::default();
    world
        .unit_of_work()
        .refusals
        .expect_purge()
        .once()
        .withf(|before, _| *before == NOW - REFUSAL_TTL)
        .returning(|_, _| Ok(3));
    assert!(!refusals::purge(&world.app()).await.unwrap());
}
