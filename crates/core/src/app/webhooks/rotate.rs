//! Giving a webhook another secret.

use time::{Duration, OffsetDateTime};

use super::find::find;
use super::seals::seal_secret;
use crate::app::App;
use crate::model::permissions::WebhookUpdate;
use crate::model::{PreviousSecret, Sealed, Webhook, WebhookId, WebhookSecret};
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// How long a secret goes on signing beside its successor (`wire.md`, section 6).
const OVERLAP: Duration = Duration::hours(24);
/// The most secrets that sign beside the newest: more would not fit into a header field.
const MOST_PREVIOUS: usize = 4;

/// Gives a webhook another secret, which is in this answer and nowhere else. For 24 hours the one before signs too.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::NotFound`].
pub async fn rotate_secret(
    app: &App,
    caller: &AuthorizedCaller<WebhookUpdate>,
    webhook_id: WebhookId,
) -> Result<(Webhook, WebhookSecret), Error> {
    let found = find(app, caller, webhook_id).await?;
    let secret = WebhookSecret::from_random(app.random.octets());
    let sealed_secret = seal_secret(app.vault.as_ref(), webhook_id, &secret)?;
    let mut tx = app.store.begin().await?;
    let locked = tx.webhooks().lock(found.organization_id, webhook_id).await?;
    let (webhook, before) = locked.ok_or_else(|| Error::not_found(Resource::Webhook, webhook_id))?;
    let now = app.clock.now();
    let webhook = Webhook { updated_at: now, ..webhook };
    tx.webhooks().update(&webhook, &succeeded(before, sealed_secret, now)).await?;
    tx.commit().await?;
    Ok((webhook, secret))
}

/// A new secret in front of those that still sign. A rotation that is asked for twice, as when its answer was lost, takes
/// none of them away.
fn succeeded(before: Sealed, secret: Vec<u8>, now: OffsetDateTime) -> Sealed {
    let last = PreviousSecret { secret: before.secret, until: now + OVERLAP };
    let standing = before.previous.into_iter().filter(|previous| now < previous.until);
    let previous = std::iter::once(last).chain(standing).take(MOST_PREVIOUS).collect();
    Sealed { secret, previous, headers: before.headers }
}
