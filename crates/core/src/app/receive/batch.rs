//! Inbound plan: the mail of one unit of work, decided in order as if each mail came after the earlier ones.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::acquaintances::Acquainted;
use super::arriving::{Arriving, Copy};
use super::known::Known;
use super::trust::{MAX_REASONS, SenderHistories, SenderRecord, judged};
use super::{NotReceived, Stored};
use crate::app::calendar::CalendarUpdate;
use crate::app::screening::Screens;
use crate::app::{App, contacts};
use crate::model::{
    Contact, ContactChanges, ContactKey, Event, EventBody, EventId, EventType, InboxId, MessageId, NewMail, NewMessage,
    OrganizationId, QuarantineMode, Thread, ThreadId, UsageChange,
};
use crate::ports::{ArrivalQuery, Destination, IntakeHold, KnownMessage, MessageKey, OnArrival, ThreadKey};
use crate::rules::deduplication::DedupDecision;
use crate::rules::lists::{MessageStanding, Screening};
use crate::rules::trust::{Reason, Verdict};
use crate::rules::verdict::HidingVerdict;
use crate::rules::{security, threading};

/// Returns the combined lookup for all of these mails.
pub(super) fn query(app: &App, mails: &[Arriving], acquainted: Vec<OrganizationId>) -> ArrivalQuery {
    let mut inboxes = BTreeMap::new();
    let mut messages = BTreeSet::new();
    for mail in mails {
        let came_with = mail.came_with(&app.settings.domain).map(|(came_with, other_id)| [came_with, other_id]);
        let named: Vec<MessageId> = came_with.into_iter().flatten().chain(mail.answered()).collect();
        for inbox in mail.inboxes() {
            inboxes.entry(&inbox.inbox_id).or_insert_with(|| inbox.clone());
            messages.extend(named.iter().map(|message_id| MessageKey {
                organization_id: inbox.organization_id,
                inbox_id: inbox.inbox_id.clone(),
                message_id: message_id.clone(),
            }));
        }
    }
    let lists = Screens::query(mails.iter().map(|mail| (mail.inboxes(), &mail.senders)));
    let contacts: BTreeSet<ContactKey> =
        mails.iter().flat_map(|mail| mail.inboxes().flat_map(|inbox| mail.claimed_contacts(inbox))).collect();
    let contacts = contacts.into_iter().collect();
    ArrivalQuery {
        inboxes: inboxes.into_values().collect(),
        messages: messages.into_iter().collect(),
        lists,
        contacts,
        acquainted,
    }
}

/// Existing data and decisions so far.
pub(super) struct Batch<'a> {
    app: &'a App,
    held: HashSet<Destination>,
    deferred: BTreeMap<InboxId, IntakeHold>,
    known: Known,
    quarantines: BTreeMap<InboxId, QuarantineMode>,
    screens: Screens,
    senders: SenderHistories,
    acquainted: Acquainted,
    counted: ContactChanges,
    threads: BTreeMap<(InboxId, ThreadId), Filed>,
    new: NewMail,
    calendars: Vec<CalendarUpdate>,
}

/// Thread that mails join.
struct Filed {
    thread: Thread,
    is_begun: bool,
    is_joined: bool,
}

impl<'a> Batch<'a> {
    /// Creates a plan without decisions.
    pub(super) fn new(app: &'a App, found: OnArrival, acquainted: Acquainted) -> Self {
        let mut known = Known::default();
        known.extend(found.known);
        let held = found.held.into_iter().collect();
        let screens = Screens::of(found.excerpts);
        let deferred = found.deferred.into_iter().collect();
        let quarantines =
            found.quarantines.into_iter().map(|(inbox_id, scopes)| (inbox_id, security::strictest(scopes)));
        let senders = SenderHistories::of(found.senders);
        let (counted, threads, new) = (ContactChanges::default(), BTreeMap::new(), NewMail::default());
        let calendars = Vec::new();
        Self {
            app,
            held,
            deferred,
            known,
            quarantines: quarantines.collect(),
            screens,
            senders,
            acquainted,
            counted,
            threads,
            new,
            calendars,
        }
    }

    /// Returns the threads that these mails reply to, in lock order.
    pub(super) fn threads_of(&self, mails: &[Arriving]) -> Vec<ThreadKey> {
        let mut keys = BTreeMap::new();
        for mail in mails {
            let answered = mail.answered();
            for Destination { organization_id, inbox_id, .. } in mail.inboxes() {
                if let Some(thread_id) = self.known.thread_of_first(inbox_id, &answered) {
                    keys.insert((inbox_id, thread_id), *organization_id);
                }
            }
        }
        let key = |((inbox_id, thread_id), organization_id): ((&InboxId, ThreadId), OrganizationId)| ThreadKey {
            organization_id,
            inbox_id: inbox_id.clone(),
            thread_id,
        };
        keys.into_iter().map(key).collect()
    }

    /// Adds locked threads.
    pub(super) fn take_threads(&mut self, threads: Vec<Thread>) {
        let locked = threads.into_iter().map(|thread| {
            ((thread.inbox_id.clone(), thread.thread_id), Filed { thread, is_begun: false, is_joined: false })
        });
        self.threads.extend(locked);
    }

    /// Decides on one mail, for all of its inboxes or for none.
    pub(super) fn file(&mut self, mail: &Arriving) -> Stored {
        let gone = mail.destinations.values().find(|(destination, _)| !self.held.contains(destination));
        if let Some((_, recipient)) = gone {
            let gone = recipient.clone();
            return Err(match mail.destinations.len() {
                1 => NotReceived::UnknownRecipient(gone),
                // If the client sends the mail again, this recipient alone is refused.
                _ => NotReceived::OneIsGone(gone),
            });
        }
        let deferred = mail
            .destinations
            .values()
            .find_map(|(destination, address)| Some((address, self.deferred.get(&destination.inbox_id)?)));
        if let Some((address, hold)) = deferred {
            return Err(NotReceived::Deferred { address: address.clone(), hold: hold.clone() });
        }
        let answered = mail.answered();
        let mut stored = Vec::with_capacity(mail.destinations.len());
        for destination in mail.inboxes() {
            let known = |came_with: &MessageId, other_id: &MessageId| {
                self.known.possible_repeats(&destination.inbox_id, came_with, other_id)
            };
            if let DedupDecision::New { message_id, header_message_id } = mail.arrival(self.app, known) {
                stored.push((destination.inbox_id.clone(), message_id.clone()));
                self.file_one(mail, destination, &answered, (message_id, header_message_id));
            }
        }
        Ok(stored)
    }

    fn file_one(
        &mut self,
        mail: &Arriving,
        destination: &Destination,
        answered: &[MessageId],
        (message_id, header_message_id): (MessageId, Option<MessageId>),
    ) {
        let Destination { inbox_id, .. } = destination;
        let key = mail.contact(destination);
        let sender = SenderRecord {
            history: key.as_ref().and_then(|key| self.senders.get(key)),
            in_batch: key.as_ref().map_or(0, |key| self.counted.received_from(key)),
        };
        let acquaintances = self.acquainted.of(destination.organization_id);
        let mut judgement = judged(mail, destination, sender, acquaintances);
        let mode = self.quarantines.get(inbox_id).copied().unwrap_or(QuarantineMode::Off);
        let is_authenticated = mail.findings.is_authenticated();
        let screening = self.screens.screen(destination, &mail.senders, || MessageStanding {
            is_answer: self.known.any_sent(inbox_id, answered),
            is_authenticated,
        });
        if screening == Screening::Unproved {
            judgement.reasons.insert(0, Reason::UnprovedListing);
            judgement.reasons.truncate(MAX_REASONS);
        }
        let verdict = HidingVerdict {
            blocked: self.is_of_blocked_contact(mail, destination) || screening != Screening::Passed,
            spam: mail.findings.spam.is_spam,
            unauthenticated: mail.findings.is_unauthenticated,
            held: security::holds(mode, &judgement),
        };
        if let Some(key) =
            key.filter(|_| verdict == HidingVerdict::default() && judgement.verdict != Verdict::Suspicious)
        {
            self.counted.add(contacts::of_received(key, &mail.parsed, is_authenticated, mail.now));
        }
        let (event_type, trust) = (verdict.event_type(), judgement.verdict);
        let fills_calendar = verdict == HidingVerdict::default() && trust != Verdict::Suspicious;
        let joined = self.thread_with_room(inbox_id, answered);
        let thread_id = joined.unwrap_or_else(|| self.app.mint(mail.now));
        let copy = Copy { message_id, header_message_id, thread_id, verdict, judgement };
        let new = mail.message(self.app, destination, copy);
        let item = &new.message.item;
        let event = |event_type, body| Event {
            event_id: self.app.mint::<EventId>(mail.now),
            event_type,
            organization_id: destination.organization_id,
            pod_id: Some(destination.pod_id),
            inbox_id: Some(inbox_id.clone()),
            thread_id: Some(thread_id),
            message_id: Some(item.message_id.clone()),
            body,
            created_at: mail.now,
            traceparent: None,
        };
        let received = EventBody::Received { verdict: Some(trust) };
        let checked = || security::result(item).map(|result| EventBody::Security { result });
        let events = match (event_type, mode) {
            (EventType::MessageSecurityReview, _) => [checked().map(|body| event(event_type, body)), None],
            (EventType::MessageReceived, QuarantineMode::Monitor) => [
                Some(event(event_type, received)),
                checked().map(|body| event(EventType::MessageSecurityCompleted, body)),
            ],
            _ => [Some(event(event_type, received)), None],
        };
        self.new.events.extend(events.into_iter().flatten());
        let change = UsageChange {
            storage_bytes: i64::try_from(item.size).unwrap_or(i64::MAX),
            messages: 1,
            threads: i64::from(joined.is_none()),
        };
        self.new.usage.push((destination.organization_id, inbox_id.clone(), change));
        self.known.extend([KnownMessage::of(&new)]);
        self.join(&new);
        let author = mail.parsed.from.first().map(|from| from.address.as_str());
        let update = || CalendarUpdate::of(&new, destination.pod_id, author, is_authenticated);
        self.calendars.extend(fills_calendar.then(update).flatten());
        self.new.messages.push(new);
    }

    /// Returns whether a mail comes in the name of a blocked contact.
    fn is_of_blocked_contact(&self, mail: &Arriving, destination: &Destination) -> bool {
        let contact = |key: ContactKey| self.senders.get(&key)?.contact.as_ref();
        mail.claimed_contacts(destination).into_iter().filter_map(contact).any(Contact::is_blocked)
    }

    /// Returns the thread that a mail replies to. If that thread is full, a new one begins.
    fn thread_with_room(&self, inbox_id: &InboxId, answered: &[MessageId]) -> Option<ThreadId> {
        let thread_id = self.known.thread_of_first(inbox_id, answered)?;
        let filed = self.threads.get(&(inbox_id.clone(), thread_id))?;
        threading::has_capacity(&filed.thread).then_some(thread_id)
    }

    /// Adds a message to its thread, or starts a thread with it.
    fn join(&mut self, new: &NewMessage) {
        let item = &new.message.item;
        let key = (item.inbox_id.clone(), item.thread_id);
        let filed = match self.threads.remove(&key) {
            Some(filed) => Filed { thread: filed.thread.joined_by(item), is_joined: true, ..filed },
            None => Filed { thread: Thread::started_by(item), is_begun: true, is_joined: false },
        };
        self.threads.insert(key, filed);
    }

    /// Returns everything to store, and the calendar messages among the mails.
    pub(super) fn finish(mut self) -> (NewMail, Vec<CalendarUpdate>) {
        for Filed { thread, is_begun, is_joined } in self.threads.into_values() {
            if is_begun {
                self.new.begun.push(thread);
            } else if is_joined {
                self.new.joined.push(thread);
            }
        }
        self.new.contacts = self.counted.into_vec();
        (self.new, self.calendars)
    }
}
