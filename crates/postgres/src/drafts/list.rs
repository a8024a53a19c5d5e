//! Lists of drafts by inbox, pod or organization, each on its own index.

use inboxd_core::model::{DraftItem, InboxId, Page};
use inboxd_core::ports::{DraftQuery, DraftState, StoreError};
use uuid::Uuid;

use super::rows::{DraftItemRow, INBOX_LIVES, ITEM, place};
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::sql::Sql;
use crate::store::PgStore;

/// Reads a page of drafts.
pub(super) async fn list(store: &PgStore, query: &DraftQuery) -> Result<Page<DraftItem>, StoreError> {
    let after = query.page.after.as_ref();
    let rows = Sql::new(text(query))
        .uuid(query.organization_id.0)
        .big(rows_to_read(query.page.limit))
        .uuid(query.pod_id.map_or_else(Uuid::nil, |pod_id| pod_id.0))
        .optional_text(query.inbox_id.as_ref().map(InboxId::as_str))
        .texts(query.labels.iter().map(String::as_str))
        .optional_time(query.before)
        .optional_time(query.after)
        .optional_time(after.map(|cursor| cursor.time))
        .uuid(after.map(cursor_uuid).unwrap_or_default())
        .rows::<DraftItemRow>(&mut *store.connection().await?)
        .await?;
    let drafts = rows.into_iter().map(DraftItemRow::entity).collect::<Result<Vec<_>, _>>()?;
    Ok(Page::of(drafts, query.page.limit, place))
}

fn text(query: &DraftQuery) -> String {
    let only = |is_asked: bool, condition: &'static str| if is_asked { condition } else { "" };
    format!(
        "SELECT {ITEM} FROM drafts d
        WHERE d.organization_id = $1 AND {INBOX_LIVES} {of_pod} {of_inbox} {labelled} {state} {before} {after} {behind}
        ORDER BY d.updated_at {sort}, d.draft_id {sort} LIMIT $2",
        of_pod = only(query.pod_id.is_some(), "AND d.pod_id = $3"),
        of_inbox = only(query.inbox_id.is_some(), "AND d.inbox_id = $4"),
        labelled = only(!query.labels.is_empty(), "AND d.labels @> $5"),
        state = query.state.map_or("", condition),
        before = only(query.before.is_some(), "AND d.updated_at < $6"),
        after = only(query.after.is_some(), "AND d.updated_at > $7"),
        behind = behind_cursor(&query.page, "d.updated_at, d.draft_id", "$8, $9"),
        sort = KeysetOrder::of(query.page.direction).sort,
    )
}

/// Returns the condition of a state of draft `d`.
fn condition(state: DraftState) -> &'static str {
    match state {
        DraftState::Unscheduled => "AND d.send_at IS NULL",
        DraftState::Waiting => {
            "AND d.send_at IS NULL AND (d.updated_by->>'type' = 'api_key' OR d.updated_by->'connection_id' IS NOT NULL
                OR d.updated_by->'agent' IS NOT NULL)"
        }
        DraftState::Failed => "AND d.has_failed",
    }
}
