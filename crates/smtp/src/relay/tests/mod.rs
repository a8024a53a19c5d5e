//! Relay transport against stub servers on 127.0.0.1.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod auth;
mod extensions;
mod outcomes;
mod replies;
mod reuse;
mod round_trip;
mod tls;
mod url;

use std::str::FromStr;
use std::time::Duration;

use inboxd_core::model::OutgoingId;
use inboxd_core::ports::{OutgoingMail, Recall};
use inboxd_mail::EmailAddress;
use uuid::Uuid;

use super::{RelayOptions, RelayTransport, RelayUrl};
use crate::client::stub_server::{StubServer, deliver};

fn address(text: &str) -> EmailAddress {
    EmailAddress::from_str(text).unwrap()
}

fn mail(recipients: &[&str], raw: &[u8]) -> OutgoingMail {
    OutgoingMail {
        is_code: false,
        outgoing_id: OutgoingId(Uuid::nil()),
        message: None,
        envelope_from: address("scout@here.example"),
        recipients: recipients.iter().map(|recipient| address(recipient)).collect(),
        raw: raw.to_vec(),
        recall: Recall::default(),
    }
}

fn options(url: &str) -> RelayOptions {
    let mut options = RelayOptions::new(RelayUrl::from_str(url).unwrap(), "mx.here.example");
    options.timeouts.command = Duration::from_secs(2);
    options.timeouts.greeting = Duration::from_secs(2);
    options.timeouts.data_end = Duration::from_secs(2);
    options
}

fn relay_to(peer: &StubServer) -> RelayTransport {
    RelayTransport::new(options(&format!("smtp://{}", peer.address))).unwrap()
}
