//! Page of a list.

use super::name::{ListName, find};
use super::suppressed;
use crate::Error;
use crate::app::App;
use crate::model::permissions::ListEntryRead;
use crate::model::{Cursor, Direction, ListEntry, Page, PageRequest};
use crate::rules::authorization::AuthorizedCaller;

/// Returns a page of a list in the order of its entries.
///
/// The send block list of the organization also contains the suppressed addresses.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn list(
    app: &App,
    caller: &AuthorizedCaller<ListEntryRead>,
    name: ListName,
    page: PageRequest,
) -> Result<Page<ListEntry>, Error> {
    let list = find(app, caller, name).await?;
    let page = PageRequest { direction: Direction::Ascending, ..page };
    let entries = app.store.list_entries(&list, &page).await?;
    if !suppressed::shows_in(&list) {
        return Ok(entries);
    }
    let suppressions = app.store.suppressions_by_address(list.organization_id, &page).await?;
    let items = suppressions.items.iter().map(|suppression| suppressed::entry(&list, suppression)).collect();
    Ok(merged(Page { items, next: suppressions.next }, entries, page.limit))
}

/// Merges two pages of equal limit and start into one page. The first page prevails for entries on both.
fn merged(first: Page<ListEntry>, second: Page<ListEntry>, limit: u32) -> Page<ListEntry> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = first.next.is_some() || second.next.is_some();
    let mut items = first.items;
    items.extend(second.items);
    // The sort is stable, so the entry of the first page precedes its duplicate.
    items.sort_by(|one, other| one.entry.cmp(&other.entry));
    items.dedup_by(|later, earlier| later.entry == earlier.entry);
    let more = more || items.len() > limit;
    items.truncate(limit);
    let place = |entry: &ListEntry| Cursor { time: entry.created_at, id: entry.entry.as_str().to_owned() };
    let next = if more { items.last().map(place) } else { None };
    Page { items, next }
}
