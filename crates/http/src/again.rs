//! Answers that are given again.
//!
//! Agents ask for the same again and again: whether anything new has come, what a message says. Storage knows whether
//! anything has changed, of the caller's rights too, and says so in a fraction of the time that it takes to read and write it
//! all. The first time something is asked for, no more than that is noted. The second time its versions are asked for before it
//! is read, and kept with the answer. From then on whoever finds the versions equal answers as before. They are asked for at
//! every request, so that no answer is older than its request, whichever process changed what.

use std::collections::HashMap;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix_web::dev::Payload;
use actix_web::http::header::ContentType;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use bytes::Bytes;
use inboxd_core::Error;
use inboxd_core::model::api_key::hash_key;
use inboxd_core::ports::{Clock, SourceMessages, Sources, Versions};
use inboxd_core::rules::answers::GIVEN_AGAIN;
use serde::Serialize;
use time::OffsetDateTime;

use crate::auth::{Authenticated, Open, bearer};
use crate::error::ApiError;
use crate::sends::{Digest, digest_of};

/// The largest answer that is kept, in octets.
const LARGEST: usize = 256 * 1024;
/// The most octets of all that is kept.
const MOST: usize = 32 * 1024 * 1024;
/// What a question takes beside its texts and its answer, in octets.
const QUESTION: usize = 512;

/// What makes two questions the same: the digest of the key's, and of the path with the parameters.
type Question = Digest;

/// What was asked lately, and what was answered.
#[derive(Default)]
pub(crate) struct Answers(Mutex<Kept>);

/// Two halves: the older goes when the younger is full, or as old as anything is kept.
#[derive(Default)]
struct Kept {
    younger: HashMap<Question, Known>,
    older: HashMap<Question, Known>,
    /// What the younger half takes, and since when there is one.
    octets: usize,
    since: Option<OffsetDateTime>,
}

/// A question that was asked before.
#[derive(Clone)]
struct Known {
    sources: Arc<Sources>,
    answer: Option<Answer>,
}

/// An answer, and what it was made from.
#[derive(Clone)]
struct Answer {
    versions: Versions,
    octets: Bytes,
    until: OffsetDateTime,
}

impl Answer {
    /// Whether it may still be given, as far as time is concerned. A clock that was set back makes nothing last longer.
    fn is_fresh(&self, now: OffsetDateTime) -> bool {
        now < self.until && self.until - now <= GIVEN_AGAIN
    }
}

impl Known {
    /// What it takes of the memory.
    fn octets(&self) -> usize {
        let message_id = match &self.sources.messages {
            SourceMessages::One(message_id) => message_id.as_str(),
            SourceMessages::Newest(_) => "",
        };
        let answer = self.answer.as_ref().map_or(0, |answer| answer.octets.len() + answer.versions.size());
        QUESTION + self.sources.inbox_id.as_str().len() + message_id.len() + answer
    }
}

impl Answers {
    fn find(&self, question: &Question) -> Option<Known> {
        let kept = self.lock();
        kept.younger.get(question).or_else(|| kept.older.get(question)).cloned()
    }

    fn keep(&self, question: Question, known: Known, now: OffsetDateTime) {
        let octets = known.octets();
        let mut kept = self.lock();
        let gone = (kept.octets + octets > MOST / 2).then(|| kept.grow_old(now));
        let gone = gone.or_else(|| kept.forget(now));
        let before = kept.younger.insert(question, known);
        kept.octets = kept.octets + octets - before.map_or(0, |before| before.octets());
        drop(kept);
        // Nobody waits while it is cleared away.
        drop(gone);
    }

    /// Forgets what is too old to be given again, for as long as it runs.
    pub(crate) async fn forget(&self, clock: &dyn Clock) {
        loop {
            tokio::time::sleep(GIVEN_AGAIN.unsigned_abs()).await;
            let gone = self.lock().forget(clock.now());
            drop(gone);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Lets the older half go if the younger is as old as anything is kept.
    fn forget(&mut self, now: OffsetDateTime) -> Option<HashMap<Question, Known>> {
        let is_old = self.since.is_none_or(|since| now < since || now - since >= GIVEN_AGAIN);
        is_old.then(|| self.grow_old(now))
    }

    /// Makes the younger half the older one, and answers what goes for it.
    fn grow_old(&mut self, now: OffsetDateTime) -> HashMap<Question, Known> {
        (self.octets, self.since) = (0, Some(now));
        std::mem::replace(&mut self.older, std::mem::take(&mut self.younger))
    }
}

/// A call whose answer may be given again: nobody knows yet who calls.
pub(crate) struct Recurring(Open);

impl FromRequest for Recurring {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        ready(Open::of(request, payload).map(Self))
    }
}

impl Recurring {
    /// Answers as before where everything is as it was, or has the answer made. `make` answers what it shows, and what that is
    /// made from and nothing else; nothing where that cannot be told.
    pub(crate) async fn answer<T: Serialize>(
        self,
        make: impl AsyncFnOnce(Authenticated) -> Result<(T, Option<Sources>), ApiError>,
    ) -> Result<HttpResponse, ApiError> {
        let state = self.0.state.clone();
        let (answers, app) = (&state.answers, &state.app);
        let question = question(&self.0.request)?;
        let now = app.clock.now();
        let mut as_it_is = None;
        let known = answers.find(&question);
        let is_known = known.is_some();
        if let Some(known) = known {
            state.key_rates.check(Some(known.sources.api_key_id), known.sources.organization_id)?;
            let versions = app.store.versions(&known.sources).await.map_err(Error::from)?;
            let same = known.answer.filter(|answer| answer.is_fresh(app.clock.now()));
            if let Some(answer) = same.filter(|answer| versions.as_ref() == Some(&answer.versions)) {
                return Ok(json(answer.octets));
            }
            as_it_is = versions.map(|versions| (known.sources, versions));
        }
        let call = if is_known { self.0.authenticated_again().await? } else { self.0.authenticated().await? };
        let expires_at = call.caller.expires_at;
        let (shown, sources) = make(call).await?;
        let mut octets = serde_json::to_vec(&shown).map_err(|error| ApiError::internal(error.to_string()))?;
        // It may be kept for a while, with all the room it has.
        octets.shrink_to_fit();
        let octets = Bytes::from(octets);
        let Some(sources) = sources.filter(|_| octets.len() <= LARGEST) else { return Ok(json(octets)) };
        // What has changed since its versions were asked for has others when they are asked for again.
        let versions = as_it_is.filter(|(asked, _)| **asked == sources).map(|(_, versions)| versions);
        let until = expires_at.map_or(now + GIVEN_AGAIN, |at| at.min(now + GIVEN_AGAIN));
        let answer = versions.map(|versions| Answer { versions, octets: octets.clone(), until });
        answers.keep(question, Known { sources: Arc::new(sources), answer }, now);
        Ok(json(octets))
    }
}

fn question(request: &HttpRequest) -> Result<Question, ApiError> {
    let key = bearer(request).ok_or_else(ApiError::missing_authorization)?;
    let asked = request.uri().path_and_query().map_or("", |asked| asked.as_str());
    Ok(digest_of(&[&hash_key(key), asked.as_bytes()]))
}

fn json(octets: Bytes) -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::json()).body(octets)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use inboxd_core::testing::fixtures;
    use time::Duration;

    use super::*;

    fn known(octets: usize) -> Known {
        let sources = Sources {
            organization_id: fixtures::id(1),
            api_key_id: fixtures::id(2),
            member_id: None,
            inbox_id: fixtures::inbox_id("scout@inboxd.example"),
            messages: SourceMessages::Newest(1),
        };
        let octets = Bytes::from(vec![0; octets]);
        let answer = Answer { versions: Versions::of(Vec::new()), octets, until: fixtures::NOW };
        Known { sources: Arc::new(sources), answer: Some(answer) }
    }

    fn number(number: u32) -> Question {
        let mut question = [0; 32];
        question[..4].copy_from_slice(&number.to_be_bytes());
        question
    }

    fn octets(answers: &Answers) -> usize {
        let kept = answers.lock();
        let octets = |known: &Known| known.answer.as_ref().map_or(0, |answer| answer.octets.len());
        kept.younger.values().chain(kept.older.values()).map(octets).sum()
    }

    #[test]
    fn what_is_kept_has_an_end() {
        let answers = Answers::default();
        for asked in 0..1000 {
            answers.keep(number(asked), known(LARGEST), fixtures::NOW);
            assert!(answers.find(&number(asked)).is_some());
            assert!(octets(&answers) <= MOST);
        }
        assert!(octets(&answers) >= MOST / 2 - LARGEST);
        // The same again takes no more.
        for _ in 0..100 {
            answers.keep(number(999), known(LARGEST), fixtures::NOW);
        }
        assert!(octets(&answers) >= MOST / 2 - LARGEST && answers.find(&number(998)).is_some());
    }

    #[test]
    fn what_nobody_asks_for_again_goes() {
        let answers = Answers::default();
        for (seconds, is_there) in [(0, true), (9, true), (10, true), (19, true), (20, false)] {
            if seconds == 0 {
                answers.keep(number(0), known(1), fixtures::NOW);
            }
            answers.keep(number(1), known(1), fixtures::NOW + Duration::seconds(seconds));
            assert_eq!(answers.find(&number(0)).is_some(), is_there, "{seconds}");
        }
    }
    #[test]
    fn what_is_kept_goes_though_nobody_asks_for_anything() {
        let answers = Answers::default();
        answers.keep(number(0), known(1), fixtures::NOW);
        let mut kept = answers.lock();
        for (seconds, is_there) in [(10, true), (20, false)] {
            kept.forget(fixtures::NOW + Duration::seconds(seconds));
            assert_eq!(kept.older.contains_key(&number(0)), is_there, "{seconds}");
        }
    }

    #[test]
    fn an_answer_is_fresh_until_its_time_and_no_longer_where_the_clock_was_set_back() {
        let answer = known(1).answer.unwrap();
        for (millis, is_fresh) in [(-10_001, false), (-10_000, true), (-1, true), (0, false), (1, false)] {
            assert_eq!(answer.is_fresh(answer.until + Duration::milliseconds(millis)), is_fresh, "{millis}");
        }
    }
}
