//! The order in which the deliveries of one webhook begin.
//!
//! Each delivery has a connection of its own, and connecting may take long. So each begins when the request before it is
//! written or has failed: the receiver gets several at a time, in the order of the feed.

use std::collections::HashMap;
use std::time::Duration;

use inboxd_core::model::{WebhookDelivery, WebhookId};
use inboxd_core::ports::OnItsWay;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::oneshot::{self, Receiver, Sender};
use tokio::time::timeout;

/// The time that a delivery waits for the one before: as long as connecting may take. A lease covers it and an attempt.
const TURN_TIMEOUT: Duration = Duration::from_secs(5);

/// The last delivery of each webhook, until its request is written.
#[derive(Default)]
pub(super) struct DeliveryOrder(HashMap<WebhookId, Receiver<()>>);

/// The turn of one delivery.
pub(super) struct OrderTurn {
    before: Option<Receiver<()>>,
    sent: Sender<()>,
}

impl DeliveryOrder {
    /// Assigns the next turn of its webhook to a delivery.
    pub(super) fn turn(&mut self, delivery: &WebhookDelivery) -> OrderTurn {
        self.0.retain(|_, last| last.try_recv() == Err(TryRecvError::Empty));
        let (sent, is_sent) = oneshot::channel();
        OrderTurn { before: self.0.insert(delivery.webhook_id, is_sent), sent }
    }
}

impl OrderTurn {
    /// Waits for the turn. The sender calls the returned function when the request is written, and drops it after a failure.
    pub(super) async fn wait(self) -> OnItsWay {
        if let Some(before) = self.before {
            // Written, failed or too slow: the next delivery begins.
            let _ = timeout(TURN_TIMEOUT, before).await;
        }
        Box::new(move || {
            // The webhook may have no further delivery.
            let _ = self.sent.send(());
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
    async fn turn_begins_when_the_request_before_is_written_or_failed() {
        let mut order = DeliveryOrder::default();
        let [first, second, third, of_another] = [50, 50, 50, 51].map(|webhook| order.turn(&delivery(webhook)));
        let (mut second, mut third) = (Box::pin(second.wait()), Box::pin(third.wait()));
        let begin = first.wait().await;
        assert!(of_another.wait().now_or_never().is_some(), "other webhooks do not wait");
        assert!((&mut second).now_or_never().is_none());
        begin();
        let begin = (&mut second).now_or_never();
        assert!(begin.is_some());
        assert!((&mut third).now_or_never().is_none());
        drop(begin);
        assert!((&mut third).now_or_never().is_some(), "the second failed");
    }

    #[tokio::test]
    async fn written_requests_are_removed() {
        let mut order = DeliveryOrder::default();
        for webhook in 0..100 {
            let begin = order.turn(&delivery(webhook)).wait().await;
            begin();
        }
        order.turn(&delivery(1_000));
        assert_eq!(order.0.len(), 1);
    }
}
