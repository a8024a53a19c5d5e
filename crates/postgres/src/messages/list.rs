//! Lists of messages.
//!
//! A list walks an index in the order of the list and stops at a full page. The index separates messages by their
//! hiding labels, so each visible combination needs one walk: one for most readers, at most 32.

use inboxd_core::model::{HidingLabels, MessageItem, Page};
use inboxd_core::ports::{MessageQuery, StoreError};
use inboxd_core::rules::trust::Verdict;

use super::rows::{BODY_OF_MESSAGE, INBOX_LIVES, ITEM, ItemRow, place};
use crate::keyset::{KeysetOrder, behind_cursor, rows_to_read};
use crate::sql::{Columns, Sql};
use crate::store::PgStore;

/// Frequent labels, the rarest first: most sent mail is delivered, an agent reads its mail, and most mail is received.
/// All other labels are assumed rarer.
const COMMON: [&str; 5] = ["unread", "delivered", "sent", "read", "received"];

/// Walk along messages.
const ALL: &str = "messages m";
/// Walk along the messages of label `$7`.
///
/// `LIMIT 1`: the key of a message is unique. The planner multiplies the selectivities of the columns of a key, so it
/// expects a plain join to lose nearly all rows, never to fill the page, and then joins the whole inbox.
const LABELLED: &str = "message_labels w CROSS JOIN LATERAL (
        SELECT * FROM messages
        WHERE organization_id = w.organization_id AND inbox_id = w.inbox_id AND message_id = w.message_id LIMIT 1) m";

/// Returns whether the index of texts may find the page: the query has texts, no index by recipient or tag, and only
/// labels that the reader sees.
pub(super) fn is_searched(query: &MessageQuery) -> bool {
    reads_bodies(query) && !walks_recipient(query) && !needs_unseen_label(query)
}

/// Reads a page of messages by a walk along the list.
pub(super) async fn list(store: &PgStore, query: &MessageQuery) -> Result<Page<MessageItem>, StoreError> {
    if needs_unseen_label(query) {
        return Ok(Page { items: Vec::new(), next: None });
    }
    let statement = bound(text(query), query);
    let rows: Vec<ItemRow> = if reads_bodies(query) {
        // Filters make too many different texts to keep all prepared.
        statement.uncached().columns::<Columns<ItemRow>, _>(&mut *store.connection().await?).await?
    } else {
        statement.columns::<Columns<ItemRow>, _>(&mut *store.list_connection().await?).await?
    };
    let items = rows.into_iter().map(ItemRow::entity).collect::<Result<Vec<_>, _>>()?;
    Ok(Page::of(items, query.page.limit, place))
}

/// Binds the values of a query as the first seventeen.
pub(super) fn bound(text: String, query: &MessageQuery) -> Sql<'_> {
    let after = query.page.after.as_ref();
    Sql::new(text)
        .uuid(query.organization_id.0)
        .text(query.inbox_id.as_str())
        .smalls(shown(query.included))
        .big(rows_to_read(query.page.limit))
        .optional_time(after.map(|cursor| cursor.time))
        .optional_text(after.map(|cursor| cursor.id.as_str()))
        .optional_text(walked_label(&query.labels))
        .texts(query.labels.iter().map(String::as_str))
        .optional_time(query.before)
        .optional_time(query.after)
        .texts(query.from.iter().map(String::as_str))
        .texts(query.to.iter().map(String::as_str))
        .texts(query.subject.iter().map(String::as_str))
        .optional_text(query.search.as_deref())
        .optional_text(query.delivered_to.as_deref())
        .optional_text(query.tag.as_deref())
        .texts(query.trust.iter().map(|verdict| verdict.as_str()))
}

/// Returns the label to walk along, if the list names any: the rarest by assumption, without counting.
pub(crate) fn walked_label(labels: &[String]) -> Option<&str> {
    let commonness = |label: &&str| COMMON.iter().position(|common| common == label).map_or(0, |place| place + 1);
    labels.iter().map(String::as_str).min_by_key(commonness)
}

fn text(query: &MessageQuery) -> String {
    let is_judged = walks_verdicts(query);
    let is_indexed = is_judged || walks_recipient(query);
    let (walk, w) = if query.labels.is_empty() || is_indexed { (ALL, "m") } else { (LABELLED, "w") };
    let mut conditions = Vec::new();
    if !is_indexed && !query.labels.is_empty() {
        conditions.push("AND w.label = $7".to_owned());
    }
    if query.labels.len() > usize::from(!is_indexed) {
        conditions.push("AND m.labels @> $8".to_owned());
    }
    conditions.push(window(query, w));
    if reads_bodies(query) {
        conditions.push(format!("AND {}", matches_texts(query)));
    } else {
        conditions.push(recipient_conditions(query));
    }
    let judged = if is_judged { " CROSS JOIN unnest($17::text[]) AS judged(verdict)" } else { "" };
    if is_judged {
        conditions.push(format!("AND m.trust ->> 'verdict' = judged.verdict AND m.{IS_RARE}"));
    }
    let (conditions, sort) = (conditions.join(" "), KeysetOrder::of(query.page.direction).sort);
    let order = |w: &str| format!("ORDER BY {w}.timestamp {sort}, {w}.message_id {sort} LIMIT $4");
    let here = format!("{w}.organization_id = $1 AND {w}.inbox_id = $2");
    if shown(query.included).count() == 1 && !is_judged {
        // One walk is the list.
        return format!(
            "SELECT {ITEM} FROM {walk}
            WHERE {here} AND {w}.hidden = ($3::smallint[])[1] {conditions} AND {INBOX_LIVES} {order}",
            order = order(w),
        );
    }
    format!(
        "SELECT {ITEM} FROM unnest($3::smallint[]) AS shown(hidden){judged} CROSS JOIN LATERAL (
            SELECT m.* FROM {walk} WHERE {here} AND {w}.hidden = shown.hidden {conditions} {within}
        ) m
        WHERE {INBOX_LIVES}
        {order}",
        within = order(w),
        order = order("m"),
    )
}

/// Returns the condition that a row of times and ids named `w` is within the window of the query.
pub(super) fn window(query: &MessageQuery, w: &str) -> String {
    let before = if query.before.is_some() { format!("AND {w}.timestamp < $9") } else { String::new() };
    let after = if query.after.is_some() { format!("AND {w}.timestamp > $10") } else { String::new() };
    let behind = behind_cursor(&query.page, &format!("{w}.timestamp, {w}.message_id"), "$5, $6");
    format!("{before} {after} {behind}")
}

/// Returns the condition that the body of message `m` contains the searched texts.
pub(super) fn matches_texts(query: &MessageQuery) -> String {
    let conditions = body_conditions(query);
    let recipient = recipient_conditions(query);
    format!("(SELECT true {conditions} FROM message_bodies b WHERE {BODY_OF_MESSAGE}) {recipient}")
}

/// Returns the conditions on the envelope recipient of message `m`. The second one, on other recipients, matches their
/// index.
fn recipient_conditions(query: &MessageQuery) -> String {
    let tag = if query.tag.is_some() { "AND m.tag = $16" } else { "" };
    let delivered_to = match query.delivered_to {
        None => "",
        Some(_) if is_to_other(query) => "AND m.delivered_to = $15 AND m.delivered_to <> m.inbox_id",
        Some(_) => "AND m.delivered_to = $15",
    };
    let trust =
        if query.trust.is_empty() || walks_verdicts(query) { "" } else { "AND m.trust ->> 'verdict' = ANY($17)" };
    format!("{delivered_to} {tag} {trust}")
}

/// Condition on a row that its verdict is a rare one, as the indexes by verdict state it.
pub(crate) const IS_RARE: &str = "trust ->> 'verdict' IN ('suspicious', 'trusted')";

/// Returns whether verdicts are named, and all of them are rare.
pub(crate) fn are_rare(verdicts: &[Verdict]) -> bool {
    !verdicts.is_empty() && verdicts.iter().all(|verdict| matches!(verdict, Verdict::Suspicious | Verdict::Trusted))
}

/// Returns whether the list walks along each verdict: messages with rare verdicts have their own index. With a common
/// verdict, with other conditions that select an index, or with texts to search, the verdict is one more condition.
fn walks_verdicts(query: &MessageQuery) -> bool {
    are_rare(&query.trust) && query.labels.is_empty() && !walks_recipient(query) && !reads_bodies(query)
}

/// Returns whether the list walks along one recipient or tag: mail to other recipients than the inbox has its own
/// indexes.
fn walks_recipient(query: &MessageQuery) -> bool {
    query.tag.is_some() || is_to_other(query)
}

/// Returns whether the query selects mail to another recipient than the inbox itself.
fn is_to_other(query: &MessageQuery) -> bool {
    query.delivered_to.as_deref().is_some_and(|recipient| recipient != query.inbox_id.as_str())
}

/// Returns the conditions on the body row of a message; the searched texts are in lower case.
fn body_conditions(query: &MessageQuery) -> String {
    let mut conditions = Vec::new();
    if !query.from.is_empty() {
        conditions.push("AND NOT EXISTS (SELECT FROM unnest($11) AS wanted WHERE strpos(b.folded_from, wanted) = 0)");
    }
    if !query.to.is_empty() {
        conditions.push(
            "AND NOT EXISTS (SELECT FROM unnest($12) AS wanted WHERE NOT EXISTS (
                SELECT FROM unnest(b.folded_to) AS recipient WHERE strpos(recipient, wanted) > 0))",
        );
    }
    if !query.subject.is_empty() {
        conditions
            .push("AND NOT EXISTS (SELECT FROM unnest($13) AS wanted WHERE strpos(b.folded_subject, wanted) = 0)");
    }
    if query.search.is_some() {
        conditions.push("AND strpos(b.search_text, $14) > 0");
    }
    conditions.join(" ")
}

fn reads_bodies(query: &MessageQuery) -> bool {
    !query.from.is_empty() || !query.to.is_empty() || !query.subject.is_empty() || query.search.is_some()
}

/// Returns whether the list requires a hiding label that is invisible to the reader.
fn needs_unseen_label(query: &MessageQuery) -> bool {
    let asked = HidingLabels::of(&query.labels.iter().cloned().collect());
    !asked.shown_to(query.included)
}

/// Returns the visible combinations of hiding labels as bits.
pub(crate) fn shown(included: HidingLabels) -> impl Iterator<Item = i16> {
    let set = included.shown_set();
    (0..=HidingLabels::ALL.bits()).filter(move |bits| set & (1 << bits) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarest_of_several_labels_is_walked() {
        let table: [(&[&str], Option<&str>); 9] = [
            (&[], None),
            (&["received"], Some("received")),
            (&["received", "unread"], Some("unread")),
            (&["unread", "received"], Some("unread")),
            (&["received", "sent"], Some("sent")),
            (&["sent", "delivered"], Some("delivered")),
            (&["sent", "bounced"], Some("bounced")),
            (&["received", "read", "invoice"], Some("invoice")),
            (&["spam", "unread"], Some("spam")),
        ];
        for (labels, walked) in table {
            let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
            assert_eq!(walked_label(&labels), walked, "{labels:?}");
        }
    }
}
