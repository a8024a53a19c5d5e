//! Who vouches for a mail that came in (RFC 7208, 6376, 9989, 8617), with `mail-auth`.
//!
//! ```text
//! author.rs  whom From names
//! known.rs   answers of DNS that are at hand before the library asks
//! spf.rs     may this client send for that domain?
//! dkim.rs    what came of each signature
//! arc.rs     what those who handed the mail on say
//! dmarc.rs   does one of them speak for the domain of From?
//! ```
//!
//! Strangers choose whom we ask: their servers may be slow or silent. All questions of a mail are asked at the same time
//! and get the same short time, so that a silent server that one signature names cannot keep the answers about another
//! from being heard.

mod arc;
mod author;
mod dkim;
mod dmarc;
mod known;
mod spf;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::model::AuthResult;
use inboxd_core::ports::{Authenticator, Evidence, HandedMail};
use mail_auth::{AuthenticatedMessage, MessageAuthenticator};

use crate::dns::{DnsError, caching};

/// How long an answer is kept at most, whatever it says of itself: a key that was withdrawn is soon known to be.
const LONGEST: Duration = Duration::from_mins(15);

/// How long DNS has for what SPF, the signatures and the policies need: with [`ALIGNING`] the most that a mail waits.
const ASKING: Duration = Duration::from_millis(3500);
/// How long DNS has for what it takes to compare domains, once it is known whom the mail speaks for.
const ALIGNING: Duration = Duration::from_millis(1500);

/// Asks one resolver, or those of the system, and keeps its answers as long as they hold.
pub struct MailAuthenticator {
    verifier: MessageAuthenticator,
    host: String,
    asking: Duration,
}

impl MailAuthenticator {
    /// Asks the resolver at an address, or those of the system. `host` is the name of this server.
    ///
    /// # Errors
    /// When the resolver cannot be made ready; nothing is asked yet.
    pub fn new(resolver: Option<SocketAddr>, host: &str) -> Result<Self, DnsError> {
        let verifier = MessageAuthenticator(caching(resolver, LONGEST)?);
        Ok(Self { verifier, host: host.to_owned(), asking: ASKING })
    }
}

#[async_trait]
impl Authenticator for MailAuthenticator {
    async fn authenticate(&self, mail: HandedMail<'_>) -> Evidence {
        let author = author::author(mail.raw);
        // What is no mail at all has no signatures, and no author.
        let mut message = AuthenticatedMessage::parse(mail.raw).unwrap_or_default();
        message.from = author.domain().iter().map(|domain| format!("author@{domain}")).collect();
        dkim::limit(&mut message);
        let (spf, keys, policies, arc) = tokio::join!(
            spf::ask(&self.verifier, &mail, &self.host, self.asking),
            dkim::keys(&self.verifier, &message, self.asking),
            dmarc::policies(&self.verifier, author.domain(), self.asking),
            arc::ask(&self.verifier, &message, self.asking),
        );
        let signatures = dkim::verify(&self.verifier, &message, &keys).await;
        let dmarc = dmarc::ask(&self.verifier, &message, &spf, &signatures, &policies, ALIGNING).await;
        Evidence { spf, dkim: signatures.evidence, dmarc: dmarc.of(author), arc }
    }
}

/// What is known where DNS did not answer in time.
const SILENCE: AuthResult = AuthResult::TempError;
