//! Keys and browser sessions of the feed subscribers with the caller state of the last recheck.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::app::feed::{FeedCredential, standings};
use inboxd_core::model::Caller;
use tokio::sync::watch;

use crate::error::ApiError;

/// Maximum number of subscribers of one browser session. A page in view has one; browsers open six to a server.
const MAX_SESSION_SUBSCRIBERS: usize = 30;

/// The caller of a key, or the reason why the key has no access any more.
pub(crate) type CallerState = Result<Caller, ApiError>;

/// A key or session with at least one subscriber. Subscribers with the same credential share it.
pub(crate) struct FeedKey {
    credential: FeedCredential,
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
pub(crate) struct FeedKeys(Mutex<HashMap<FeedCredential, Weak<FeedKey>>>);

impl FeedKeys {
    /// Adds a subscriber with a key whose caller was authenticated just now.
    ///
    /// # Errors
    /// 429 when a browser session has the maximum number of subscribers.
    pub(super) fn enter(&self, credential: FeedCredential, caller: &Caller) -> Result<Arc<FeedKey>, ApiError> {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A disconnected subscriber may still hold a refused key. The new authentication replaces it.
        let known = keys.get(&credential).and_then(Weak::upgrade).filter(|key| key.standing.borrow().is_ok());
        if let Some(key) = known {
            let is_session = matches!(credential, FeedCredential::Session { .. });
            // This function holds one more reference.
            if is_session && Arc::strong_count(&key) > MAX_SESSION_SUBSCRIBERS {
                return Err(ApiError::too_many_pages(MAX_SESSION_SUBSCRIBERS));
            }
            return Ok(key);
        }
        let key = Arc::new(FeedKey {
            credential,
            standing: watch::Sender::new(Ok(Caller { client_address: None, traceparent: None, ..caller.clone() })),
        });
        keys.insert(credential, Arc::downgrade(&key));
        Ok(key)
    }

    /// Rechecks all keys at once.
    pub(super) async fn recheck(&self, app: &App) -> Result<(), Error> {
        let keys: Vec<Arc<FeedKey>> = {
            let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            keys.retain(|_, key| key.strong_count() > 0);
            keys.values().filter_map(Weak::upgrade).collect()
        };
        recheck(app, &keys).await
    }
}

/// Rechecks some keys at once.
pub(super) async fn recheck(app: &App, keys: &[Arc<FeedKey>]) -> Result<(), Error> {
    if keys.is_empty() {
        return Ok(());
    }
    let credentials: Vec<FeedCredential> = keys.iter().map(|key| key.credential).collect();
    for (key, standing) in keys.iter().zip(standings(app, &credentials).await?) {
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
