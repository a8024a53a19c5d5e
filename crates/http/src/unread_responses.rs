//! Receipts of the responses of a connection that its client may not have read.
//!
//! Bytes of the client prove that it has read its responses. On HTTP/2 they may belong to another stream than a response
//! that is still unwritten, so they prove the reading of flushed responses only.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::retry_dedup::DeliveryReceipt;

/// Maximum number of responses of a connection. A further one discards the oldest that is flushed, or else the oldest.
const MAX_UNREAD_RESPONSES: usize = 256;

/// Responses that the client may not have read, oldest first.
#[derive(Debug, Default)]
pub(crate) struct UnreadResponses(Mutex<Vec<UnreadResponse>>);

#[derive(Debug)]
struct UnreadResponse {
    receipt: DeliveryReceipt,
    /// Whether the connection was flushed since, so that the client may have read the response.
    is_flushed: bool,
}

impl UnreadResponses {
    /// Adds a response that was passed to the HTTP library.
    pub(crate) fn add(&self, receipt: DeliveryReceipt, is_flushed: bool) {
        let mut responses = self.lock();
        if responses.len() >= MAX_UNREAD_RESPONSES {
            let oldest = responses.iter().position(|response| response.is_flushed).unwrap_or(0);
            drop(responses.remove(oldest));
        }
        responses.push(UnreadResponse { receipt, is_flushed });
    }

    /// Records that all responses so far are written. On HTTP/2 the library also flushes between the frames of a large
    /// response. It writes the other frames next, so a response is recorded too early only while the client is slow.
    pub(crate) fn set_flushed(&self) {
        for response in &mut *self.lock() {
            response.is_flushed = true;
        }
    }

    /// Removes flushed responses: a client that sends again has read them.
    pub(crate) fn remove_flushed(&self) {
        self.lock().retain(|response| !response.is_flushed);
    }

    /// Removes all responses after the client closed normally. It has read the flushed ones; the others are lost.
    pub(crate) fn lose_unflushed(&self) {
        for mut response in self.take() {
            if !response.is_flushed {
                response.receipt.lost();
            }
        }
    }

    /// Removes all responses after the connection broke. The client may have read none of them.
    pub(crate) fn lose_all(&self) {
        for mut response in self.take() {
            response.receipt.lost();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    pub(crate) fn has_unflushed(&self) -> bool {
        self.lock().iter().any(|response| !response.is_flushed)
    }

    fn take(&self) -> Vec<UnreadResponse> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<UnreadResponse>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use inboxd_core::app::SendResult;
    use inboxd_core::testing::FixedClock;
    use inboxd_core::testing::fixtures::{self, NOW};

    use super::*;
    use crate::retry_dedup::{InFlightSends, SendRole};

    pub(crate) fn sends() -> Arc<InFlightSends> {
        InFlightSends::new(Arc::new(FixedClock::at(NOW)))
    }

    /// Performs the send of this number and returns the receipt of its response.
    pub(crate) fn receipt(sends: &Arc<InFlightSends>, number: u8) -> DeliveryReceipt {
        let SendRole::First(guard, receipt) = sends.enter([number; 32]) else { panic!("a repeat of send {number}") };
        guard.done(Some(&SendResult {
            message_id: fixtures::message_id("<a@inboxd.example>"),
            thread_id: fixtures::id(1),
            held: None,
        }));
        receipt
    }

    /// Returns whether a repeat of the send of this number receives the response of the first.
    pub(crate) fn is_lost(sends: &Arc<InFlightSends>, number: u8) -> bool {
        matches!(sends.enter([number; 32]), SendRole::Repeat(..))
    }

    /// Adds the delivered response of the send of this number.
    fn add(responses: &UnreadResponses, sends: &Arc<InFlightSends>, number: u8) {
        let mut receipt = receipt(sends, number);
        receipt.delivered();
        responses.add(receipt, false);
    }

    #[test]
    fn reset_loses_all_unread_responses() {
        let (responses, sends) = (UnreadResponses::default(), sends());
        add(&responses, &sends, 1);
        responses.set_flushed();
        add(&responses, &sends, 2);
        responses.lose_all();
        assert!(is_lost(&sends, 1) && is_lost(&sends, 2));
        assert!(responses.is_empty());
    }

    #[test]
    fn bytes_of_client_keep_receipt_of_unflushed_response() {
        let (responses, sends) = (UnreadResponses::default(), sends());
        add(&responses, &sends, 1);
        responses.set_flushed();
        add(&responses, &sends, 2);
        responses.remove_flushed();
        assert!(responses.has_unflushed());
        responses.lose_all();
        assert!(!is_lost(&sends, 1), "the client sent again after the write");
        assert!(is_lost(&sends, 2), "the response was not written");
    }

    #[test]
    fn normal_close_loses_unflushed_responses_only() {
        let (responses, sends) = (UnreadResponses::default(), sends());
        add(&responses, &sends, 1);
        responses.set_flushed();
        add(&responses, &sends, 2);
        responses.lose_unflushed();
        assert!(!is_lost(&sends, 1) && is_lost(&sends, 2));
    }

    #[test]
    fn too_many_responses_discard_oldest_flushed_one() {
        let (responses, sends) = (UnreadResponses::default(), sends());
        add(&responses, &sends, 1);
        let mut flushed = receipt(&sends, 2);
        flushed.delivered();
        responses.add(flushed, true);
        for _ in 2..MAX_UNREAD_RESPONSES {
            add(&responses, &sends, 3);
        }
        add(&responses, &sends, 4);
        assert_eq!(responses.lock().len(), MAX_UNREAD_RESPONSES);
        responses.lose_all();
        assert!(is_lost(&sends, 1) && is_lost(&sends, 4));
        assert!(!is_lost(&sends, 2), "it was the oldest flushed one");
    }
}
