//! Attachments of stored messages become searchable.

use time::Duration;

use crate::app::attachment_text;
use crate::app::downloads::{self, AttachedFile};
use crate::app::{App, AttachedText};
use crate::model::{Attachment, HidingLabels, OrganizationId};
use crate::ports::{AttachmentClaim, MessageKey, StoreError, TextFormat};
use crate::rules::attachment_text::{IndexedTexts, MAX_READ_ATTACHMENTS, may_have_text};
use crate::{AttachmentTextRefusal, Error};

/// Attempts to read the attachments of a message; then those that failed are given up.
const MAX_ATTEMPTS: u16 = 2;
/// Time for which a claim is exclusive, far above the time of an attempt.
const LEASE: Duration = Duration::minutes(2);
/// Time until the second attempt.
const RETRY_DELAY: Duration = Duration::seconds(10);
/// Time until another attempt while the store of large contents is away.
const AWAY_DELAY: Duration = Duration::minutes(1);
/// Time after which no other attachment of the same message is begun in an attempt.
const MAX_READING_TIME: Duration = Duration::seconds(10);

/// Result of an attempt to read the attachments of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentReading {
    /// The message.
    pub message: MessageKey,
    /// Number of the attempt, from one.
    pub attempt: u16,
    /// Number of texts.
    pub texts: usize,
    /// Bytes of the texts.
    pub bytes: usize,
    /// Attachments that could not be read, at least.
    pub unread: usize,
    /// Whether another attempt follows, which stores the texts.
    pub is_retried: bool,
}

/// Returns the first organization after `after` with attachments that are due.
///
/// # Errors
/// [`Error::Store`].
pub async fn organization_to_read(app: &App, after: Option<OrganizationId>) -> Result<Option<OrganizationId>, Error> {
    Ok(app.store.organization_to_read(after, app.clock.now()).await?)
}

/// Reads the attachments of the newest message of an organization that is due; `None` without one.
///
/// An attachment that exhausts a limit or fails is read again in a second attempt, and then given up. So is a message
/// whose attempts never ended.
///
/// # Errors
/// [`Error::Store`]; the message is due again when its lease has ended.
pub async fn read_attachments(app: &App, organization_id: OrganizationId) -> Result<Option<AttachmentReading>, Error> {
    let now = app.clock.now();
    let Some(claim) = app.store.claim_attachments(organization_id, now, now + LEASE).await? else { return Ok(None) };
    // An attempt that never ended, such as one that ended the process, is not repeated for ever.
    let read = if claim.attempt > MAX_ATTEMPTS {
        ReadAttachments { texts: IndexedTexts::default(), unread: 1 }
    } else {
        match read(app, &claim.message).await {
            // A store that is away or busy is no fault of the message.
            Err(Error::Store(
                error @ (StoreError::ContentUnavailable(_) | StoreError::Unavailable(_) | StoreError::LockTimeout),
            )) => {
                // While the database is away, the attempt counts.
                let _ = app.store.postpone_attachments(&claim, app.clock.now() + AWAY_DELAY).await;
                return Err(error.into());
            }
            Err(Error::Store(StoreError::ContentLost(_))) => {
                ReadAttachments { texts: IndexedTexts::default(), unread: 1 }
            }
            read => read?,
        }
    };
    let is_retried = read.unread > 0 && claim.attempt < MAX_ATTEMPTS;
    if is_retried {
        app.store.retry_attachments(&claim, app.clock.now() + RETRY_DELAY).await?;
    } else {
        app.store.store_attachment_texts(&claim, read.texts.as_slice(), read.unread).await?;
    }
    let (texts, bytes) = (read.texts.as_slice().len(), read.texts.bytes());
    let AttachmentClaim { message, attempt } = claim;
    Ok(Some(AttachmentReading { message, attempt, texts, bytes, unread: read.unread, is_retried }))
}

/// What an attempt has read.
#[derive(Default)]
struct ReadAttachments {
    texts: IndexedTexts,
    /// Attachments that could not be read, at least.
    unread: usize,
}

async fn read(app: &App, message: &MessageKey) -> Result<ReadAttachments, Error> {
    let mut read = ReadAttachments::default();
    let mut spent = Duration::ZERO;
    for file in files(app, message).await? {
        if read.texts.is_full() {
            break;
        }
        if spent >= MAX_READING_TIME {
            read.unread += 1;
            continue;
        }
        // The time of waiting behind other documents is not that of these.
        let _extraction = app.waiting.text_extractions.acquire(message.organization_id).await?;
        let began = app.clock.now();
        let extracted = attachment_text::extract(app, file, TextFormat::Text).await;
        spent += app.clock.now() - began;
        match extracted {
            Ok(AttachedText { extracted, .. }) => read.texts.push(&extracted.text),
            Err(Error::AttachmentText(
                AttachmentTextRefusal::Unsupported | AttachmentTextRefusal::NoText | AttachmentTextRefusal::Encrypted,
            )) => {}
            Err(_) => read.unread += 1,
        }
    }
    Ok(read)
}

/// Returns the attachments of a message that may have text; none of a message that was deleted.
async fn files(app: &App, message: &MessageKey) -> Result<Vec<AttachedFile>, Error> {
    let MessageKey { organization_id, inbox_id, message_id } = message;
    let _permit = app.waiting.large_reads.acquire(*organization_id).await?;
    let source = app.store.raw_message(*organization_id, inbox_id, message_id, HidingLabels::ALL).await?;
    let Some(source) = source else { return Ok(Vec::new()) };
    let readable = |all: Vec<Attachment>| all.into_iter().filter(may_have_text).take(MAX_READ_ATTACHMENTS).collect();
    downloads::contents(app, source, readable).await
}
