//! Inbound message before storage, with all that is known about it.

use std::collections::{BTreeMap, BTreeSet};

use inboxd_mail::{EmailAddress, ParsedMail, with_trace_headers};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use super::{IncomingMail, TRACE};
use crate::Error;
use crate::app::assess::{Findings, RESULTS};
use crate::app::ingest::{self, Origin};
use crate::app::{App, contacts};
use crate::model::{ContactKey, InboxId, MessageId, NewMessage, StoredBlob, ThreadId};
use crate::ports::Destination;
use crate::rules::deduplication::{self, DedupDecision};
use crate::rules::lists::MessageSenders;
use crate::rules::trust::Judgement;
use crate::rules::verdict::HidingVerdict;

/// Parsed inbound message with its destination inboxes.
pub(in crate::app) struct Arriving {
    /// The mail as it is stored, without results that others wrote in the service's name.
    pub(super) mail: IncomingMail,
    pub(super) parsed: ParsedMail,
    pub(super) digest: [u8; 32],
    /// The inboxes in lock order without duplicates, each with the recipient address that resolved to it.
    pub(super) destinations: BTreeMap<InboxId, (Destination, EmailAddress)>,
    pub(super) senders: MessageSenders,
    /// Authentication results and spam score.
    pub(super) findings: Findings,
    /// Raw mail that is stored outside its row, by inbox.
    pub(super) raw_blobs: BTreeMap<InboxId, StoredBlob>,
    pub(super) now: OffsetDateTime,
}

/// Decisions about the copy for one inbox.
pub(super) struct Copy {
    pub(super) message_id: MessageId,
    pub(super) header_message_id: Option<MessageId>,
    pub(super) thread_id: ThreadId,
    pub(super) verdict: HidingVerdict,
    pub(super) judgement: Judgement,
}

impl Arriving {
    /// Returns the destination inboxes.
    pub(super) fn inboxes(&self) -> impl Iterator<Item = &Destination> {
        self.destinations.values().map(|(destination, _)| destination)
    }

    /// Returns the contact of an inbox that wrote the mail.
    pub(super) fn contact(&self, inbox: &Destination) -> Option<ContactKey> {
        contacts::key_of_sender(inbox.organization_id, &inbox.inbox_id, &self.parsed)
    }

    /// Returns the contacts of an inbox in whose name the mail comes.
    pub(super) fn claimed_contacts(&self, inbox: &Destination) -> BTreeSet<ContactKey> {
        let envelope_from = self.mail.envelope_from.as_ref();
        contacts::keys_of_claimed(inbox.organization_id, &inbox.inbox_id, &self.parsed, envelope_from)
    }

    /// Returns the approximate number of bytes to store.
    pub(super) fn weight(&self) -> usize {
        self.mail.raw.len().saturating_mul(self.destinations.len())
    }

    /// Returns the Message-ID of the mail, and the id that replaces it if it is already in use.
    pub(super) fn came_with(&self, domain: &str) -> Option<(MessageId, MessageId)> {
        let came_with = self.parsed.message_id.clone().map(MessageId::stored)?;
        Some((came_with, deduplication::derived_message_id(&self.digest, domain)))
    }

    /// Returns the ids that the mail replies to: In-Reply-To first, then References from newest to oldest.
    pub(super) fn answered(&self) -> Vec<MessageId> {
        let Self { parsed, .. } = self;
        parsed.in_reply_to.iter().chain(parsed.references.iter().rev()).cloned().map(MessageId::stored).collect()
    }

    /// Returns whether the mail is new, compared with the messages that it might repeat.
    pub(super) fn arrival(
        &self,
        app: &App,
        known: impl FnOnce(&MessageId, &MessageId) -> Vec<Option<[u8; 32]>>,
    ) -> DedupDecision {
        let domain = &app.settings.domain;
        match self.came_with(domain) {
            Some((came_with, other_id)) => {
                let known = known(&came_with, &other_id);
                deduplication::decide(came_with, &self.digest, &known, domain)
            }
            None => deduplication::generated_message_id(app.mint(self.now), domain),
        }
    }

    /// Builds the message for an inbox.
    pub(super) fn message(&self, app: &App, destination: &Destination, copy: Copy) -> NewMessage {
        let raw_blob = self.raw_blobs.get(&destination.inbox_id).cloned();
        let (raw, size) = if let Some(blob) = &raw_blob {
            (Vec::new(), usize::try_from(blob.bytes).unwrap_or(usize::MAX))
        } else {
            let raw = self.with_trace(app, &destination.inbox_id);
            let size = raw.len();
            (raw, size)
        };
        let origin = Origin {
            organization_id: destination.organization_id,
            inbox_id: destination.inbox_id.clone(),
            thread_id: copy.thread_id,
            message_id: copy.message_id,
            labels: copy.verdict.labels(),
            bcc: Vec::new(),
            sent_by: None,
            trust: Some(copy.judgement),
            recipient: self.destinations.get(&destination.inbox_id).map(|(_, recipient)| recipient.clone()),
            calendar_event_id: None,
            size,
            now: self.now,
        };
        let mut message = ingest::message(app, &self.parsed, origin);
        self.findings.note_in(&mut message.body);
        note_return_path(&mut message.body.headers, self.mail.envelope_from.as_ref());
        let search_text = ingest::search_text(&message);
        let Copy { header_message_id, .. } = copy;
        NewMessage { message, raw, raw_blob, header_message_id, digest: Some(self.digest), search_text }
    }

    /// Stores a large raw mail outside the rows, before any unit of work. Each inbox has an object of its own, so that it
    /// goes with its message. After a failure, no object remains.
    pub(super) async fn upload(&mut self, app: &App) -> Result<(), Error> {
        if !app.blobs.is_external(self.mail.raw.len()) {
            return Ok(());
        }
        let arriving = &*self;
        let upload = |inbox: Destination| async move {
            let raw = arriving.with_trace(app, &inbox.inbox_id);
            let (_, blob) = app.upload(inbox.organization_id, raw).await?;
            Ok::<_, Error>((inbox.inbox_id, blob))
        };
        let uploads: Vec<_> = arriving.inboxes().cloned().map(upload).collect();
        let uploaded = app.upload_all(uploads, arriving.mail.raw.len()).await?;
        self.raw_blobs = uploaded.into_iter().filter_map(|(inbox_id, blob)| Some((inbox_id, blob?))).collect();
        Ok(())
    }

    /// Returns the mail with the trace fields of final delivery (RFC 5321, section 4.4).
    fn with_trace(&self, app: &App, inbox_id: &InboxId) -> Vec<u8> {
        let return_path = format!("<{}>", self.mail.envelope_from.as_ref().map_or("", EmailAddress::as_str));
        let date = self.now.format(&Rfc2822).unwrap_or_default();
        let domain = &app.settings.domain;
        let received = match &self.mail.client {
            Some(client) => format!("{} for <{inbox_id}>; {date}", client.received_by(domain)),
            None => format!("by {domain} for <{inbox_id}>; {date}"),
        };
        let trace = app.settings.signing_key.sign(TRACE, inbox_id.as_str().as_bytes());
        let mut fields =
            vec![("Return-Path", return_path.as_str()), ("Delivered-To", inbox_id.as_str()), (TRACE, &trace)];
        fields.extend(self.findings.results.as_deref().map(|results| (RESULTS, results)));
        fields.push(("Received", &received));
        with_trace_headers(&self.mail.raw, &fields)
    }
}

/// Replaces Return-Path. The server of final delivery sets that field (RFC 5321, section 4.4), so a value from the
/// sender is discarded. An empty path is stored, because it forbids replies.
fn note_return_path(fields: &mut Vec<(String, String)>, sender: Option<&EmailAddress>) {
    fields.retain(|(name, _)| !name.eq_ignore_ascii_case("return-path"));
    if sender.is_none() {
        fields.insert(0, ("Return-Path".to_owned(), "<>".to_owned()));
    }
}
