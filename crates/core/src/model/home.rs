//! Where the mail of an address goes.

use super::Route;

/// Where the mail of an address goes, as far as the service knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// Here: the address is on one of the service's own domains, or that of a live inbox on a custom domain that is
    /// proven to be its organization's.
    Here,
    /// Here at any time: there is no such inbox now, but its custom domain is verified, and any name there can become
    /// one. DNS knows whether mail for the domain still comes here.
    Claimed,
    /// To other servers.
    Elsewhere,
}

impl Home {
    /// Whether somebody who holds keys of this service may come to read mail to the address.
    #[must_use]
    pub fn is_ours(self) -> bool {
        self != Self::Elsewhere
    }

    /// The way that leads there.
    #[must_use]
    pub fn route(self) -> Route {
        match self {
            Self::Here => Route::Local,
            Self::Claimed | Self::Elsewhere => Route::Remote,
        }
    }
}
