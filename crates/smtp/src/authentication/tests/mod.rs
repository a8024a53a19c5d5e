//! Authentication against a DNS server of the tests.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod arc;
mod author;
mod dkim;
mod dmarc;
mod signed;
mod spf;

use std::time::Duration;

use inboxd_core::model::AuthResult;
use inboxd_core::ports::{Authenticator as _, Evidence, HandedMail};
use inboxd_mail::EmailAddress;
use inboxd_testkit::DnsServer;

use super::MailAuthenticator;

/// Authenticator with its DNS server.
struct AuthBench {
    dns: DnsServer,
    authenticator: MailAuthenticator,
}

impl AuthBench {
    async fn new() -> Self {
        let dns = DnsServer::start().await;
        let authenticator = MailAuthenticator::new(Some(dns.address())).unwrap();
        Self { dns, authenticator }
    }

    /// Shortens the time limit for silent servers.
    fn impatient(mut self) -> Self {
        self.authenticator.lookup_timeout = Duration::from_millis(400);
        self
    }

    /// Authenticates a message from 192.0.2.1 with HELO name mx.client.example.
    async fn ask(&self, envelope_from: &str, raw: &str) -> Evidence {
        self.ask_of("192.0.2.1", "mx.client.example", envelope_from, raw).await
    }

    async fn ask_of(&self, ip: &str, helo: &str, envelope_from: &str, raw: &str) -> Evidence {
        let sender: Option<EmailAddress> = (!envelope_from.is_empty()).then(|| envelope_from.parse().unwrap());
        let ip = ip.parse().unwrap();
        let mail = HandedMail { ip, helo, envelope_from: sender.as_ref(), raw: raw.as_bytes() };
        self.authenticator.authenticate(mail).await
    }

    /// Returns the results of the signatures of a message.
    async fn dkim(&self, raw: &str) -> Vec<AuthResult> {
        let evidence = self.ask("bounces@unknown.example", raw).await;
        evidence.dkim.iter().map(|signature| signature.result).collect()
    }
}

/// Returns a message with this From field.
fn mail_from(from: &str) -> String {
    format!(
        "From: {from}\r\nTo: scout@here.example\r\nSubject: A  question\r\nDate: Sun, 22 Nov 2026 10:00:00 +0000\r\n\
         Message-ID: <1@example.org>\r\n\r\nIs this  a question? \r\n\r\n\r\n"
    )
}
