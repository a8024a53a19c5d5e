//! DKIM keys of the service's own domains.
//!
//! The first key also waits for its record: a signature without a published key is worth less than none.

use super::super::App;
use super::fresh;
use super::rotate::promoted;
use crate::Error;
use crate::model::KeyState;
use crate::model::domain::RecordStatus;
use crate::rules::domains::records::SELECTOR;
use crate::rules::domains::signing_domain::signing_domains;

/// Creates a waiting key for each signing domain of the service that has none. Concurrent processes agree on one key.
///
/// # Errors
/// [`Error::Store`], [`Error::Internal`]: then mail of the service's own domains leaves unsigned.
pub async fn make_own_keys(app: &App) -> Result<(), Error> {
    let settings = &app.settings;
    for name in signing_domains(&settings.domain, &settings.signup_domain) {
        let has_key = app.store.dkim_keys(None, name).await?.iter().any(|key| key.state != KeyState::Retired);
        if has_key {
            continue;
        }
        let key = fresh(app, None, name, SELECTOR.to_owned(), KeyState::Next).await?;
        let mut tx = app.store.begin().await?;
        // If another process inserted its key first, the insert has no effect.
        tx.domains().insert_dkim_key(&key).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Creates missing keys, activates the first key of a domain once DNS contains its record, and returns whether all
/// domains sign.
///
/// The operator activates each later key.
///
/// # Errors
/// [`Error::Store`], [`Error::Internal`].
pub async fn begin_signing(app: &App) -> Result<bool, Error> {
    make_own_keys(app).await?;
    let settings = &app.settings;
    let mut all_sign = true;
    for name in signing_domains(&settings.domain, &settings.signup_domain) {
        let keys = app.store.dkim_keys(None, name).await?;
        if keys.iter().any(|key| key.state == KeyState::Active) {
            continue;
        }
        let Some(first) = keys.iter().find(|key| key.state == KeyState::Next) else {
            all_sign = false;
            continue;
        };
        all_sign &= promoted(app, first).await?.status == RecordStatus::Valid;
    }
    Ok(all_sign)
}
