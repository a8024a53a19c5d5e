//! Queue entries and the event of an accepted message.

use super::store_batch::Submission;
use crate::Error;
use crate::app::{App, reports};
use crate::model::outgoing::SentMessage;
use crate::model::{Event, EventBody, EventId, EventType, OutgoingId, QueuedMail, RawMail, ThreadId};
use crate::rules::recipients;

/// Returns the event of a sent message.
pub(super) fn sent_event(app: &App, submission: &Submission, thread_id: ThreadId) -> Event {
    Event {
        event_id: app.mint::<EventId>(submission.now),
        event_type: EventType::MessageSent,
        organization_id: submission.inbox.organization_id,
        pod_id: Some(submission.inbox.pod_id),
        inbox_id: Some(submission.inbox.inbox_id.clone()),
        thread_id: Some(thread_id),
        message_id: Some(submission.message_id.clone()),
        body: EventBody::Send { recipients: submission.recipients.iter().map(ToString::to_string).collect() },
        created_at: submission.now,
        traceparent: submission.traceparent,
    }
}

/// Returns the queue entries of a message, one for each route and destination.
pub(super) fn queued(app: &App, submission: &Submission, thread_id: ThreadId) -> Result<Vec<QueuedMail>, Error> {
    let Submission { inbox, now, .. } = submission;
    recipients::group_by_route(submission.recipients.clone(), &submission.homes)
        .into_iter()
        .flat_map(|(route, recipients)| {
            let groups = recipients::group_by(recipients, |recipient| app.settings.destination_of(route, recipient));
            groups.into_iter().map(move |(destination, recipients)| (route, destination, recipients))
        })
        .map(|(route, destination, recipients)| {
            let outgoing_id: OutgoingId = app.mint(*now);
            Ok(QueuedMail {
                outgoing_id,
                organization_id: inbox.organization_id,
                message: Some(SentMessage {
                    pod_id: inbox.pod_id,
                    inbox_id: inbox.inbox_id.clone(),
                    thread_id,
                    message_id: submission.message_id.clone(),
                }),
                route,
                destination,
                envelope_from: reports::return_path(app, outgoing_id, &submission.returns_to)?,
                recipients,
                raw: RawMail::OfMessage,
                attempts: 0,
                claim_id: None,
                is_delay_told: false,
                is_code: false,
                traceparent: submission.traceparent,
                created_at: *now,
                due_at: *now,
            })
        })
        .collect()
}
