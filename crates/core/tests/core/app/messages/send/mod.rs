mod refused;
mod stored;

use inboxd_core::app::messages::send;
use inboxd_core::app::{AttachmentSource, Letter, LetterAttachment, SendResult, problems_of_answer};
use inboxd_core::model::{
    Caller, DomainName, Event, EventBody, EventType, IdempotencyClaim, Inbox, ListDirection, ListExcerpt, ListKey,
    ListLevel, ListType, Organization, Permission, Plan, RawMail, Route, SendCounts, Suppression, SuppressionReason,
    Thread, UsageChange,
};
use inboxd_core::ports::{RecipientPolicy, StoreError};
use inboxd_core::testing::fixtures::{self, NOW, address, id, inbox_id, mailbox};
use inboxd_core::testing::{Captured, Happened, StubFetch, World};
use inboxd_core::{Error, FieldError, LimitReached, Resource};
use inboxd_mail::attachment_content;
use mockall::Sequence;
use time::macros::datetime;

use super::{expect_caps, expect_room, expect_sending, expect_storing, expect_trial, sending_world, submission_event};
use crate::app::{holds_sending_inbox, locks, paths, permissions, world};

fn letter(to: &[&str]) -> Letter {
    Letter {
        to: to.iter().map(|text| mailbox(text)).collect(),
        subject: Some("An offer".to_owned()),
        text: Some("Here it is.".to_owned()),
        ..Letter::default()
    }
}

async fn send_as(world: World, caller: &Caller, letter: Letter) -> Result<SendResult, Error> {
    send(&world.app(), caller, &fixtures::inbox().inbox_id, letter, None).await
}

async fn refused(world: World, letter: Letter) -> Error {
    let journal = world.journal.clone();
    let error = Box::pin(send_as(world, &fixtures::caller(), letter)).await.unwrap_err();
    assert_eq!(journal.entries(), []);
    error
}

/// Expects a refusal that appends only its event.
async fn rejected_for(world: World, caller: &Caller, letter: Letter) -> Error {
    let journal = world.journal.clone();
    let error = send_as(world, caller, letter).await.unwrap_err();
    assert_eq!(journal.entries(), [Happened::Committed]);
    error
}

/// Expects a unit of work that appends only one event.
fn expect_rejection(world: &mut World) -> Captured<Event> {
    let rejected = Captured::default();
    let seen = rejected.clone();
    world.unit_of_work().events.expect_append().once().returning(move |events| {
        let [event] = events else { panic!("{events:?}") };
        seen.push(event.clone());
        Ok(())
    });
    rejected
}

fn reason_of(rejected: &Captured<Event>) -> String {
    let event = rejected.only();
    assert_eq!(event.event_type, EventType::MessageRejected);
    let EventBody::Reject { reason } = event.body else { panic!("{event:?}") };
    reason
}

fn attached(source: AttachmentSource) -> LetterAttachment {
    LetterAttachment {
        filename: Some("notes.txt".to_owned()),
        content_type: None,
        content_disposition: None,
        content_id: None,
        source,
    }
}

fn claim() -> IdempotencyClaim {
    IdempotencyClaim { organization_id: id(1), key: "a".to_owned(), claim_id: uuid::Uuid::from_u128(5) }
}
