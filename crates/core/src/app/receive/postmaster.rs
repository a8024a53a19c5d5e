//! Operator mail for `postmaster@` and `abuse@` without an inbox (RFC 5321, section 4.5.1).
//!
//! The mail is held for the operator, and forwarded if an external address is configured.

use std::fmt::Display;

use inboxd_mail::{EmailAddress, with_trace_headers};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;
use uuid::Uuid;

use super::{ReadMail, TRACE};
use crate::app::contention::retried;
use crate::app::{App, homes, reports};
use crate::model::{Locality, MailCharge, OperatorMail, OperatorMailItem, OutgoingId, QueuedMail, RawMail, Route};
use crate::ports::StoreError;
use crate::rules::networks::customer_network_of;

/// Trace value of forwarded mail, which is never forwarded again.
const FORWARDED: &[u8] = b"postmaster";
/// Maximum of stored characters of a subject.
const MAX_SUBJECT_CHARS: usize = 200;
/// Share of all mail to the addresses of aggregate reports: strangers and broken reports must not evict other mail.
const REPORT_MAIL: &str = "reports";

/// Stores a message for the operator and queues it for the external address, in one unit of work.
///
/// A message is held without being forwarded beyond the hourly limit, if it is too large, or if it was forwarded
/// before. Mail to an address of aggregate reports is never forwarded.
pub(super) async fn hold(app: &App, mail: &ReadMail, recipient: &EmailAddress) -> Result<(), StoreError> {
    let now = app.clock.now();
    let held = operator_mail(app, mail, recipient, now);
    let forwarded = forwarded(app, mail, &held, now).await?;
    let is_contention = |error: &StoreError| *error == StoreError::Contention;
    let is_forwarded = retried(is_contention, || store(app, &held, forwarded.as_ref(), now)).await?;
    if is_forwarded {
        app.wake.outgoing();
    }
    Ok(())
}

/// Stores the messages. Returns whether one was queued.
async fn store(
    app: &App,
    held: &OperatorMail,
    forwarded: Option<&QueuedMail>,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let mut tx = app.store.begin().await?;
    let is_new = tx.operator_mails().hold(held).await?;
    let queued = match forwarded {
        Some(forwarded) if is_new => {
            let may_leave = tx.mail_quotas().charge(&MailCharge::of_postmaster(), now).await?.is_none();
            may_leave.then_some(forwarded)
        }
        _ => None,
    };
    if let Some(queued) = queued {
        tx.outgoing().enqueue(std::slice::from_ref(queued)).await?;
    }
    tx.commit().await?;
    Ok(queued.is_some())
}

fn operator_mail(app: &App, mail: &ReadMail, recipient: &EmailAddress, now: OffsetDateTime) -> OperatorMail {
    let raw = &mail.mail.raw;
    let content = raw.get(..OperatorMail::MAX_CONTENT_BYTES).unwrap_or(raw);
    let network = match &mail.mail.client {
        _ if app.settings.report_kind(recipient).is_some() => REPORT_MAIL.to_owned(),
        Some(client) => customer_network_of(client.ip),
        None => "inside".to_owned(),
    };
    let subject = mail.parsed.subject.as_ref();
    OperatorMail {
        item: OperatorMailItem {
            mail_id: app.mint::<Uuid>(now),
            received_at: now,
            envelope_from: mail.mail.envelope_from.clone(),
            recipient: recipient.clone(),
            subject: subject.map(|subject| subject.chars().take(MAX_SUBJECT_CHARS).collect()),
            size: u64::try_from(raw.len()).unwrap_or(u64::MAX),
        },
        digest: mail.digest,
        network,
        content: content.to_vec(),
    }
}

/// Returns the message for the external address, if one is configured and the message was not forwarded before.
async fn forwarded(
    app: &App,
    mail: &ReadMail,
    held: &OperatorMail,
    now: OffsetDateTime,
) -> Result<Option<QueuedMail>, StoreError> {
    let Some(target) = &app.settings.postmaster else { return Ok(None) };
    let key = &app.settings.signing_key;
    let was_forwarded =
        mail.traces.iter().any(|value| key.verify(TRACE, value.trim()).is_some_and(|named| named == FORWARDED));
    let is_cut = mail.mail.raw.len() > held.content.len();
    let is_report_mail = app.settings.report_kind(&held.item.recipient).is_some();
    if was_forwarded || is_cut || is_report_mail || homes::of_one(app, target).await? != Locality::Remote {
        return Ok(None);
    }
    let domain = &app.settings.domain;
    let outgoing_id: OutgoingId = app.mint(now);
    let unavailable = |error: &dyn Display| StoreError::Unavailable(error.to_string());
    let envelope_from = reports::return_path(app, outgoing_id, domain).map_err(|error| unavailable(&error))?;
    let received =
        mail.mail.client.as_ref().map_or_else(|| format!("by {domain}"), |client| client.received_by(domain));
    let received = format!("{received} for <{}>; {}", held.item.recipient, now.format(&Rfc2822).unwrap_or_default());
    let trace = key.sign(TRACE, FORWARDED);
    let raw = with_trace_headers(&held.content, &[(TRACE, &trace), ("Received", &received)]);
    let sealed = app.vault.seal(outgoing_id.0.as_bytes(), &raw).map_err(|error| unavailable(&error))?;
    Ok(Some(QueuedMail {
        outgoing_id,
        organization_id: Uuid::nil().into(),
        message: None,
        route: Route::Remote,
        destination: app.settings.destination_of(Route::Remote, target),
        envelope_from,
        recipients: vec![target.clone()],
        raw: RawMail::Sealed(sealed),
        attempts: 0,
        claim_id: None,
        is_delay_told: false,
        is_code: false,
        traceparent: None,
        created_at: now,
        due_at: now,
    }))
}
