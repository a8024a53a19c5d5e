//! Verification of candidates by their texts.

use std::ops::AddAssign;

use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, Text};
use diesel_async::AsyncPgConnection;
use inboxd_core::ports::{StoreError, WordSearch};
use inboxd_core::rules::word_search::{SearchedText, TermField, WordQuery};
use tokio::task::spawn_blocking;

use super::results::WordMatch;
use crate::messages::body::text_of;
use crate::messages::rows::{ITEM, ItemRow};
use crate::search::query::SearchCandidate;
use crate::sql::Sql;

/// Bytes of text after which a search is interrupted.
const MAX_TEXT_BYTES: usize = 16 << 20;
/// Bytes of frames after which a search is interrupted: HTML and raw mail beside a text are read with it.
const MAX_FRAME_BYTES: usize = 64 << 20;
/// Maximum bytes of the frames and attachment texts of one query, except for those of a single larger message. Only one
/// text at a time is decompressed.
const MAX_QUERY_BYTES: i64 = 4 << 20;
/// Bytes of text after which the messages of a query wait for the next one: a short frame may have a long text.
const MAX_QUERY_TEXT_BYTES: usize = 4 << 20;

#[derive(QueryableByName)]
struct MatchRow {
    #[diesel(embed)]
    item: ItemRow,
    /// Number of the candidate, from one.
    #[diesel(sql_type = BigInt)]
    place: i64,
    /// Frame of the bodies.
    #[diesel(sql_type = Nullable<Binary>)]
    body: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    attachment_texts: Option<Vec<String>>,
    /// Whether the texts before it left room for its text.
    #[diesel(sql_type = Bool)]
    is_read: bool,
}

/// Bytes of texts and frames that were read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReadBytes {
    text: usize,
    frames: usize,
}

impl ReadBytes {
    /// Returns whether they suffice to interrupt a search.
    pub(super) fn suffice(self) -> bool {
        self.text >= MAX_TEXT_BYTES || self.frames >= MAX_FRAME_BYTES
    }
}

impl AddAssign for ReadBytes {
    fn add_assign(&mut self, others: Self) {
        self.text += others.text;
        self.frames += others.frames;
    }
}

/// Matches of a verification, the bytes that it read, and its unread candidates.
#[derive(Default)]
pub(super) struct Verified<'a> {
    pub(super) matches: Vec<WordMatch>,
    pub(super) bytes: ReadBytes,
    pub(super) unread: &'a [SearchCandidate],
}

/// Returns the matches among candidates, until their texts or frames suffice to interrupt a search. The database leaves
/// out those with other labels, then those of other senders, recipients or subjects, then those without a piece of a word.
/// The matcher decides about the others.
pub(super) async fn verify<'a>(
    connection: &mut AsyncPgConnection,
    search: &WordSearch,
    labels: &[String],
    candidates: &'a [SearchCandidate],
) -> Result<Verified<'a>, StoreError> {
    let mut verified = Verified { unread: candidates, ..Verified::default() };
    while !verified.unread.is_empty() && !verified.bytes.suffice() {
        let rows = read(search, labels, verified.unread).rows::<MatchRow>(connection).await?;
        let words = search.words.clone();
        // A hostile megabyte of text takes a quarter of a second.
        let found = spawn_blocking(move || matches_among(&words, rows)).await;
        let found = found.map_err(|error| StoreError::Failed(error.to_string()))??;
        verified.matches.extend(found.matches);
        verified.bytes += found.bytes;
        let read = found.unread.map_or(usize::MAX, |place| usize::try_from(place - 1).unwrap_or(usize::MAX));
        verified.unread = verified.unread.get(read..).unwrap_or_default();
    }
    Ok(verified)
}

/// Matches among the rows of a query.
#[derive(Default)]
struct Found {
    matches: Vec<WordMatch>,
    bytes: ReadBytes,
    /// Number of the first unread candidate.
    unread: Option<i64>,
}

fn matches_among(words: &WordQuery, rows: Vec<MatchRow>) -> Result<Found, StoreError> {
    let mut found = Found::default();
    for row in rows {
        if !row.is_read || found.bytes.text >= MAX_QUERY_TEXT_BYTES {
            found.unread = Some(row.place);
            break;
        }
        let item = row.item.entity()?;
        let text = row.body.as_deref().map(text_of).transpose()?.flatten();
        let attachments = row.attachment_texts.unwrap_or_default();
        found.bytes += ReadBytes {
            text: text.iter().chain(&attachments).map(String::len).sum(),
            frames: row.body.as_ref().map_or(0, Vec::len),
        };
        let message = SearchedText { item: &item, text: text.as_deref(), attachments: &attachments };
        if words.matches(message) {
            let highlights = words.highlights(message);
            found.matches.push(WordMatch { item, highlights });
        }
    }
    Ok(found)
}

/// Reads candidates with their texts. `LIMIT 1` asks for each message and its body, which have one row, by their whole
/// key; a join may read all mail of the organization. It also fixes the order of the conditions: labels, sender, recipients
/// and subject lie in the rows, and long texts beside them in pages of their own, which only messages that pass these read.
fn read<'a>(search: &'a WordSearch, labels: &'a [String], candidates: &'a [SearchCandidate]) -> Sql<'a> {
    let attachments = if search.words.needs_attachment() {
        "AND m.attachments <> '[]'"
    } else if search.words.excludes_attachments() {
        "AND m.attachments = '[]'"
    } else {
        ""
    };
    let text = format!(
        "SELECT {ITEM}, m.place, CASE WHEN m.is_read THEN m.body END AS body,
            CASE WHEN m.is_read THEN m.attachment_texts END AS attachment_texts, m.is_read FROM (
            SELECT m.*, c.place, b.body, b.attachment_texts,
                sum(b.bytes) OVER (ORDER BY c.place ROWS UNBOUNDED PRECEDING) - b.bytes < $13 AS is_read
            FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::smallint[])
                WITH ORDINALITY AS c(inbox_id, message_id, timestamp, hidden, place)
            CROSS JOIN LATERAL (
                SELECT m.* FROM messages m
                WHERE m.organization_id = $1 AND m.inbox_id = c.inbox_id AND m.message_id = c.message_id
                    AND m.hidden = c.hidden AND m.timestamp = c.timestamp
                    AND m.labels @> $6 AND ($7 IS NULL OR m.delivered_to = $7) AND ($8 IS NULL OR m.tag = $8)
                    {attachments} LIMIT 1) m
            CROSS JOIN LATERAL (
                SELECT b.search_text, b.body, b.attachment_texts, octet_length(b.body)
                    + CASE WHEN b.attachment_texts IS NULL THEN 0 ELSE octet_length(b.search_text) END AS bytes
                FROM message_bodies b
                WHERE b.organization_id = $1 AND b.inbox_id = m.inbox_id AND b.message_id = m.message_id
                    AND NOT EXISTS (SELECT FROM unnest($10) AS piece WHERE strpos(b.folded_from, piece) = 0)
                    AND NOT EXISTS (SELECT FROM unnest($11) AS piece
                        WHERE strpos(array_to_string(b.folded_to, E'\\n'), piece) = 0)
                    AND NOT EXISTS (SELECT FROM unnest($12) AS piece WHERE strpos(b.folded_subject, piece) = 0)
                LIMIT 1) b
            WHERE NOT EXISTS (SELECT FROM unnest($9) AS piece WHERE strpos(b.search_text, piece) = 0)) m
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
        .big(MAX_QUERY_BYTES)
}
