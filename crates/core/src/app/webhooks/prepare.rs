//! Preparation of deliveries: reads the webhooks and events of many deliveries in one batch.

use std::collections::{BTreeSet, HashMap};

use futures_util::future::try_join;
use time::OffsetDateTime;

use super::seals::{open_headers, open_secrets};
use crate::Error;
use crate::app::App;
use crate::app::threads::leave_out_hidden;
use crate::model::{
    EncryptedSecrets, HidingLabels, OrganizationId, Thread, TraceContext, Webhook, WebhookDelivery, WebhookSecret,
};
use crate::ports::{EventJson, EventKey, StoreError, WholeEvent};
use crate::rules::webhooks::payload_visibility::{may_include, readable};
use crate::rules::webhooks::truncation::{MAX_BODY_BYTES, fit};

/// Claimed delivery with its task.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The delivery.
    pub delivery: WebhookDelivery,
    pub(super) task: Task,
}

impl Prepared {
    /// Returns the size of the body to send.
    #[must_use]
    pub fn body_bytes(&self) -> usize {
        match &self.task {
            Task::Send(unsigned) => unsigned.body.len(),
            Task::Fail(_) | Task::Forget | Task::Leave => 0,
        }
    }

    /// Returns the span of the request that caused the event, and that of the request to send, in the same trace.
    #[must_use]
    pub fn spans(&self) -> Option<(TraceContext, TraceContext)> {
        match &self.task {
            Task::Send(unsigned) => unsigned.traceparent,
            Task::Fail(_) | Task::Forget | Task::Leave => None,
        }
    }
}

/// Task of a prepared delivery.
#[derive(Debug, Clone)]
pub(super) enum Task {
    /// Send this request.
    Send(Unsigned),
    /// Fail with this reason, because no request can be built.
    Fail(&'static str),
    /// Drop the delivery, because the retention period of its event is over.
    Forget,
    /// Do nothing, because the webhook was disabled or deleted meanwhile. If the webhook is enabled again, the delivery
    /// is due when its claim expires.
    Leave,
}

/// Request without signatures. A signature contains the time of sending.
#[derive(Debug, Clone)]
pub(super) struct Unsigned {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) secrets: Vec<WebhookSecret>,
    pub(super) body: Vec<u8>,
    /// Span of the request that caused the event, and that of this request.
    pub(super) traceparent: Option<(TraceContext, TraceContext)>,
}

/// Error shown to the owner of a webhook with secrets that were encrypted under another key of the service.
const SEALED_ELSEWHERE: &str = "the secrets of the webhook cannot be opened: they were sealed under another \
    INBOXD_SECRET_KEY; the operator can bring that key back, or delete the webhook and create it again";

/// Error shown to the owner of a webhook for an unreadable event.
const UNREADABLE: &str = "the event cannot be read; the operator finds the reason in the log of the service";

/// Reads the contents of these deliveries and returns them in the same order. An event has its current state, with the
/// mail that still exists and that the webhook may see. If a read fails, each half is read again, so that an unreadable
/// row fails its own delivery alone.
///
/// # Errors
/// [`Error::Store`], except for unreadable rows.
pub async fn prepare(
    app: &App,
    json: &dyn EventJson,
    deliveries: Vec<WebhookDelivery>,
) -> Result<Vec<Prepared>, Error> {
    match read(app, json, &deliveries).await {
        Err(Error::Store(StoreError::Failed(_))) => match <[WebhookDelivery; 1]>::try_from(deliveries) {
            Ok([delivery]) => Ok(vec![Prepared { delivery, task: Task::Fail(UNREADABLE) }]),
            Err(mut deliveries) => {
                let rest = deliveries.split_off(deliveries.len() / 2);
                let mut prepared = Box::pin(prepare(app, json, deliveries)).await?;
                prepared.append(&mut Box::pin(prepare(app, json, rest)).await?);
                Ok(prepared)
            }
        },
        read => read,
    }
}

async fn read(app: &App, json: &dyn EventJson, deliveries: &[WebhookDelivery]) -> Result<Vec<Prepared>, Error> {
    if deliveries.is_empty() {
        return Ok(Vec::new());
    }
    let webhooks: BTreeSet<_> =
        deliveries.iter().map(|delivery| (delivery.organization_id, delivery.webhook_id)).collect();
    let webhooks: Vec<_> = webhooks.into_iter().collect();
    let events: BTreeSet<EventKey> = deliveries.iter().map(key).collect();
    let events: Vec<_> = events.into_iter().collect();
    let largest_body = u32::try_from(MAX_BODY_BYTES).unwrap_or(u32::MAX);
    let read = try_join(app.store.receivers(&webhooks), app.store.whole_events(&events, largest_body));
    let (receivers, events) = read.await?;
    let receivers: HashMap<_, _> = receivers.into_iter().map(|receiver| (receiver.0.webhook_id, receiver)).collect();
    let events: HashMap<_, _> = events.into_iter().map(|event| (event.record.event.event_id, event)).collect();

    let partial = |delivery: &WebhookDelivery| {
        partial_thread(receivers.get(&delivery.webhook_id)?, events.get(&delivery.event_id)?)
    };
    let mut partial: Vec<Option<PartialThread>> = deliveries.iter().map(partial).collect();
    narrow(app, partial.iter_mut().flatten().collect()).await?;

    let now = app.clock.now();
    let prepared = deliveries.iter().cloned().zip(partial).map(|(delivery, partial)| {
        let (receiver, event) = (receivers.get(&delivery.webhook_id), events.get(&delivery.event_id));
        Prepared { task: task(app, json, receiver, event, partial.map(|(_, thread)| thread), now), delivery }
    });
    Ok(prepared.collect())
}

/// Thread with mail hidden from a webhook, and the hiding labels of the mail that the webhook may see.
type PartialThread = (HidingLabels, Thread);

fn partial_thread((webhook, _): &(Webhook, EncryptedSecrets), event: &WholeEvent) -> Option<PartialThread> {
    let readable = readable(&webhook.event_types);
    let (_, thread) = event.record.mail.as_ref()?;
    thread.has_hidden_from(readable).then(|| (readable, thread.clone()))
}

/// Removes hidden mail from threads, with one query per organization and set of visible labels.
async fn narrow(app: &App, threads: Vec<&mut PartialThread>) -> Result<(), Error> {
    let mut groups: HashMap<(OrganizationId, i16), (HidingLabels, Vec<&mut Thread>)> = HashMap::new();
    for (readable, thread) in threads {
        let key = (thread.organization_id, readable.bits());
        groups.entry(key).or_insert_with(|| (*readable, Vec::new())).1.push(thread);
    }
    for ((organization_id, _), (readable, threads)) in groups {
        leave_out_hidden(app, organization_id, readable, threads).await?;
    }
    Ok(())
}

fn key(delivery: &WebhookDelivery) -> EventKey {
    EventKey {
        organization_id: delivery.organization_id,
        created_at: delivery.event_created_at,
        event_id: delivery.event_id,
    }
}

fn task(
    app: &App,
    json: &dyn EventJson,
    receiver: Option<&(Webhook, EncryptedSecrets)>,
    event: Option<&WholeEvent>,
    partial: Option<Thread>,
    now: OffsetDateTime,
) -> Task {
    let Some((webhook, sealed)) = receiver.filter(|(webhook, _)| webhook.enabled) else { return Task::Leave };
    let Some(event) = event else { return Task::Forget };
    let secrets = open_secrets(app.vault.as_ref(), webhook.webhook_id, sealed, now);
    let headers = open_headers(app.vault.as_ref(), webhook.webhook_id, sealed);
    let (Ok(secrets), Ok(headers)) = (secrets, headers) else { return Task::Fail(SEALED_ELSEWHERE) };
    Task::Send(Unsigned {
        url: webhook.url.clone(),
        headers: headers.into_iter().collect(),
        secrets,
        body: body(json, webhook, event.clone(), partial),
        traceparent: event.record.event.traceparent.map(|cause| (cause, app.begin_span(cause))),
    })
}

fn body(json: &dyn EventJson, webhook: &Webhook, mut event: WholeEvent, partial: Option<Thread>) -> Vec<u8> {
    let mail = event.record.mail.take().filter(|(message, _)| may_include(&webhook.event_types, &message.item.labels));
    event.record.mail = mail.map(|(message, thread)| (message, partial.unwrap_or(thread)));
    if event.record.mail.is_none() {
        event.left_out.clear();
    }
    fit(event.record, &event.left_out, MAX_BODY_BYTES, |record, truncated| json.event_json(record, truncated))
}
