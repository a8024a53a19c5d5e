//! Search of the messages of an inbox, by substring or by words.

use super::list::{MessageFilter, included, list, lowered};
use crate::Error;
use crate::app::{App, inboxes};
use crate::model::{Caller, InboxId, Page, Permission, Scope};
use crate::ports::{MAX_SEARCHED_INBOXES, MessageMatch, WordSearch};
use crate::rules::access;

/// Searches messages. A hiding label is included only if the key may read it. A page of a search by words may have
/// fewer messages than its limit and still a next page.
///
/// # Errors
/// As [`list`].
pub async fn search(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    filter: MessageFilter,
) -> Result<Page<MessageMatch>, Error> {
    let Some(words) = filter.words else {
        let page = list(app, caller, inbox_id, filter).await?;
        let items = page.items.into_iter().map(|item| MessageMatch { item, highlights: None }).collect();
        return Ok(Page { items, next: page.next });
    };
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageRead)?;
    inboxes::approach(app, caller, inbox_id).await?;
    let labels = lowered(filter.labels);
    let search = WordSearch {
        organization_id: caller.organization.organization_id,
        scope: Scope::Inbox(inbox_id.clone()),
        words,
        included: included(caller, filter.include, &labels),
        labels,
        before: filter.before,
        after: filter.after,
        delivered_to: filter.delivered_to.map(|address| address.to_lowercase()),
        tag: filter.tag.map(|tag| tag.to_lowercase()),
        page: filter.page,
    };
    let page = app.store.search_messages(&search).await?.ok_or_else(too_many_inboxes)?;
    if page.items.is_empty() {
        inboxes::find(app, caller, inbox_id).await?;
    }
    Ok(page)
}

/// Returns the refusal of a search by words in more inboxes than one search reads.
pub(in crate::app) fn too_many_inboxes() -> Error {
    let limit = MAX_SEARCHED_INBOXES;
    Error::invalid("match", format!("searches the words of at most {limit} inboxes at once; search a pod or an inbox"))
}
