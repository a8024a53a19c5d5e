//! The order in which the deliveries of one webhook begin.
//!
//! They go over connections of their own, which are made in whatever time that takes. So each begins when the one before
//! it is on its way, or has failed to be: the receiver gets them in the order of the feed, several at a time.

use std::collections::HashMap;
use std::time::Duration;

use inboxd_core::model::{WebhookDelivery, WebhookId};
use inboxd_core::ports::OnItsWay;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::oneshot::{self, Receiver, Sender};
use tokio::time::timeout;

/// How long the one before is waited for. It is as long as connecting may take; a claim lasts for that and for an attempt.
const PATIENCE: Duration = Duration::from_secs(5);

/// The last delivery of each webhook, as long as it is not on its way.
#[derive(Default)]
pub(super) struct Order(HashMap<WebhookId, Receiver<()>>);

/// The turn of one delivery.
pub(super) struct Turn {
    before: Option<Receiver<()>>,
    begun: Sender<()>,
}

impl Order {
    /// The turn of a delivery: after all of its webhook that asked before.
    pub(super) fn turn(&mut self, delivery: &WebhookDelivery) -> Turn {
        self.0.retain(|_, last| last.try_recv() == Err(TryRecvError::Empty));
        let (begun, begins) = oneshot::channel();
        Turn { before: self.0.insert(delivery.webhook_id, begins), begun }
    }
}

impl Turn {
    /// Waits until it is this delivery's turn. What is answered is to be called when it is on its way, and dropped when it
    /// will not be.
    pub(super) async fn comes(self) -> OnItsWay {
        if let Some(before) = self.before {
            // On its way, failed, or too slow: what follows goes on.
            let _ = timeout(PATIENCE, before).await;
        }
        Box::new(move || {
            // Nobody may be waiting.
            let _ = self.begun.send(());
        })
    }
}
