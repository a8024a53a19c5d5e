//! Sends that leave later: a scheduled draft with the ids of its message.

use time::{Duration, OffsetDateTime};

use super::content::objects_of;
use super::create::{NewDraft, address, problems_of_new, store, write};
use crate::app::contention::{is_contention, retried};
use crate::app::letter::Letter;
use crate::app::submit::{FetchPurpose, Place, require_acceptable, require_quota};
use crate::app::{App, messages, row_limits};
use crate::model::{Caller, DelayedSend, DraftItem, DraftKind, IdempotencyClaim, Inbox, MessageId, SendResult};
use crate::ports::StoreError;
use crate::rules::{labels, loops};
use crate::{Error, FieldError};

/// Maximum seconds within which a send can be undone.
const MAX_UNDO_SECONDS: u32 = 3600;
/// Maximum days by which a send is delayed.
const MAX_DELAY_DAYS: i64 = 366;

/// Time at which a message leaves, as the caller requests it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendTime {
    /// Time of the send.
    pub send_at: Option<OffsetDateTime>,
    /// Seconds from now.
    pub undo_seconds: Option<u32>,
}

impl SendTime {
    /// Returns the problem that the request has at any time.
    pub(in crate::app) fn problem(self) -> Option<FieldError> {
        let seconds = self.undo_seconds?;
        if !(1..=MAX_UNDO_SECONDS).contains(&seconds) {
            let message = format!("must be a whole number from 1 to {MAX_UNDO_SECONDS}");
            return Some(FieldError::new("undo_seconds", message));
        }
        let message = "cannot stand beside send_at; until that time a send can be cancelled";
        self.send_at.map(|_| FieldError::new("undo_seconds", message))
    }

    /// Returns the time of the send; `None` for a message that leaves at once.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a time in the past or in the far future.
    pub(in crate::app) fn due_at(self, now: OffsetDateTime) -> Result<Option<OffsetDateTime>, Error> {
        if self.send_at.is_some_and(|at| at <= now || at > now + Duration::days(MAX_DELAY_DAYS)) {
            return Err(Error::invalid("send_at", format!("must be in the future, within {MAX_DELAY_DAYS} days")));
        }
        let undo = self.undo_seconds.map(|seconds| now + Duration::seconds(i64::from(seconds)));
        Ok(self.send_at.or(undo))
    }
}

/// Accepts a message that leaves at `new.send_at`. It has the checks of a send now, and again when it leaves; the size of a
/// forwarded message counts then. The caller of this function checked scope, permission and time.
///
/// # Errors
/// As [`messages::send`], [`messages::reply`] and [`messages::forward`], and [`Error::RowLimitReached`].
pub(in crate::app) async fn delay(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    mut new: NewDraft,
    claim: Option<&IdempotencyClaim>,
) -> Result<SendResult, Error> {
    let now = app.clock.now();
    // The time was checked, and may have passed since.
    Error::unless_empty(problems_of_new(&new, OffsetDateTime::UNIX_EPOCH))?;
    let mut own_labels = labels::for_sent_message(&new.letter.labels)?;
    own_labels.remove("sent");
    let (send_at, allow_automatic) = (new.send_at, new.letter.allow_automatic);
    let headers = std::mem::take(&mut new.letter.headers);
    if let Some(message_id) = &new.in_reply_to {
        let answered = messages::find(app, caller, &inbox.inbox_id, message_id).await?;
        loops::refuse_automatic(&caller.actor, &answered, allow_automatic)?;
    }
    let (kind, letter) = address(app, caller, inbox, new).await?;
    let thread_id = match &kind {
        DraftKind::Reply { thread_id, .. } => Some(*thread_id),
        DraftKind::Plain | DraftKind::Forward { .. } => None,
    };
    // A message that would be refused is refused before its attachments by URL are fetched.
    let trial = letter.unfetched().unwrap_or_else(|| letter.clone());
    let trial = Letter { headers: headers.clone(), ..trial };
    let place = Place { thread_id, ..Place::default() };
    Box::pin(require_acceptable(app, caller, inbox, trial, (place, send_at))).await?;
    require_quota(app, inbox.organization_id, FetchPurpose::Send).await?;
    let (mut draft, contents, _held) = write(app, caller, inbox, (kind, letter), own_labels, now).await?;
    let sent = SendResult {
        message_id: MessageId::minted(app.random.uuid_at(now), inbox.inbox_id.domain()),
        thread_id: thread_id.unwrap_or_else(|| app.mint(now)),
        held: None,
    };
    let delayed = DelayedSend {
        message_id: sent.message_id.clone(),
        thread_id: thread_id.is_none().then_some(sent.thread_id),
        headers,
        allow_automatic,
        was_held: false,
    };
    draft.item = DraftItem { delayed: Some(delayed), ..draft.item.scheduled(send_at) };
    let kept = claim.map(|claim| (claim, &sent));
    let stored = match retried(is_contention, || store(app, inbox, &draft, &contents, kept)).await {
        Err(Error::Store(StoreError::Undecided(cause))) => verified(app, &draft.item, cause).await,
        stored => stored,
    };
    app.discard_unless_stored(&objects_of(&contents), &stored, |()| true).await;
    stored.map(|()| sent)
}

/// Decides whether an undecided unit of work stored a draft. A stored one will be sent, so the client must not repeat it.
async fn verified(app: &App, item: &DraftItem, cause: String) -> Result<(), Error> {
    let DraftItem { organization_id, draft_id, dispatch, .. } = item;
    let look = || async {
        // Without submissions, this waits for a database that is away.
        app.store.submission_events(*organization_id, &[]).await?;
        let mut tx = app.store.begin().await?;
        // Waits for the undecided unit of work, which holds this lock.
        row_limits::lock_organization(tx.as_mut(), *organization_id).await?;
        Ok::<_, Error>(tx.drafts().lock(*organization_id, *draft_id).await?)
    };
    match retried(is_contention, look).await {
        Ok(Some(_)) => Ok(()),
        // Before its time it cannot have left.
        Ok(None) if dispatch.send_at.is_some_and(|at| at > app.clock.now()) => {
            Err(StoreError::Unavailable(cause).into())
        }
        Ok(None) | Err(_) => Err(StoreError::Undecided(cause).into()),
    }
}
