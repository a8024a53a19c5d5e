//! Verification of candidates by their texts.

use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text};
use diesel_async::AsyncPgConnection;
use inboxd_core::ports::{StoreError, WordSearch};
use inboxd_core::rules::word_search::{SearchedText, TermField, WordQuery};
use tokio::task::spawn_blocking;

use super::WordMatch;
use crate::messages::rows::{ITEM, ItemRow};
use crate::search::query::SearchCandidate;
use crate::sql::Sql;

/// Maximum bytes of the texts of one query, except for a single longer text.
const MAX_TEXT_BYTES: i64 = 1 << 20;

#[derive(QueryableByName)]
struct MatchRow {
    #[diesel(embed)]
    item: ItemRow,
    /// Number of the candidate, from one.
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Nullable<Text>)]
    text: Option<String>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    attachment_texts: Option<Vec<String>>,
    /// Whether the texts before it left room for its text.
    #[diesel(sql_type = Bool)]
    is_read: bool,
}

impl MatchRow {
    fn bytes(&self) -> usize {
        self.text.iter().chain(self.attachment_texts.iter().flatten()).map(String::len).sum()
    }
}

/// Messages of a verification, and the bytes of their texts.
#[derive(Default)]
pub(super) struct Verified {
    pub(super) matches: Vec<WordMatch>,
    pub(super) bytes: usize,
}

/// Returns the matches among candidates. The database leaves out those without a piece of a word; the matcher decides
/// about the others.
pub(super) async fn verify(
    connection: &mut AsyncPgConnection,
    search: &WordSearch,
    labels: &[String],
    candidates: &[SearchCandidate],
) -> Result<Verified, StoreError> {
    let mut verified = Verified::default();
    let mut rest = candidates;
    while !rest.is_empty() {
        let rows = read(search, labels, rest).rows::<MatchRow>(connection).await?;
        let unread = rows.iter().find(|row| !row.is_read).map(|row| row.place);
        verified.bytes += rows.iter().map(MatchRow::bytes).sum::<usize>();
        let words = search.words.clone();
        // A hostile megabyte takes a quarter of a second.
        let matches = spawn_blocking(move || matches_among(&words, rows)).await;
        verified.matches.extend(matches.map_err(|error| StoreError::Failed(error.to_string()))??);
        let Some(place) = unread else { break };
        rest = rest.get(usize::try_from(place - 1).unwrap_or(usize::MAX)..).unwrap_or_default();
    }
    Ok(verified)
}

fn matches_among(words: &WordQuery, rows: Vec<MatchRow>) -> Result<Vec<WordMatch>, StoreError> {
    let mut matches = Vec::new();
    for row in rows.into_iter().filter(|row| row.is_read) {
        let item = row.item.entity()?;
        let message = SearchedText {
            item: &item,
            text: row.text.as_deref(),
            attachments: row.attachment_texts.as_deref().unwrap_or_default(),
        };
        if words.matches(message) {
            let highlights = words.highlights(message);
            matches.push(WordMatch { item, highlights });
        }
    }
    Ok(matches)
}

fn read<'a>(search: &'a WordSearch, labels: &'a [String], candidates: &'a [SearchCandidate]) -> Sql<'a> {
    let attachments = if search.words.needs_attachment() {
        "AND m.attachments <> '[]'"
    } else if search.words.excludes_attachments() {
        "AND m.attachments = '[]'"
    } else {
        ""
    };
    let text = format!(
        "SELECT {ITEM}, m.place, CASE WHEN m.is_read THEN m.text END AS text,
            CASE WHEN m.is_read THEN m.attachment_texts END AS attachment_texts, m.is_read FROM (
            SELECT m.*, c.place, b.text, b.attachment_texts,
                sum(b.bytes) OVER (ORDER BY c.place ROWS UNBOUNDED PRECEDING) - b.bytes < $13 AS is_read
            FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::smallint[])
                WITH ORDINALITY AS c(inbox_id, message_id, timestamp, hidden, place)
            CROSS JOIN LATERAL (
                SELECT m.* FROM messages m
                WHERE m.organization_id = $1 AND m.inbox_id = c.inbox_id COLLATE \"C\"
                    AND m.message_id = c.message_id COLLATE \"C\" AND m.hidden = c.hidden AND m.timestamp = c.timestamp
                    AND m.labels @> $6 AND ($7 IS NULL OR m.delivered_to = $7) AND ($8 IS NULL OR m.tag = $8)
                    {attachments} OFFSET 0) m
            CROSS JOIN LATERAL (
                SELECT b.text, b.attachment_texts, coalesce(octet_length(b.text), 0)::bigint
                    + CASE WHEN b.attachment_texts IS NULL THEN 0 ELSE octet_length(b.search_text) END AS bytes FROM message_bodies b
                WHERE b.organization_id = $1 AND b.inbox_id = m.inbox_id AND b.message_id = m.message_id
                    AND NOT EXISTS (SELECT FROM unnest($9) AS piece WHERE strpos(b.search_text, piece) = 0)
                    AND NOT EXISTS (SELECT FROM unnest($10) AS piece WHERE strpos(b.folded_from, piece) = 0)
                    AND NOT EXISTS (SELECT FROM unnest($11) AS piece
                        WHERE strpos(array_to_string(b.folded_to, E'\\n'), piece) = 0)
                    AND NOT EXISTS (SELECT FROM unnest($12) AS piece WHERE strpos(b.folded_subject, piece) = 0)
                OFFSET 0) b) m
        ORDER BY m.place"
    );
    Sql::new(text)
        .uuid(search.organization_id.0)
        .texts(candidates.iter().map(|candidate| &*candidate.inbox_id))
        .texts(candidates.iter().map(|candidate| candidate.member.message_id.as_str()))
        .times(candidates.iter().map(|candidate| candidate.member.timestamp))
        .smalls(candidates.iter().map(|candidate| candidate.hidden))
        .texts(labels.iter().map(String::as_str))
        .optional_text(search.delivered_to.as_deref())
        .optional_text(search.tag.as_deref())
        .texts(search.words.pieces(TermField::Any))
        .texts(search.words.pieces(TermField::From))
        .texts(search.words.pieces(TermField::To))
        .texts(search.words.pieces(TermField::Subject))
        .big(MAX_TEXT_BYTES)
}
