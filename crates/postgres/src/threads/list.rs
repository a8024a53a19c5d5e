//! Lists of threads.
//!
//! Like a list of messages, a list walks an index and stops at a full page. The index separates threads with a visible
//! message from the others: a reader that includes no hidden messages walks along these alone.

use inboxd_core::model::{HidingLabels, Page, Scope, Thread};
use inboxd_core::ports::{AssigneeFilter, StoreError, ThreadQuery};
use uuid::Uuid;

use super::rows::{ITS_INBOX_LIVES, THREAD, ThreadRow, place};
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::messages::list::{IS_RARE, are_rare, walked_label};
use crate::messages::rows::{BODY_OF_MESSAGE, INBOX_LIVES, unseen};
use crate::sql::Sql;
use crate::store::PgStore;

/// Walk along threads.
const ALL: &str = "threads t";
/// Walk along the threads of label `$8`. `LIMIT 1`: the key of a thread is unique, as in the list of messages.
const LABELLED: &str = "thread_labels w CROSS JOIN LATERAL (
        SELECT * FROM threads
        WHERE organization_id = w.organization_id AND inbox_id = w.inbox_id AND thread_id = w.thread_id LIMIT 1) t";

/// Reads a page of threads by a walk along the list.
pub(super) async fn list(store: &PgStore, query: &ThreadQuery) -> Result<Page<Thread>, StoreError> {
    let statement = bound(text(query), query);
    // Filters by text make too many different statements to keep all prepared.
    let texts = query.senders.iter().chain(&query.recipients).chain(&query.subject).chain(&query.search);
    let statement = if texts.count() == 0 { statement } else { statement.uncached() };
    let rows = statement.rows::<ThreadRow>(&mut *store.connection().await?).await?;
    let threads = rows.into_iter().map(ThreadRow::entity).collect::<Result<Vec<_>, _>>()?;
    Ok(Page::of(threads, query.page.limit, place))
}

/// Binds the values of a query as the first nineteen.
pub(super) fn bound(text: String, query: &ThreadQuery) -> Sql<'_> {
    let after = query.page.after.as_ref();
    let visible: &[bool] = if query.included == HidingLabels::NONE { &[true] } else { &[true, false] };
    Sql::new(text)
        .uuid(query.organization_id.0)
        .optional_text(match &query.scope {
            Scope::Inbox(inbox_id) => Some(inbox_id.as_str()),
            Scope::Organization | Scope::Pod(_) => None,
        })
        .bools(visible.iter().copied())
        .big(rows_to_read(query.page.limit))
        .optional_time(after.map(|cursor| cursor.time))
        .uuid(after.map(cursor_uuid).unwrap_or_default())
        .integer(query.included.shown_set())
        .optional_text(walked_label(&query.labels))
        .texts(query.labels.iter().map(String::as_str))
        .optional_time(query.before)
        .optional_time(query.after)
        .texts(query.senders.iter().map(String::as_str))
        .texts(query.recipients.iter().map(String::as_str))
        .texts(query.subject.iter().map(String::as_str))
        .optional_text(query.search.as_deref())
        .small(unseen(query.included))
        .optional_text(match &query.assignee {
            Some(AssigneeFilter::Id(id)) => Some(id.as_str()),
            Some(AssigneeFilter::Nobody) | None => None,
        })
        .uuid(match query.scope {
            Scope::Pod(pod_id) => pod_id.0,
            Scope::Organization | Scope::Inbox(_) => Uuid::nil(),
        })
        .texts(query.trust.iter().map(|verdict| verdict.as_str()))
}

fn text(query: &ThreadQuery) -> String {
    let (walk, w) = if query.labels.is_empty() { (ALL, "t") } else { (LABELLED, "w") };
    let mut conditions = Vec::new();
    if !query.labels.is_empty() {
        conditions.push("AND w.label = $8".to_owned());
    }
    if query.labels.len() > 1 {
        conditions.push("AND t.labels @> $9".to_owned());
    }
    conditions.push(window(query, w));
    conditions.extend(filters(query));
    conditions.extend(query.search.is_some().then(matches_text));
    let is_judged = walks_verdicts(query);
    let judged = if is_judged { " CROSS JOIN unnest($19::text[]) AS judged(verdict)" } else { "" };
    if is_judged {
        conditions.push(format!("AND t.trust ->> 'verdict' = judged.verdict AND t.{IS_RARE}"));
    }
    // One walk along the organization must skip rows of deleted inboxes; walks along inboxes never see them.
    let (inboxes, here, lives) = match query.scope {
        Scope::Inbox(_) => ("", format!("AND {w}.inbox_id = $2"), INBOX_LIVES),
        Scope::Pod(_) => (
            "inboxes own CROSS JOIN ",
            format!("AND {w}.inbox_id = own.inbox_id"),
            "own.organization_id = $1 AND own.pod_id = $18 AND own.deleted_at IS NULL",
        ),
        Scope::Organization if is_judged => (
            "inboxes own CROSS JOIN ",
            format!("AND {w}.inbox_id = own.inbox_id"),
            "own.organization_id = $1 AND own.deleted_at IS NULL",
        ),
        Scope::Organization => ("", format!("AND {ITS_INBOX_LIVES}"), "true"),
    };
    format!(
        "SELECT {THREAD} FROM {inboxes}unnest($3::boolean[]) AS shown(visible){judged} CROSS JOIN LATERAL (
            SELECT t.* FROM {walk}
            WHERE {w}.organization_id = $1 {here} AND {w}.visible = shown.visible
                AND t.hidden_sets & $7 <> 0 {conditions}
            ORDER BY {w}.timestamp {sort}, {w}.thread_id {sort} LIMIT $4
        ) t
        WHERE {lives}
        ORDER BY t.timestamp {sort}, t.thread_id {sort} LIMIT $4",
        conditions = conditions.join(" "),
        sort = KeysetOrder::of(query.page.direction).sort,
    )
}

/// Returns the condition that a row of times and ids named `w` is within the window of the query.
pub(super) fn window(query: &ThreadQuery, w: &str) -> String {
    let before = if query.before.is_some() { format!("AND {w}.timestamp < $10") } else { String::new() };
    let after = if query.after.is_some() { format!("AND {w}.timestamp > $11") } else { String::new() };
    let behind = behind_cursor(&query.page, &format!("{w}.timestamp, {w}.thread_id"), "$5, $6");
    format!("{before} {after} {behind}")
}

/// Returns the condition that a message of the thread contains the text. One match is enough: the threads are searched one
/// by one until the page is full, instead of all mail of the inbox.
fn matches_text() -> String {
    format!(
        "AND (
            SELECT true FROM messages m JOIN message_bodies b ON {BODY_OF_MESSAGE}
            WHERE m.organization_id = t.organization_id AND m.inbox_id = t.inbox_id AND m.thread_id = t.thread_id
                AND m.hidden & $16 = 0 AND strpos(b.search_text, $15) > 0
            LIMIT 1)"
    )
}

/// Returns the other conditions on the thread; the searched texts are in lower case.
pub(super) fn filters(query: &ThreadQuery) -> Vec<String> {
    let mut conditions = Vec::new();
    let has_texts = [&query.senders, &query.recipients, &query.subject].iter().any(|texts| !texts.is_empty());
    if has_texts || !query.trust.is_empty() {
        // The summary of a thread without a visible message is of all hidden ones, of which the reader may see only some.
        conditions.push("AND (t.visible OR t.hidden_sets & ~$7 = 0)".to_owned());
    }
    if !query.senders.is_empty() {
        conditions.push(every_wanted_is_within("$12", "t.folded_senders"));
    }
    if !query.recipients.is_empty() {
        conditions.push(every_wanted_is_within("$13", "t.folded_recipients"));
    }
    if !query.subject.is_empty() {
        let missing = "SELECT FROM unnest($14) AS wanted WHERE strpos(t.folded_subject, wanted) = 0";
        conditions.push(format!("AND NOT EXISTS ({missing})"));
    }
    match query.assignee {
        Some(AssigneeFilter::Nobody) => conditions.push("AND t.assignee_id IS NULL".to_owned()),
        Some(AssigneeFilter::Id(_)) => conditions.push("AND t.assignee_id = $17".to_owned()),
        None => {}
    }
    if !query.trust.is_empty() && !walks_verdicts(query) {
        conditions.push("AND t.trust ->> 'verdict' = ANY($19)".to_owned());
    }
    conditions
}

/// Returns whether the list walks along each verdict in its own index, inbox by inbox. With a common verdict, labels, an
/// assignee or a text to search, the verdict is one more condition.
fn walks_verdicts(query: &ThreadQuery) -> bool {
    are_rare(&query.trust) && query.labels.is_empty() && query.assignee.is_none() && query.search.is_none()
}

fn every_wanted_is_within(wanted: &str, texts: &str) -> String {
    format!(
        "AND NOT EXISTS (SELECT FROM unnest({wanted}) AS wanted WHERE NOT EXISTS (
            SELECT FROM unnest({texts}) AS one WHERE strpos(one, wanted) > 0))"
    )
}
