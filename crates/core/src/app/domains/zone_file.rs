//! A domain's records as a zone file.

use super::find::find;
use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::DomainRead;
use crate::model::{DomainId, DomainName};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::domains::zone;

/// A zone file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneFile {
    /// The domain that it is of.
    pub domain: DomainName,
    /// The file.
    pub text: String,
}

/// The records of a domain, in the words of BIND.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn zone_file(
    app: &App,
    caller: &AuthorizedCaller<DomainRead>,
    domain_id: DomainId,
) -> Result<ZoneFile, Error> {
    scope::resolve(app, caller).await?;
    let domain = find(app, caller, domain_id).await?;
    let text = zone::file(&domain, &app.settings.domain);
    Ok(ZoneFile { domain: domain.name, text })
}
