//! Test mail of the operator: sent at once, without the queue, so that the reply of the server is known.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use super::hand_over;
use crate::app::account::{ServiceMail, service_address};
use crate::app::{App, homes};
use crate::model::{DeliveryReport, Locality, OutgoingId, QueuedMail, RawMail, Route};
use crate::ports::{Recall, Transport};
use crate::rules::signing::SigningKey;
use crate::{Error, FieldError};

/// Words of the subject of every test mail, before its mark.
const SUBJECT: &str = "inboxd setup test";
/// Purpose of the signature in the mark.
const PURPOSE: &str = "setup test mail";
/// Number of characters of the signature in the mark.
const SIGNATURE_CHARS: usize = 8;

/// Returns the subject of a test mail of a time. A reply keeps it.
#[must_use]
pub fn test_subject(key: &SigningKey, at: OffsetDateTime) -> String {
    let time = format!("{:x}", at.unix_timestamp());
    format!("{SUBJECT} {time}-{}", signature(key, &time))
}

/// Returns whether a subject is that of a reply to a test mail of this service.
#[must_use]
pub fn is_reply_to_test(key: &SigningKey, subject: &str) -> bool {
    let mark = subject.split_once(SUBJECT).and_then(|(_, rest)| rest.split_whitespace().next());
    mark.and_then(|mark| mark.split_once('-')).is_some_and(|(time, signed)| signed == signature(key, time))
}

fn signature(key: &SigningKey, time: &str) -> String {
    use std::fmt::Write as _;
    key.mac(PURPOSE, &[time.as_bytes()]).iter().take(SIGNATURE_CHARS / 2).fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Sends a test mail from `postmaster@` of the service to an external address, signed like all mail, and returns the
/// report about it. Replies and bounces come to `postmaster@`.
///
/// # Errors
/// [`Error::Invalid`] for an address of this service, [`Error::Store`].
pub async fn send_test_mail(
    app: &App,
    transport: &dyn Transport,
    to: &EmailAddress,
    subject: &str,
    text: String,
) -> Result<DeliveryReport, Error> {
    if homes::of_one(app, to).await? != Locality::Remote {
        let message = "is an address of this service: choose one at another provider";
        return Err(Error::Invalid(vec![FieldError::new("to", format!("{to} {message}"))]));
    }
    let now = app.clock.now();
    let sender = service_address(app, "postmaster")?;
    let outgoing_id: OutgoingId = app.mint(now);
    let mail = ServiceMail { sender: sender.clone(), to, subject, text, is_automatic: false };
    let raw = mail.compose(app, outgoing_id, now)?;
    let mail = QueuedMail {
        outgoing_id,
        organization_id: Uuid::nil().into(),
        message: None,
        route: Route::Remote,
        destination: String::new(),
        envelope_from: sender,
        recipients: vec![to.clone()],
        raw: RawMail::OfMessage,
        attempts: 0,
        claim_id: None,
        is_delay_told: false,
        is_code: false,
        traceparent: None,
        created_at: now,
        due_at: now,
    };
    let reports = hand_over(app, transport, &mail, raw, &Recall::default()).await;
    reports.into_iter().next().ok_or_else(|| Error::Internal("the transport reported nothing".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_is_known_by_its_signed_subject() {
        let key = SigningKey::new([7; 32]);
        let subject = test_subject(&key, OffsetDateTime::UNIX_EPOCH);
        for reply in [subject.clone(), format!("Re: {subject}"), format!("AW: Re: {subject} (fwd)")] {
            assert!(is_reply_to_test(&key, &reply), "{reply}");
        }
        let other = SigningKey::new([8; 32]);
        for subject in [
            "Re: inboxd setup test",
            "Re: inboxd setup test 0-00000000",
            &test_subject(&other, OffsetDateTime::UNIX_EPOCH),
        ] {
            assert!(!is_reply_to_test(&key, subject), "{subject}");
        }
    }
}
