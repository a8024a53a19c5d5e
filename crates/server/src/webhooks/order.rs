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

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use inboxd_core::model::EventType;
    use inboxd_core::testing::fixtures::{NOW, id};

    use super::*;

    fn delivery(webhook: u128) -> WebhookDelivery {
        WebhookDelivery {
            organization_id: id(1),
            webhook_id: id(webhook),
            event_id: id(1),
            event_type: EventType::MessageReceived,
            event_created_at: NOW,
            position: 1,
            failed: 0,
            claim_id: id(90),
            is_failing: false,
        }
    }

    #[tokio::test]
    async fn a_turn_comes_when_the_one_before_is_on_its_way_or_will_not_be() {
        let mut order = Order::default();
        let [first, second, third, of_another] = [50, 50, 50, 51].map(|webhook| order.turn(&delivery(webhook)));
        let (mut second, mut third) = (Box::pin(second.comes()), Box::pin(third.comes()));
        let begin = first.comes().await;
        assert!(of_another.comes().now_or_never().is_some(), "other webhooks do not wait");
        assert!((&mut second).now_or_never().is_none());
        begin();
        let begin = (&mut second).now_or_never();
        assert!(begin.is_some());
        assert!((&mut third).now_or_never().is_none());
        drop(begin);
        assert!((&mut third).now_or_never().is_some(), "the second failed");
    }

    #[tokio::test]
    async fn who_is_on_its_way_is_forgotten() {
        let mut order = Order::default();
        for webhook in 0..100 {
            let begin = order.turn(&delivery(webhook)).comes().await;
            begin();
        }
        order.turn(&delivery(1_000));
        assert_eq!(order.0.len(), 1);
    }
}
