//! List and search of the messages of an inbox.

use time::OffsetDateTime;

use super::get::find;
use crate::Error;
use crate::app::{App, inboxes, reads};
use crate::model::{
    ARMOR_HELD, Caller, HELD, HidingLabels, InboxId, Message, MessageItem, Page, PageRequest, Permission, ReadPart,
};
use crate::ports::MessageQuery;
use crate::rules::access;
use crate::rules::trust::Verdict;
use crate::rules::word_search::WordQuery;

/// Filter of messages; all conditions apply together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// The labels that a message must have.
    pub labels: Vec<String>,
    /// The exclusive end of the period.
    pub before: Option<OffsetDateTime>,
    /// The exclusive start of the period.
    pub after: Option<OffsetDateTime>,
    /// The hiding labels to include.
    pub include: HidingLabels,
    /// Substrings of the sender.
    pub from: Vec<String>,
    /// Substrings of a recipient.
    pub to: Vec<String>,
    /// Substrings of the subject.
    pub subject: Vec<String>,
    /// A substring of sender, recipients, subject or text.
    pub search: Option<String>,
    /// Words to search instead of a substring; lists ignore them.
    pub words: Option<WordQuery>,
    /// The envelope recipient.
    pub delivered_to: Option<String>,
    /// The tag of the envelope recipient.
    pub tag: Option<String>,
    /// The verdicts, of which a message must have one; empty for no condition.
    pub trust: Vec<Verdict>,
    /// The requested page.
    pub page: PageRequest,
}

/// Lists messages without their bodies. A hiding label is included only if the key may read it.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`] for the inbox.
pub async fn list(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    filter: MessageFilter,
) -> Result<Page<MessageItem>, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageRead)?;
    inboxes::approach(app, caller, inbox_id).await?;
    let labels = lowered(filter.labels);
    let query = MessageQuery {
        organization_id: caller.organization.organization_id,
        inbox_id: inbox_id.clone(),
        included: included(caller, filter.include, &labels),
        labels,
        before: filter.before,
        after: filter.after,
        from: lowered(filter.from),
        to: lowered(filter.to),
        subject: lowered(filter.subject),
        search: filter.search.map(|text| text.to_lowercase()),
        delivered_to: filter.delivered_to.map(|address| address.to_lowercase()),
        tag: filter.tag.map(|tag| tag.to_lowercase()),
        trust: filter.trust,
        page: filter.page,
    };
    let page = app.store.list_messages(&query).await?;
    if page.items.is_empty() {
        inboxes::find(app, caller, inbox_id).await?;
    }
    Ok(page)
}

/// Returns the first message of a list with its bodies, if any.
///
/// # Errors
/// As [`list`].
pub async fn first(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    filter: MessageFilter,
) -> Result<Option<Message>, Error> {
    let Some(item) = list(app, caller, inbox_id, filter).await?.items.into_iter().next() else { return Ok(None) };
    match find(app, caller, inbox_id, &item.message_id).await {
        Ok(message) => {
            reads::note(app, caller, &message.item, ReadPart::Message);
            Ok(Some(message))
        }
        // The message was deleted between the two reads.
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the hiding labels that a list includes: the requested ones that the caller may read. A filter by a label of
/// held messages requests them.
pub(crate) fn included(caller: &Caller, include: HidingLabels, labels: &[String]) -> HidingLabels {
    let names_held = labels.iter().any(|label| label == HELD || label == ARMOR_HELD);
    let held = if names_held { HidingLabels::HELD } else { HidingLabels::NONE };
    include.or(held).and(access::readable(caller))
}

pub(crate) fn lowered(texts: Vec<String>) -> Vec<String> {
    texts.into_iter().map(|text| text.to_lowercase()).collect()
}
