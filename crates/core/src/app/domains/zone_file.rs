//! Zone file with the records of a domain.

use super::find::find;
use crate::Error;
use crate::app::{App, scope};
use crate::model::permissions::DomainRead;
use crate::model::{DomainId, DomainName};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::domains::zone;

/// Zone file of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneFile {
    /// The name of the domain.
    pub domain: DomainName,
    /// The content of the file.
    pub text: String,
}

/// Returns the records of a domain in the zone file format of BIND.
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
    let text = zone::zone_file(&domain);
    Ok(ZoneFile { domain: domain.name, text })
}
