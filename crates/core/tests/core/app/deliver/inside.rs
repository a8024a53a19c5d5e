use inboxd_core::app::Delivered;
use inboxd_core::model::{EventType, Route};
use inboxd_core::ports;
use inboxd_core::ports::{OnArrival, StoreError};
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, message_id};

use super::{RAW, Stub, attempt, bounce, delivery, expect_settling, mail, world_inside};

#[tokio::test]
async fn local_recipient_receives_through_inbound_pipeline_and_unknown_one_bounces() {
    let mut world = world_inside(None);
    let tx = world.unit_of_work();
    tx.inbound
        .expect_look_up()
        .once()
        .returning(|query| Ok(OnArrival { held: query.inboxes.clone(), ..OnArrival::default() }));
    tx.mail.expect_insert().once().returning(|new| {
        let item = &new.messages[0].message.item;
        assert_eq!(item.inbox_id.as_str(), "other@inboxd.example");
        assert_eq!(item.message_id, message_id("<sent@inboxd.example>"), "the id is unchanged");
        assert_eq!(item.labels.to_vec(), ["received", "unread"]);
        assert_eq!(new.events[0].event_type, EventType::MessageReceived);
        Ok(())
    });
    let settled = expect_settling(world.unit_of_work());
    let (journal, transport) = (world.journal.clone(), Stub::default());
    let mail = mail(Route::Local, &["gone@inboxd.example", "other@inboxd.example"]);
    let delivered = attempt(world, &transport, &mail).await;
    assert_eq!(delivered, Delivered { delivered: 1, bounced: 1, deferred: 0 });
    assert_eq!(
        settled.bodies(),
        [delivery(&["other@inboxd.example"]), bounce("Permanent", "NoEmail", &[("gone@inboxd.example", "5.1.1")])]
    );
    assert_eq!(transport.handed_over.all(), [], "no mail goes to the transport");
    assert_eq!(journal.commits(), 2);
}

#[tokio::test]
async fn looping_local_mail_bounces() {
    let mut world = World::default();
    let trace = world.settings.signing_key.sign("X-Inboxd-Trace", b"other@inboxd.example");
    let looped = [format!("X-Inboxd-Trace: {trace}\r\n").as_bytes(), RAW].concat();
    world.store.expect_raw_of_outgoing().returning(move |_| Ok(Some(looped.clone())));
    world.store.expect_destinations().returning(|addresses| {
        let inbox_id = inboxd_core::model::InboxId::of(&addresses[0]);
        Ok(vec![Some(ports::Destination { inbox_id, ..fixtures::destination() }.into())])
    });
    let settled = expect_settling(world.unit_of_work());
    attempt(world, &Stub::default(), &mail(Route::Local, &["other@inboxd.example"])).await;
    assert_eq!(settled.bodies(), [bounce("Transient", "MailLoop", &[("other@inboxd.example", "5.4.6")])]);
}

#[tokio::test]
async fn local_mail_is_deferred_during_storage_outage() {
    let mut world = world_inside(Some(StoreError::Unavailable("gone".to_owned())));
    let settled = expect_settling(world.unit_of_work());
    let delivered = attempt(world, &Stub::default(), &mail(Route::Local, &["other@inboxd.example"])).await;
    assert_eq!((delivered.deferred, settled.left.all().len(), settled.bodies().len()), (1, 1, 0));
}
