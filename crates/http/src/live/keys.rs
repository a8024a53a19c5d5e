//! Who the waiting are, as of the last time they were looked up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::app::feed::standings;
use inboxd_core::model::Caller;
use tokio::sync::watch;

use crate::error::ApiError;

/// Who somebody is, or why they are told nothing more.
pub(crate) type CallerState = Result<Caller, ApiError>;

/// A key that somebody waits with; many may with the same.
pub(crate) struct FeedKey {
    hash: [u8; 32],
    standing: watch::Sender<CallerState>,
}

impl FeedKey {
    /// Who its holder is.
    pub(crate) fn standing(&self) -> CallerState {
        self.standing.borrow().clone()
    }

    /// Waits until its holder is to be told nothing more, and answers why.
    pub(crate) async fn lost(&self) -> ApiError {
        let mut standings = self.standing.subscribe();
        match standings.wait_for(Result::is_err).await {
            Ok(standing) => standing.clone().err().unwrap_or_else(|| Error::UnknownApiKey.into()),
            Err(_) => Error::UnknownApiKey.into(),
        }
    }
}

/// The keys of everybody who waits in one organization.
#[derive(Default)]
pub(crate) struct FeedKeys(Mutex<HashMap<[u8; 32], Weak<FeedKey>>>);

impl FeedKeys {
    /// Adds a key whose holder was looked up just now.
    pub(super) fn enter(&self, hash: [u8; 32], caller: &Caller) -> Arc<FeedKey> {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever was sent away with it may still be leaving; what was found just now counts.
        let known = keys.get(&hash).and_then(Weak::upgrade).filter(|key| key.standing.borrow().is_ok());
        known.unwrap_or_else(|| {
            let key = Arc::new(FeedKey { hash, standing: watch::Sender::new(Ok(caller.clone())) });
            keys.insert(hash, Arc::downgrade(&key));
            key
        })
    }

    /// Looks all of them up, in one question.
    pub(super) async fn recheck(&self, app: &App) -> Result<(), Error> {
        let keys: Vec<Arc<FeedKey>> = {
            let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            keys.retain(|_, key| key.strong_count() > 0);
            keys.values().filter_map(Weak::upgrade).collect()
        };
        recheck(app, &keys).await
    }
}

/// Looks keys up, in one question.
pub(super) async fn recheck(app: &App, keys: &[Arc<FeedKey>]) -> Result<(), Error> {
    if keys.is_empty() {
        return Ok(());
    }
    let hashes: Vec<[u8; 32]> = keys.iter().map(|key| key.hash).collect();
    for (key, standing) in keys.iter().zip(standings(app, &hashes).await?) {
        let standing = standing.map_err(ApiError::from);
        key.standing.send_if_modified(|known| {
            // Who was sent away once stays away: a new request shows whether they may come back.
            let changed = known.is_ok() && *known != standing;
            if changed {
                *known = standing;
            }
            changed
        });
    }
    Ok(())
}
