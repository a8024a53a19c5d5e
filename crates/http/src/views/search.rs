//! Results of searches: messages and threads with the fragments that match.

use inboxd_core::ports::{MessageMatch, ThreadMatch};
use inboxd_core::rules::word_search::Highlights;
use serde::Serialize;
use utoipa::ToSchema;

use super::{MessageItemView, ThreadItemView};

/// Fragments with the words of the query between `**`, by part of the message, at most three each. Parts without any are
/// absent. A fragment is plain text of the sender, of at most some 200 characters, and may contain `**` of its own.
#[derive(Serialize, ToSchema)]
#[schema(as = SearchHighlights)]
pub(crate) struct HighlightsView {
    /// From the sender.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    from: Vec<String>,
    /// From the recipients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    recipients: Vec<String>,
    /// From the subject.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    subject: Vec<String>,
    /// From the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    text: Vec<String>,
    /// From the texts of the attachments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    attachments: Vec<String>,
}

impl From<Highlights> for HighlightsView {
    fn from(found: Highlights) -> Self {
        Self {
            from: found.from,
            recipients: found.recipients,
            subject: found.subject,
            text: found.text,
            attachments: found.attachments,
        }
    }
}

/// Found message without bodies.
#[derive(Serialize, ToSchema)]
#[schema(as = SearchMessageItem)]
pub(crate) struct MessageMatchView {
    #[serde(flatten)]
    item: MessageItemView,
    /// Fragments that match, for searches by words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    highlights: Option<HighlightsView>,
}

impl From<MessageMatch> for MessageMatchView {
    fn from(found: MessageMatch) -> Self {
        Self { item: found.item.into(), highlights: found.highlights.map(HighlightsView::from) }
    }
}

/// Found thread without messages.
#[derive(Serialize, ToSchema)]
#[schema(as = SearchThreadItem)]
pub(crate) struct ThreadMatchView {
    #[serde(flatten)]
    item: ThreadItemView,
    /// Fragments of the matching message that comes first, for searches by words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    highlights: Option<HighlightsView>,
}

impl From<ThreadMatch> for ThreadMatchView {
    fn from(found: ThreadMatch) -> Self {
        Self { item: found.thread.into(), highlights: found.highlights.map(HighlightsView::from) }
    }
}
