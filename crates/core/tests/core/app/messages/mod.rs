mod answer;
mod delete;
mod departures;
mod forward;
mod held;
mod loops;
mod read;
mod redact;
mod relabel;
mod send;
mod together;

use inboxd_core::model::{
    DraftId, Event, EventBody, EventType, Inbox, InboxId, LabelEvent, MessageId, NewMessage, Organization,
    PolicyAction, PolicyLevel, PolicyRule, PolicyVerdict, QueuedMail, SendCounts, Thread, UsageChange,
};
use inboxd_core::ports::RecipientPolicy;
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{Captured, MockTx, World};
use inboxd_mail::{ParsedMail, parse};

use super::{expect_history, holds_sending_inbox, locks, world};

/// Stored effects of a send.
#[derive(Default)]
pub(super) struct Outbox {
    pub(super) messages: Captured<NewMessage>,
    pub(super) begun: Captured<Thread>,
    pub(super) joined: Captured<Thread>,
    pub(super) events: Captured<Vec<Event>>,
    pub(super) queued: Captured<Vec<QueuedMail>>,
    pub(super) history: Captured<LabelEvent>,
    pub(super) usage: Captured<Vec<(InboxId, UsageChange)>>,
    pub(super) counted: Captured<u32>,
}

impl Outbox {
    /// The message that was stored and queued.
    pub(super) fn mail(&self) -> ParsedMail {
        parse(&self.messages.only().raw)
    }

    /// Returns the recipients of the queued mails in order.
    fn recipients(&self) -> Vec<String> {
        self.queued.only().iter().flat_map(|mail| &mail.recipients).map(ToString::to_string).collect()
    }
}

/// An environment without suppressions and lists.
pub(super) fn sending_world() -> World {
    let mut world = world();
    world.store.expect_recipient_policy().returning(|_| Ok(RecipientPolicy::default()));
    world
}

/// Returns the event of a stored submission, of which the message was sent or is held as a draft.
fn submission_event(message_id: &MessageId, held: Option<DraftId>) -> Event {
    let Inbox { organization_id, pod_id, inbox_id, .. } = fixtures::inbox();
    let (event_type, body) = match held {
        Some(draft_id) => {
            let (level, rule, action) = (PolicyLevel::Organization, PolicyRule::FirstContact, PolicyAction::Hold);
            let rule = Box::new(PolicyVerdict { level, rule, action, found: None });
            (EventType::MessageHeld, EventBody::Hold { draft_id, rule, recipients: Vec::new(), expires_at: NOW })
        }
        None => (EventType::MessageSent, EventBody::Send { recipients: Vec::new() }),
    };
    Event {
        event_id: id(70),
        event_type,
        organization_id,
        pod_id: Some(pod_id),
        inbox_id: Some(inbox_id),
        thread_id: Some(id(71)),
        message_id: Some(message_id.clone()),
        body,
        created_at: NOW,
        traceparent: None,
    }
}

/// Expects a read of the caps under the organization lock and returns this usage.
pub(super) fn expect_caps(tx: &mut MockTx, organization: Organization, sent: SendCounts, stored: u64) {
    locks(tx, organization);
    tx.usage.expect_storage_bytes().times(..=1).returning(move |_| Ok(stored));
    tx.usage.expect_sends().times(..=1).returning(move |_, _| Ok(sent));
}

/// Expects a decision about a message before its attachment URLs are fetched.
pub(super) fn expect_trial(world: &mut World) {
    let tx = world.unit_of_work();
    expect_caps(tx, inboxd_core::testing::fixtures::organization(), SendCounts::default(), 0);
    holds_sending_inbox(tx);
}

/// Expects a read of the policies and one of the caps before attachment URLs are fetched.
pub(super) fn expect_room(world: &mut World) {
    world.unit_of_work();
    expect_caps(world.unit_of_work(), inboxd_core::testing::fixtures::organization(), SendCounts::default(), 0);
}

/// Expects all writes of a send, each once.
pub(super) fn expect_storing(tx: &mut MockTx) -> Outbox {
    let outbox = Outbox { history: expect_history(tx), ..Outbox::default() };
    holds_sending_inbox(tx);
    let Outbox { messages, begun, joined, events, usage, .. } = &outbox;
    let (messages, begun, joined) = (messages.clone(), begun.clone(), joined.clone());
    let (events, usage) = (events.clone(), usage.clone());
    let (queued, counted) = (outbox.queued.clone(), outbox.counted.clone());
    tx.mail.expect_insert().once().returning(move |new| {
        new.messages.iter().for_each(|message| messages.push(message.clone()));
        new.begun.iter().for_each(|thread| begun.push(thread.clone()));
        new.joined.iter().for_each(|thread| joined.push(thread.clone()));
        events.push(new.events.clone());
        usage.push(new.usage.iter().map(|(_, inbox_id, change)| (inbox_id.clone(), *change)).collect());
        queued.push(new.queued.clone());
        new.sends.iter().for_each(|(_, _, mails)| counted.push(*mails));
        Ok(())
    });
    tx.messages.expect_spent_budgets().times(..=1).returning(|_, _, _, _, _, _| Ok(Vec::new()));
    outbox
}

/// Expects one complete send of the verified fixture organization.
fn expect_sending(world: &mut World) -> Outbox {
    let tx = world.unit_of_work();
    expect_caps(tx, inboxd_core::testing::fixtures::organization(), SendCounts::default(), 0);
    expect_storing(tx)
}
