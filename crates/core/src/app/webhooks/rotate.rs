//! Rotation of a webhook's secret.

use time::{Duration, OffsetDateTime};

use super::find::find;
use super::seals::seal_secret;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::model::permissions::WebhookUpdate;
use crate::model::{AuditAction, EncryptedSecrets, PreviousSecret, Webhook, WebhookId, WebhookSecret};
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Time for which a secret continues to sign beside its successor (`wire.md`, section 6).
const OVERLAP: Duration = Duration::hours(24);
/// Maximum of previous secrets that sign beside the newest. More signatures would not fit into a header field.
const MAX_PREVIOUS_SECRETS: usize = 4;

/// Replaces a webhook's secret. No other response than this one contains the new secret. The previous secret signs for
/// 24 more hours.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::NotFound`].
pub async fn rotate_secret(
    app: &App,
    caller: &AuthorizedCaller<WebhookUpdate>,
    webhook_id: WebhookId,
) -> Result<(Webhook, WebhookSecret), Error> {
    let found = find(app, caller, webhook_id).await?;
    let secret = WebhookSecret::from_random(app.random.bytes());
    let sealed_secret = seal_secret(app.vault.as_ref(), webhook_id, &secret)?;
    let mut tx = app.store.begin().await?;
    let locked = tx.webhooks().lock(found.organization_id, webhook_id).await?;
    let (webhook, before) = locked.ok_or_else(|| Error::not_found(Resource::Webhook, webhook_id))?;
    let now = app.clock.now();
    let webhook = Webhook { updated_at: now, ..webhook };
    tx.webhooks().update(&webhook, &succeeded(before, sealed_secret, now)).await?;
    let change = AuditChange::touched(AuditAction::WebhookSecretRotated, &webhook);
    audit::record(app, tx.as_mut(), caller, change).await?;
    tx.commit().await?;
    Ok((webhook, secret))
}

/// Puts a new secret before those that still sign. A client may repeat a rotation after a lost response, so a rotation
/// removes no valid secret below the maximum.
fn succeeded(before: EncryptedSecrets, secret: Vec<u8>, now: OffsetDateTime) -> EncryptedSecrets {
    let last = PreviousSecret { secret: before.secret, until: now + OVERLAP };
    let standing = before.previous.into_iter().filter(|previous| now < previous.until);
    let previous = std::iter::once(last).chain(standing).take(MAX_PREVIOUS_SECRETS).collect();
    EncryptedSecrets { secret, previous, headers: before.headers }
}
