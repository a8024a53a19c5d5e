//! `POST /console/webhooks/{webhook_id}/…`: changes of a webhook.

use actix_web::HttpResponse;
use inboxd_core::Error;
use inboxd_core::app::webhooks::{self, Again, WebhookChange};
use inboxd_core::model::permissions::{WebhookDelete, WebhookUpdate};
use inboxd_core::model::{Scope, WebhookId};
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::rules::webhooks::headers::HeaderChange;
use time::{OffsetDateTime, PrimitiveDateTime, macros::format_description};

use super::webhook::page;
use super::webhooks::{chosen_verdicts, secret_page};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::problem::Problem;
use crate::error::ApiError;

/// Changes the event types of a webhook and whether it is enabled.
pub(super) async fn change(call: &ConsoleCall) -> PageResult {
    let done = async {
        let (caller, webhook_id) = authorized(call)?;
        let change = WebhookChange {
            event_types: Some(call.form.all("event_types").map(ToOwned::to_owned).collect()),
            trust: Some(chosen_verdicts(call)?),
            enabled: Some(call.form.one("enabled").is_some()),
            ..WebhookChange::default()
        };
        webhooks::update(call.app(), &caller, webhook_id, change).await?;
        Ok(to_page(call, webhook_id, "saved"))
    };
    or_again(call, done.await).await
}

/// Sets a header field of the deliveries, or removes some.
pub(super) async fn change_headers(call: &ConsoleCall) -> PageResult {
    let done = async {
        let (caller, webhook_id) = authorized(call)?;
        let value = call.form.one("header_value").unwrap_or_default().to_owned();
        let change = HeaderChange {
            set: call.form.one("header_name").map(|name| (name.trim().to_owned(), value)).into_iter().collect(),
            remove: call.form.all("remove").map(ToOwned::to_owned).collect(),
        };
        webhooks::update_headers(call.app(), &caller, webhook_id, change).await?;
        Ok(to_page(call, webhook_id, "saved"))
    };
    or_again(call, done.await).await
}

/// Makes a new secret and shows it once.
pub(super) async fn rotate_secret(call: &ConsoleCall) -> PageResult {
    let (caller, webhook_id) = authorized(call)?;
    let (webhook, secret) = webhooks::rotate_secret(call.app(), &caller, webhook_id).await?;
    secret_page(call, "New secret", &webhook, &secret.reveal())
}

/// Delivers one event again, or all events since a time.
pub(super) async fn replay(call: &ConsoleCall) -> PageResult {
    let done = async {
        let (caller, webhook_id) = authorized(call)?;
        let event_id = call.form.one("event_id").map(ToOwned::to_owned);
        let since = match event_id {
            Some(_) => None,
            None => Some(instant(call.form.one("since").unwrap_or_default())?),
        };
        webhooks::replay(call.app(), &caller, webhook_id, Again { event_id, since }).await?;
        Ok(to_page(call, webhook_id, "queued"))
    };
    or_again(call, done.await).await
}

/// Deletes a webhook.
pub(super) async fn delete(call: &ConsoleCall) -> PageResult {
    let caller = call.authorize::<WebhookDelete>(Scope::Organization)?;
    webhooks::delete(call.app(), &caller, call.webhook_id()?).await?;
    Ok(call.redirect("/console/webhooks?notice=deleted"))
}

fn authorized(call: &ConsoleCall) -> Result<(AuthorizedCaller<WebhookUpdate>, WebhookId), ApiError> {
    Ok((call.authorize(Scope::Organization)?, call.webhook_id()?))
}

/// Shows the page of the webhook again after a refusal.
async fn or_again(call: &ConsoleCall, done: Result<HttpResponse, ApiError>) -> PageResult {
    match done {
        Ok(response) => Ok(response),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

fn to_page(call: &ConsoleCall, webhook_id: WebhookId, notice: &str) -> HttpResponse {
    call.redirect(&format!("/console/webhooks/{webhook_id}?notice={notice}"))
}

/// Reads the value of a field `datetime-local`, which the page asks for in UTC.
fn instant(text: &str) -> Result<OffsetDateTime, Error> {
    let minutes = format_description!("[year]-[month]-[day]T[hour]:[minute]");
    let seconds = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");
    let read = PrimitiveDateTime::parse(text, minutes).or_else(|_| PrimitiveDateTime::parse(text, seconds));
    read.map(PrimitiveDateTime::assume_utc).map_err(|_| Error::invalid("since", "must be a date and a time"))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn time_of_form_is_utc() {
        assert_eq!(instant("2026-11-28T14:03").ok(), Some(datetime!(2026-11-28 14:03 UTC)));
        assert_eq!(instant("2026-11-28T14:03:09").ok(), Some(datetime!(2026-11-28 14:03:09 UTC)));
        assert!(instant("").is_err() && instant("28.11.2026").is_err());
    }
}
