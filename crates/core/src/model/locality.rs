//! Locality of addresses.

use super::Route;

/// Locality of an address, as far as the service knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locality {
    /// Local: the address is on one of the service's own domains, or belongs to a live inbox on a custom domain with
    /// proven ownership.
    Local,
    /// Possibly local: the inbox does not exist now, but its custom domain is verified, and any address there can
    /// become one. DNS decides whether mail for the domain still arrives here.
    Claimed,
    /// Remote: other servers receive the mail.
    Remote,
}

impl Locality {
    /// Returns whether a key holder of this service can read mail for the address, now or later.
    #[must_use]
    pub fn is_ours(self) -> bool {
        self != Self::Remote
    }

    /// Returns the route to the address.
    #[must_use]
    pub fn route(self) -> Route {
        match self {
            Self::Local => Route::Local,
            Self::Claimed | Self::Remote => Route::Remote,
        }
    }
}
