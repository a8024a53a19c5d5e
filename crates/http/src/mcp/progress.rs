//! Notifications about a call that takes long.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};

/// Sends progress of one call to its client.
#[derive(Clone)]
pub(crate) struct ProgressReporter {
    peer: Peer<RoleServer>,
    token: ProgressToken,
}

impl ProgressReporter {
    pub(super) fn new(peer: Peer<RoleServer>, token: ProgressToken) -> Self {
        Self { peer, token }
    }

    /// Reports `done` of `total`. A client that is gone receives nothing, which is no error.
    pub(crate) async fn report(&self, done: f64, total: f64) {
        let progress = ProgressNotificationParam::new(self.token.clone(), done).with_total(total);
        let _ = self.peer.notify_progress(progress).await;
    }
}
