//! Text of attachments, read by a bounded number of extractions, which organizations share.

use super::App;
use super::downloads::AttachedFile;
use super::turn_queue::{QueueFull, TurnBounds, TurnPermit, TurnQueue};
use crate::model::{Attachment, MessageId, OrganizationId};
use crate::ports::{AttachedDocument, ExtractedText, StoreError, TextFormat};
use crate::{AttachmentTextRefusal, Error};

/// Concurrent extractions: 4, of one organization 2. At most 64 of one organization wait.
const EXTRACTION_BOUNDS: TurnBounds = TurnBounds { running: 4, running_each: 2, shared: 4, waiting_each: 64 };

/// An attachment with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedText {
    /// Message of the attachment.
    pub message_id: MessageId,
    /// Description of the attachment.
    pub attachment: Attachment,
    /// Form of the text.
    pub format: TextFormat,
    /// Text.
    pub extracted: ExtractedText,
}

/// Permits for extractions, granted to organizations in turns.
pub(crate) struct TextExtractions(TurnQueue<OrganizationId>);

impl Default for TextExtractions {
    fn default() -> Self {
        Self(TurnQueue::new(EXTRACTION_BOUNDS))
    }
}

impl TextExtractions {
    /// Waits for a permit of an organization. It is acquired before the content is read, so that waiting holds no content.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when too many extractions of the organization wait.
    pub(super) async fn acquire(&self, organization_id: OrganizationId) -> Result<TurnPermit<OrganizationId>, Error> {
        let entered = self.0.enter(organization_id).await;
        entered.map_err(|QueueFull| StoreError::Unavailable("too many extractions of text wait".to_owned()).into())
    }
}

/// Returns the text of an attachment. The caller holds a permit.
pub(super) async fn extract(app: &App, file: AttachedFile, format: TextFormat) -> Result<AttachedText, Error> {
    let AttachedFile { message_id, attachment, content } = file;
    let reader = app.attachment_text.as_ref().ok_or(AttachmentTextRefusal::Unsupported)?;
    let document = AttachedDocument {
        content,
        content_type: attachment.content_type.clone(),
        filename: attachment.filename.clone(),
    };
    let kept = app.text_recognizer.as_ref().map(|recognizer| (recognizer, document.clone()));
    let extracted = match (reader.extract(document, format).await, kept) {
        (Err(AttachmentTextRefusal::NoText | AttachmentTextRefusal::Unsupported), Some((recognizer, document))) => {
            recognizer.recognize(document).await?
        }
        (extracted, _) => extracted?,
    };
    Ok(AttachedText { message_id, attachment, format, extracted })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use futures_util::FutureExt;

    use super::*;
    use crate::testing::fixtures::id;

    #[test]
    fn organization_leaves_extractions_to_others() {
        let extractions = TextExtractions::default();
        let acquire = |organization: u128| extractions.acquire(id(organization)).now_or_never();
        let held = [1, 1, 2].map(|organization| acquire(organization).unwrap().unwrap());
        assert!(acquire(1).is_none(), "two run");
        let other = acquire(3).unwrap().unwrap();
        assert!(acquire(4).is_none(), "four run");
        drop((held, other));
        assert!(acquire(1).is_some());
    }
}
