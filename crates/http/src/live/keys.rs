//! Keys of the feed subscribers with the caller state of the last recheck.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::app::feed::standings;
use inboxd_core::model::Caller;
use tokio::sync::watch;

use crate::error::ApiError;

/// The caller of a key, or the reason why the key has no access any more.
pub(crate) type CallerState = Result<Caller, ApiError>;

/// A key with at least one subscriber. Subscribers with the same key share it.
pub(crate) struct FeedKey {
    hash: [u8; 32],
    standing: watch::Sender<CallerState>,
}

impl FeedKey {
    /// Returns the state of the last recheck.
    pub(crate) fn standing(&self) -> CallerState {
        self.standing.borrow().clone()
    }

    /// Waits until the key loses its access and returns the reason.
    pub(crate) async fn lost(&self) -> ApiError {
        let mut standings = self.standing.subscribe();
        match standings.wait_for(Result::is_err).await {
            Ok(standing) => standing.clone().err().unwrap_or_else(|| Error::UnknownApiKey.into()),
            Err(_) => Error::UnknownApiKey.into(),
        }
    }
}

/// Keys of all subscribers of one organization.
#[derive(Default)]
pub(crate) struct FeedKeys(Mutex<HashMap<[u8; 32], Weak<FeedKey>>>);

impl FeedKeys {
    /// Adds a key whose caller was authenticated just now.
    pub(super) fn enter(&self, hash: [u8; 32], caller: &Caller) -> Arc<FeedKey> {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A disconnected subscriber may still hold a refused key. The new authentication replaces it.
        let known = keys.get(&hash).and_then(Weak::upgrade).filter(|key| key.standing.borrow().is_ok());
        known.unwrap_or_else(|| {
            let key = Arc::new(FeedKey { hash, standing: watch::Sender::new(Ok(caller.clone())) });
            keys.insert(hash, Arc::downgrade(&key));
            key
        })
    }

    /// Rechecks all keys with one query.
    pub(super) async fn recheck(&self, app: &App) -> Result<(), Error> {
        let keys: Vec<Arc<FeedKey>> = {
            let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            keys.retain(|_, key| key.strong_count() > 0);
            keys.values().filter_map(Weak::upgrade).collect()
        };
        recheck(app, &keys).await
    }
}

/// Rechecks some keys with one query.
pub(super) async fn recheck(app: &App, keys: &[Arc<FeedKey>]) -> Result<(), Error> {
    if keys.is_empty() {
        return Ok(());
    }
    let hashes: Vec<[u8; 32]> = keys.iter().map(|key| key.hash).collect();
    for (key, standing) in keys.iter().zip(standings(app, &hashes).await?) {
        let standing = standing.map_err(ApiError::from);
        key.standing.send_if_modified(|known| {
            // A refusal is final for this key. A new request authenticates again.
            let changed = known.is_ok() && *known != standing;
            if changed {
                *known = standing;
            }
            changed
        });
    }
    Ok(())
}
