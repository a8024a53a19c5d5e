//! Letters that wait to be stored are stored together, and each of them is answered for itself.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use inboxd_mail::{EmailAddress, ParsedMail};
use time::OffsetDateTime;

use super::Place;
use super::together::together;
use crate::Error;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::app::gathering::{Gathering, Most};
use crate::model::{Actor, Hidden, Home, Inbox, InboxId, Labels, MessageId, OrganizationId, Sent, ThreadId};
use crate::ports::StoreError;

/// How many units of work there may be at a time. Organizations share them by chance.
const LANES: usize = 64;
/// How many letters one unit of work stores, and how many octets they have together.
const MOST: Most = Most { jobs: 64, weight: 16 * 1024 * 1024 };

/// A letter that was written and may go, if the caps allow it.
pub(super) struct Submission {
    pub(super) inbox: Inbox,
    pub(super) actor: Actor,
    pub(super) labels: Labels,
    pub(super) bcc: Vec<String>,
    pub(super) recipients: Vec<EmailAddress>,
    pub(super) homes: Vec<Home>,
    /// The domain that reports about it come back to.
    pub(super) returns_to: String,
    pub(super) message_id: MessageId,
    pub(super) raw: Vec<u8>,
    pub(super) parsed: ParsedMail,
    pub(super) place: Place,
    pub(super) now: OffsetDateTime,
}

/// The letters that wait to be stored. All who send have the same one.
pub(in crate::app) struct Submissions(Gathering<Submission, Result<Sent, Error>>);

impl Default for Submissions {
    fn default() -> Self {
        Self(Gathering::new(LANES, MOST))
    }
}

impl Submissions {
    /// Stores a letter, together with those of its organization that wait as well.
    pub(super) async fn store(&self, app: &App, submission: Submission) -> Result<Sent, Error> {
        let Inbox { organization_id, inbox_id, .. } = submission.inbox.clone();
        let (message_id, weight) = (submission.message_id.clone(), submission.raw.len());
        let asked = self.0.ask(&organization_id.0, submission, weight, |waiting| store_all(app, waiting));
        // Whoever sends need not hold what storing all of a batch takes.
        let asked = Box::pin(asked).await;
        if let Ok(answer) = asked {
            return answer;
        }
        let cause = "whoever was storing it has gone".to_owned();
        look(app, organization_id, &inbox_id, &message_id, cause).await
    }
}

/// Stores letters, and answers each of them in their order.
async fn store_all(app: &App, waiting: Vec<Submission>) -> Vec<Result<Sent, Error>> {
    let mut answers = BTreeMap::new();
    for round in rounds(&waiting) {
        let (places, submissions): (Vec<usize>, Vec<&Submission>) = round.into_iter().unzip();
        answers.extend(places.into_iter().zip(store_round(app, &submissions).await));
    }
    answers.into_values().collect()
}

/// Letters with their places that can be stored at once, then those that come after. What may still be written in a
/// thread is counted by what is stored there, so that a thread has one letter at a time.
fn rounds(waiting: &[Submission]) -> Vec<Vec<(usize, &Submission)>> {
    let mut rounds: Vec<Vec<(usize, &Submission)>> = Vec::new();
    let mut of_thread: BTreeMap<ThreadId, usize> = BTreeMap::new();
    for (place, submission) in waiting.iter().enumerate() {
        let round = submission.place.thread_id.map_or(0, |thread_id| {
            let next = of_thread.entry(thread_id).or_default();
            std::mem::replace(next, *next + 1)
        });
        if rounds.len() <= round {
            rounds.push(Vec::new());
        }
        if let Some(round) = rounds.get_mut(round) {
            round.push((place, submission));
        }
    }
    rounds
}

/// Stores letters in one unit of work. When that fails, each is stored as if it had come alone, so that none costs others
/// their place.
async fn store_round(app: &App, submissions: &[&Submission]) -> Vec<Result<Sent, Error>> {
    if let [submission] = submissions {
        return vec![store_alone(app, submission).await];
    }
    match together(app, submissions).await {
        Ok(answers) => answers,
        Err(Error::Store(StoreError::Undecided(cause))) => {
            join_all(submissions.iter().map(|submission| submission.look(app, cause.clone()))).await
        }
        Err(Error::Store(error @ StoreError::Unavailable(_))) => {
            submissions.iter().map(|_| Err(error.clone().into())).collect()
        }
        Err(_) => join_all(submissions.iter().map(|submission| store_alone(app, submission))).await,
    }
}

async fn store_alone(app: &App, submission: &Submission) -> Result<Sent, Error> {
    let store = || async {
        let mut answers = together(app, &[submission]).await?;
        answers.pop().unwrap_or_else(|| Err(Error::Internal("a letter was stored without an answer".to_owned())))
    };
    match retried(is_contention, store).await {
        Err(Error::Store(StoreError::Undecided(cause))) => submission.look(app, cause).await,
        answer => answer,
    }
}

impl Submission {
    async fn look(&self, app: &App, cause: String) -> Result<Sent, Error> {
        let Inbox { organization_id, inbox_id, .. } = &self.inbox;
        look(app, *organization_id, inbox_id, &self.message_id, cause).await
    }
}

/// Decides what a lost answer to the commit left open: mail that was stored is on its way, and to send it again would
/// send it twice.
async fn look(
    app: &App,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    message_id: &MessageId,
    cause: String,
) -> Result<Sent, Error> {
    let undecided = |_| StoreError::Undecided(cause.clone());
    let mut tx = app.store.begin().await.map_err(undecided)?;
    // The unit of work held this lock, and may be about to end: it is waited for.
    tx.accounts().lock(organization_id).await.map_err(undecided)?;
    // Whoever looks needs the connection.
    tx.commit().await.map_err(undecided)?;
    let ids = std::slice::from_ref(message_id);
    let found = app.store.messages(organization_id, inbox_id, ids, Hidden::ALL).await.map_err(undecided)?;
    let message = found.into_iter().next().ok_or(StoreError::Unavailable(cause))?;
    app.wake.outgoing();
    Ok(Sent { message_id: message.item.message_id, thread_id: message.item.thread_id })
}
