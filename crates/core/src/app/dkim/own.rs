//! The service's own domains.

use super::super::App;
use super::fresh;
use crate::Error;
use crate::model::KeyState;
use crate::rules::domains::own::signing_domains;
use crate::rules::domains::records::SELECTOR;

/// Makes a key for each of the service's own domains that signs and has none. Several processes agree on one.
///
/// # Errors
/// [`Error::Store`], [`Error::Internal`]: then mail of the service's own domains leaves unsigned.
pub async fn make_own_keys(app: &App) -> Result<(), Error> {
    let settings = &app.settings;
    for name in signing_domains(&settings.domain, &settings.signup_domain) {
        let has_key = app.store.dkim_keys(None, name).await?.iter().any(|key| key.state == KeyState::Active);
        if has_key {
            continue;
        }
        let key = fresh(app, None, name, SELECTOR.to_owned(), KeyState::Active).await?;
        let mut tx = app.store.begin().await?;
        // Another process may have been first: then its key is the one.
        tx.domains().insert_dkim_key(&key).await?;
        tx.commit().await?;
    }
    Ok(())
}
