//! Walk through the matches of a search in their order, with bounded work.

use std::collections::BTreeMap;

use diesel_async::AsyncPgConnection;
use inboxd_core::model::page::{Cursor, Direction};
use inboxd_core::ports::{StoreError, WordSearch};
use time::OffsetDateTime;
use tokio::try_join;
use uuid::Uuid;

use super::candidates::{PendingCandidates, inboxes, of_threads, pending, question};
use super::matches::{ReadBytes, verify};
use super::results::{MatchKey, SearchResult, WordMatch, limit};
use crate::search::index_work::begin_snapshot;
use crate::search::query::{CandidateSegments, QueryError, SearchCandidate, SearchQuery};
use crate::store::PgStore;
use crate::tx::PgTx;

/// Candidates read beyond the page: a few of them do not match.
const SPARE_CANDIDATES: usize = 15;
/// Maximum candidates per read.
const MAX_READ: usize = 1_024;
/// Candidates after which a search is interrupted.
const MAX_CANDIDATES: usize = 20_000;
/// Segments after which a search is interrupted.
const MAX_SEGMENTS: usize = 4_096;
/// Id behind those of all messages of a time.
const LAST_ID: &str = "\u{10ffff}";

/// Walk through the matches of a search.
pub(super) struct WordWalk<'a> {
    /// Dropped without a commit: nothing was written.
    tx: PgTx,
    search: &'a WordSearch,
    result: SearchResult,
    question: SearchQuery,
    segments: CandidateSegments,
    pending: PendingCandidates,
    /// Matches that others may still precede.
    unsettled: BTreeMap<MatchKey, WordMatch>,
    /// Candidates of the next read.
    batch: usize,
    candidates: usize,
    /// Matches that were returned.
    returned: usize,
    bytes: ReadBytes,
    /// Candidates and bytes that were read for matches on earlier pages. They have a budget of their own, of the same size.
    earlier: (usize, ReadBytes),
    /// Position at which the walk was interrupted.
    interruption: Option<Cursor>,
}

impl<'a> WordWalk<'a> {
    /// Begins a walk; `None` for too many inboxes.
    pub(super) async fn begin(
        store: &PgStore,
        search: &'a WordSearch,
        result: SearchResult,
    ) -> Result<Option<Self>, StoreError> {
        let mut tx = begin_snapshot(store).await?;
        let Some(inbox_ids) = tx.beginning(async |connection| inboxes(connection, search).await).await? else {
            return Ok(None);
        };
        let question = question(search, inbox_ids, result);
        let connection: &AsyncPgConnection = tx.connection().await?;
        let (segments, pending) = try_join!(
            biased;
            CandidateSegments::find(connection, question.clone()),
            pending(connection, &question)
        )?;
        let walk = Self {
            tx,
            search,
            result,
            question,
            segments,
            pending,
            unsettled: BTreeMap::new(),
            batch: limit(search) + SPARE_CANDIDATES,
            candidates: 0,
            returned: 0,
            bytes: ReadBytes::default(),
            earlier: (0, ReadBytes::default()),
            interruption: None,
        };
        Ok(Some(walk))
    }

    /// Returns the connection of the snapshot.
    pub(super) async fn connection(&mut self) -> Result<&mut AsyncPgConnection, StoreError> {
        self.tx.connection().await
    }

    /// Returns where the walk was interrupted; `None` after its end.
    pub(super) fn interruption(&self) -> Option<Cursor> {
        self.interruption.clone()
    }

    /// Returns the next matches in order, perhaps none; `None` after the last one or after enough work.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<(MatchKey, WordMatch)>>, QueryError> {
        let Some(bound) = self.bound() else {
            let rest = std::mem::take(&mut self.unsettled);
            return Ok((!rest.is_empty()).then(|| self.in_order(rest)));
        };
        if self.interruption.is_some() {
            return Ok(None);
        }
        if self.must_stop(bound) {
            let id = if self.is_descending() { LAST_ID } else { "" };
            self.interruption = Some(Cursor { time: bound, id: id.to_owned() });
            return Ok(None);
        }
        let candidates = self.take().await?;
        let taken = candidates.len();
        self.candidates += taken;
        let wanted: Vec<SearchCandidate> = candidates.into_iter().filter(|one| self.is_wanted(one)).collect();
        let (matches, unread) = self.verify(&wanted).await?;
        self.put_back(unread);
        for one in matches {
            self.unsettled
                .insert(key(one.item.timestamp, one.item.message_id.as_str(), one.item.inbox_id.as_str()), one);
        }
        let settled = self.settled();
        self.returned += settled.len();
        if taken > 0 {
            self.batch = self.next_batch(taken, settled.len());
        }
        Ok(Some(self.in_order(settled)))
    }

    /// Returns which of these threads have a match ahead of the page, so that an earlier page showed them. Beyond the budget
    /// a thread counts as new, so it may repeat.
    pub(super) async fn shown_before(
        &mut self,
        threads: &[(&str, Uuid)],
        limit: usize,
    ) -> Result<Vec<Uuid>, StoreError> {
        let Some(position) = self.search.page.after.as_ref().map(|cursor| cursor.time) else { return Ok(Vec::new()) };
        let connection = self.tx.connection().await?;
        let mut ahead = of_threads(connection, &self.question, threads, position, limit).await?;
        ahead.retain(|candidate| !self.is_behind_cursor(candidate) && self.is_within(candidate));
        let mut shown = Vec::new();
        for some in ahead.chunks(MAX_READ) {
            let mut unread = some;
            while !unread.is_empty() {
                let (candidates, bytes) = self.earlier;
                if candidates >= MAX_CANDIDATES || bytes.suffice() {
                    return Ok(shown);
                }
                let found = verify(self.tx.connection().await?, self.search, &[], unread).await?;
                self.earlier.0 += unread.len() - found.unread.len();
                self.earlier.1 += found.bytes;
                shown.extend(found.matches.into_iter().map(|one| one.item.thread_id.0));
                unread = found.unread;
            }
        }
        Ok(shown)
    }

    /// Verifies candidates until their texts or frames suffice for an interruption, and counts these. Returns the matches
    /// and the unread candidates.
    async fn verify<'b>(
        &mut self,
        candidates: &'b [SearchCandidate],
    ) -> Result<(Vec<WordMatch>, &'b [SearchCandidate]), StoreError> {
        let labels = if self.result == SearchResult::Messages { self.search.labels.as_slice() } else { &[] };
        let verified = verify(self.tx.connection().await?, self.search, labels, candidates).await?;
        self.bytes += verified.bytes;
        Ok((verified.matches, verified.unread))
    }

    /// Adds unread candidates to those that are taken next.
    fn put_back(&mut self, unread: &[SearchCandidate]) {
        if unread.is_empty() {
            return;
        }
        let is_descending = self.is_descending();
        let candidates = &mut self.pending.candidates;
        candidates.extend_from_slice(unread);
        candidates.sort_unstable();
        if !is_descending {
            candidates.reverse();
        }
    }

    /// Takes the next candidates from both sources.
    async fn take(&mut self) -> Result<Vec<SearchCandidate>, QueryError> {
        let count = self.batch;
        let bound = self.segments.bound();
        let is_next = |candidate: &SearchCandidate| {
            bound.is_none_or(|bound| match self.question.direction {
                Direction::Descending => candidate.member.timestamp >= bound,
                Direction::Ascending => candidate.member.timestamp <= bound,
            })
        };
        let mut taken = Vec::new();
        while taken.len() < count
            && let Some(candidate) = self.pending.candidates.pop_if(|candidate| is_next(candidate))
        {
            taken.push(candidate);
        }
        if taken.len() < count && bound.is_some() {
            taken.extend(self.segments.advance(self.tx.connection().await?, count - taken.len()).await?);
        }
        Ok(taken)
    }

    /// Returns the size of the read after one of `taken` candidates, which settled some matches. Where most candidates
    /// match, the rest of the page needs few more. A page of threads may need any number, because a thread may match often.
    fn next_batch(&self, taken: usize, settled: usize) -> usize {
        if settled * 2 >= taken && self.result == SearchResult::Messages {
            (limit(self.search) + 1).saturating_sub(self.returned) + SPARE_CANDIDATES
        } else {
            (self.batch * 2).min(MAX_READ)
        }
    }

    /// Returns the time that no unread candidate precedes; `None` without any.
    fn bound(&self) -> Option<OffsetDateTime> {
        self.first([self.candidate_bound(), self.pending.rest])
    }

    /// Returns the time that no known unread candidate precedes.
    fn candidate_bound(&self) -> Option<OffsetDateTime> {
        self.first([self.segments.bound(), self.pending.candidates.last().map(|candidate| candidate.member.timestamp)])
    }

    fn first(&self, times: [Option<OffsetDateTime>; 2]) -> Option<OffsetDateTime> {
        let times = times.into_iter().flatten();
        if self.is_descending() { times.max() } else { times.min() }
    }

    /// Returns whether the next page must continue at this time. A page gets past the time at which it began.
    fn must_stop(&self, bound: OffsetDateTime) -> bool {
        let is_behind_rest = self.candidate_bound() != Some(bound);
        let has_worked =
            self.candidates >= MAX_CANDIDATES || self.bytes.suffice() || self.segments.queried() >= MAX_SEGMENTS;
        let has_advanced = self.search.page.after.as_ref().is_none_or(|cursor| cursor.time != bound);
        is_behind_rest || (has_worked && has_advanced)
    }

    /// Removes the matches ahead of all unread candidates.
    fn settled(&mut self) -> BTreeMap<MatchKey, WordMatch> {
        let Some(bound) = self.bound() else { return std::mem::take(&mut self.unsettled) };
        if self.is_descending() {
            self.unsettled.split_off(&(bound, LAST_ID.to_owned()))
        } else {
            let rest = self.unsettled.split_off(&(bound, String::new()));
            std::mem::replace(&mut self.unsettled, rest)
        }
    }

    fn in_order(&self, matches: BTreeMap<MatchKey, WordMatch>) -> Vec<(MatchKey, WordMatch)> {
        if self.is_descending() { matches.into_iter().rev().collect() } else { matches.into_iter().collect() }
    }

    fn is_descending(&self) -> bool {
        self.question.direction == Direction::Descending
    }

    fn is_wanted(&self, candidate: &SearchCandidate) -> bool {
        self.is_within(candidate) && self.is_behind_cursor(candidate)
    }

    /// Returns whether the time of a message is within the window.
    fn is_within(&self, candidate: &SearchCandidate) -> bool {
        let time = candidate.member.timestamp;
        self.search.before.is_none_or(|before| time < before)
            && (self.result == SearchResult::Threads || self.search.after.is_none_or(|after| time > after))
    }

    fn is_behind_cursor(&self, candidate: &SearchCandidate) -> bool {
        let Some(cursor) = &self.search.page.after else { return true };
        let key = key(candidate.member.timestamp, &candidate.member.message_id, &candidate.inbox_id);
        let position = (cursor.time, cursor.id.clone());
        if self.is_descending() { key < position } else { key > position }
    }
}

fn key(time: OffsetDateTime, message_id: &str, inbox_id: &str) -> MatchKey {
    (time, format!("{message_id}\n{inbox_id}"))
}
