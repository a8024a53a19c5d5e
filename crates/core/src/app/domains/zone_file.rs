//! A domain's records as a zone file.

use super::find::find;
use crate::Error;
use crate::app::App;
use crate::model::{Caller, DomainId, DomainName, Permission};
use crate::rules::access;
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
/// [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn zone_file(app: &App, caller: &Caller, domain_id: DomainId) -> Result<ZoneFile, Error> {
    access::require(caller, Permission::DomainRead)?;
    let domain = find(app, caller, domain_id).await?;
    let text = zone::file(&domain, &app.settings.domain);
    Ok(ZoneFile { domain: domain.name, text })
}
