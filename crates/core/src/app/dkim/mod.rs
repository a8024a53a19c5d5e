//! DKIM keys: creation, rotation and signing.

mod own;
mod rotate;
mod sign;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::App;
use crate::Error;
use crate::model::{DkimKey, KeyState, OrganizationId};
use crate::ports::VaultError;

pub use own::{begin_signing, make_own_keys};
pub use rotate::{Rotation, rotate};
pub(super) use sign::{SigningKeyCache, signed};

/// Returns the context that binds a sealed private key to its selector and domain.
fn context(name: &str, selector: &str) -> Vec<u8> {
    format!("dkim key {selector} of {name}").into_bytes()
}

/// Generates a key pair and seals its private half.
async fn fresh(
    app: &App,
    organization_id: Option<OrganizationId>,
    name: &str,
    selector: String,
    state: KeyState,
) -> Result<DkimKey, Error> {
    let pair = app.key_maker.rsa_2048().await.map_err(|error| Error::Internal(error.to_string()))?;
    let sealed = app.vault.seal(&context(name, &selector), &pair.private);
    Ok(DkimKey {
        organization_id,
        name: name.to_owned(),
        selector,
        sealed: sealed.map_err(|error: VaultError| Error::Internal(error.to_string()))?,
        public_key: STANDARD.encode(&pair.public),
        state,
        changed_at: app.clock.now(),
    })
}
