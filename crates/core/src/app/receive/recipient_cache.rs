//! Recipient lookup with a one-second cache.
//!
//! Mail often arrives in bursts for the same inboxes. A cached entry is used for RCPT alone: the unit of work that
//! stores the mail locks its inboxes and detects deleted ones. That unit of work does not check the domain again. So
//! mail that RCPT accepted before a domain changed its organization is stored in the former one.
//!
//! A change by this process empties the cache at once; a change by another process takes effect within a second.
//! Unknown addresses are not cached, so a new inbox receives mail at once.

use inboxd_mail::EmailAddress;

use crate::app::App;
use crate::app::second_cache::SecondCache;
use crate::ports::{RecipientRoute, StoreError};

/// Lookup of recipients with a cache of those that exist.
#[derive(Default)]
pub(in crate::app) struct RecipientCache(SecondCache<EmailAddress, RecipientRoute>);

impl RecipientCache {
    /// Returns the route of an address, if it is a recipient here.
    pub(super) async fn route(&self, app: &App, address: &EmailAddress) -> Result<Option<RecipientRoute>, StoreError> {
        let now = app.clock.now();
        let generation = match self.0.find(address, now) {
            Ok(route) => return Ok(Some(route)),
            Err(generation) => generation,
        };
        let found = app.store.destinations(std::slice::from_ref(address)).await?.pop().flatten();
        if let Some(route) = &found {
            self.0.insert(address.clone(), route.clone(), (generation, now));
        }
        Ok(found)
    }

    /// Returns a guard for the commit of a routing change. The guard empties the cache when it is dropped, after the
    /// commit. This also covers a failed commit and a cancelled caller.
    #[must_use = "it empties the cache when it is dropped, which must happen after the commit"]
    pub(in crate::app) fn invalidate_on_drop(&self) -> InvalidateOnDrop<'_> {
        InvalidateOnDrop(self)
    }
}

/// Guard that empties the cache after a routing change.
pub(in crate::app) struct InvalidateOnDrop<'a>(&'a RecipientCache);

impl Drop for InvalidateOnDrop<'_> {
    fn drop(&mut self) {
        self.0.0.clear();
    }
}
