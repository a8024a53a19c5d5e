//! Invitations of the operator to sign up.

use time::Duration;

use crate::Error;
use crate::app::App;
use crate::model::SignUpInvitation;

/// Creates an invitation and returns its text, which is not stored. One sign-up uses it up.
///
/// # Errors
/// When storage fails.
pub async fn create_invitation(app: &App, lifetime: Duration) -> Result<String, Error> {
    let now = app.clock.now();
    let text = SignUpInvitation::text(app.random.bytes());
    let invitation = SignUpInvitation {
        invitation_hash: SignUpInvitation::hash(&text),
        created_at: now,
        expires_at: now + lifetime,
    };
    let mut tx = app.store.begin().await?;
    tx.accounts().add_invitation(&invitation).await?;
    tx.commit().await?;
    Ok(text)
}
