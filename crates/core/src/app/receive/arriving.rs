//! One mail that arrives: all that is known of it before anything is stored.

use std::collections::BTreeMap;

use inboxd_mail::{EmailAddress, ParsedMail, with_trace_headers};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use super::{IncomingMail, TRACE};
use crate::app::App;
use crate::app::assess::{Findings, RESULTS};
use crate::app::ingest::{self, Origin};
use crate::model::{InboxId, MessageId, NewMessage, ThreadId};
use crate::ports::Destination;
use crate::rules::lists::Senders;
use crate::rules::repeats::{self, Arrival};
use crate::rules::verdict::Verdict;

/// A mail that was read and whose inboxes are known.
pub(in crate::app) struct Arriving {
    /// As it is kept: without what others wrote in our name.
    pub(super) mail: IncomingMail,
    pub(super) parsed: ParsedMail,
    pub(super) digest: [u8; 32],
    /// The inboxes in the order of their locks, each once, with the recipient that led there.
    pub(super) destinations: BTreeMap<InboxId, (Destination, EmailAddress)>,
    pub(super) senders: Senders,
    /// Who vouches for it, and how much speaks for spam.
    pub(super) findings: Findings,
    pub(super) now: OffsetDateTime,
}

/// What was decided about the copy for one inbox.
pub(super) struct Copy {
    pub(super) message_id: MessageId,
    pub(super) header_message_id: Option<MessageId>,
    pub(super) thread_id: ThreadId,
    pub(super) verdict: Verdict,
}

impl Arriving {
    /// Where it goes.
    pub(super) fn inboxes(&self) -> impl Iterator<Item = &Destination> {
        self.destinations.values().map(|(destination, _)| destination)
    }

    /// The octets that storing it takes, about.
    pub(super) fn weight(&self) -> usize {
        self.mail.raw.len().saturating_mul(self.destinations.len())
    }

    /// The Message-ID it came with, and the one that it is given where that is taken.
    pub(super) fn came_with(&self, domain: &str) -> Option<(MessageId, MessageId)> {
        let came_with = self.parsed.message_id.clone().map(MessageId::stored)?;
        Some((came_with, repeats::other_id(&self.digest, domain)))
    }

    /// What it says that it answers: In-Reply-To first, then References, the newest first.
    pub(super) fn answered(&self) -> Vec<MessageId> {
        let Self { parsed, .. } = self;
        parsed.in_reply_to.iter().chain(parsed.references.iter().rev()).cloned().map(MessageId::stored).collect()
    }

    /// Whether it is new, given what it might repeat.
    pub(super) fn arrival(
        &self,
        app: &App,
        known: impl FnOnce(&MessageId, &MessageId) -> Vec<Option<[u8; 32]>>,
    ) -> Arrival {
        let domain = &app.settings.domain;
        match self.came_with(domain) {
            Some((came_with, other_id)) => {
                let known = known(&came_with, &other_id);
                repeats::arrival(came_with, &self.digest, &known, domain)
            }
            None => repeats::minted(app.mint(self.now), domain),
        }
    }

    /// The message that it makes in an inbox.
    pub(super) fn message(&self, app: &App, destination: &Destination, copy: Copy) -> NewMessage {
        let raw = self.with_trace(app, &destination.inbox_id);
        let origin = Origin {
            organization_id: destination.organization_id,
            inbox_id: destination.inbox_id.clone(),
            thread_id: copy.thread_id,
            message_id: copy.message_id,
            labels: copy.verdict.labels(),
            bcc: Vec::new(),
            sent_by: None,
            recipient: self.destinations.get(&destination.inbox_id).map(|(_, recipient)| recipient.clone()),
            size: raw.len(),
            now: self.now,
        };
        let mut message = ingest::message(app, &self.parsed, origin);
        self.findings.note_in(&mut message.body);
        note_return_path(&mut message.body.headers, self.mail.envelope_from.as_ref());
        let search_text = ingest::search_text(&message);
        let Copy { header_message_id, .. } = copy;
        NewMessage { message, raw, header_message_id, digest: Some(self.digest), search_text }
    }

    /// The mail with the trace fields that a final delivery adds (RFC 5321, section 4.4).
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

/// Return-Path is the field of whoever delivers a mail (RFC 5321, section 4.4): what its sender wrote there says nothing.
/// That there is nobody to answer is kept among the fields, for those who are about to.
fn note_return_path(fields: &mut Vec<(String, String)>, sender: Option<&EmailAddress>) {
    fields.retain(|(name, _)| !name.eq_ignore_ascii_case("return-path"));
    if sender.is_none() {
        fields.insert(0, ("Return-Path".to_owned(), "<>".to_owned()));
    }
}
