//! Return paths of sent mail.

use inboxd_mail::EmailAddress;

use crate::Error;
use crate::app::App;
use crate::model::{DomainName, Inbox, OutgoingId};
use crate::ports::StoreError;
use crate::rules::return_paths;

/// Returns the domain for the return paths of an inbox's mail. On a custom domain this is the domain with the published
/// records. Its SPF record includes the service, and subdomains do not inherit it. The return path is thus aligned with
/// the sender (RFC 7489, section 3.1.2).
pub(in crate::app) async fn return_domain(app: &App, inbox: &Inbox) -> Result<String, StoreError> {
    let own = inbox.inbox_id.domain();
    if app.settings.hosted_domains().contains(&own) {
        return Ok(own.to_owned());
    }
    let names = DomainName::stored(own.to_owned()).with_parents();
    let served = app.store.served_domain(inbox.organization_id, &names).await?;
    Ok(served.map_or_else(|| app.settings.domain.clone(), |name| name.as_str().to_owned()))
}

/// Returns the return path of a queued mail. It is signed, so that only reports about this mail are accepted.
pub(in crate::app) fn return_path(app: &App, outgoing_id: OutgoingId, domain: &str) -> Result<EmailAddress, Error> {
    let local = return_paths::local_part(&app.settings.signing_key, outgoing_id);
    format!("{local}@{domain}")
        .parse()
        .map_err(|error| Error::Internal(format!("{domain} makes no return path: {error}")))
}
