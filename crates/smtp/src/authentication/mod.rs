//! Who vouches for a mail that came in (RFC 7208, 6376, 9989, 8617), with `mail-auth`.
//!
//! ```text
//! labour.rs  reading and hashing, away from those that wait for sockets
//! bounds.rs  how much of what strangers write is verified
//! author.rs  whom From names
//! known.rs   answers of DNS that are at hand before the library asks
//! spf.rs     may this client send for that domain?
//! dkim.rs    what came of each signature
//! singular.rs  fields that may stand once, and mail to which somebody added another
//! arc.rs     what those who handed the mail on say
//! unasked.rs the readers, without asking anybody
//! dmarc.rs   does one of them speak for the domain of From?
//! ```
//!
//! Strangers choose whom we ask: their servers may be slow or silent. All questions of a mail are asked at the same time
//! and get the same short time, so that a silent server that one signature names cannot keep the answers about another
//! from being heard.

mod arc;
mod author;
mod bounds;
mod dkim;
mod dmarc;
mod known;
mod labour;
mod singular;
mod spf;
#[cfg(test)]
mod tests;
pub mod unasked;

use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::model::AuthResult;
use inboxd_core::ports::{Authenticator, Evidence, HandedMail, SignatureEvidence};
use mail_auth::{AuthenticatedMessage, MessageAuthenticator};

use self::author::Author;
use self::labour::Labour;
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
    labour: Labour,
}

impl MailAuthenticator {
    /// Asks the resolver at an address, or those of the system. `host` is the name of this server.
    ///
    /// # Errors
    /// When the resolver cannot be made ready; nothing is asked yet.
    pub fn new(resolver: Option<SocketAddr>, host: &str) -> Result<Self, DnsError> {
        let verifier = MessageAuthenticator(caching(resolver, LONGEST)?);
        Ok(Self { verifier, host: host.to_owned(), asking: ASKING, labour: Labour::new() })
    }
}

#[async_trait]
impl Authenticator for MailAuthenticator {
    async fn authenticate(&self, mail: HandedMail<'_>) -> Evidence {
        let (author, message, left_out) = self.labour.run(mail.raw.len(), || read(mail.raw)).await;
        let (spf, keys, policies, chain_keys) = tokio::join!(
            spf::ask(&self.verifier, &mail, &self.host, self.asking),
            dkim::keys(&self.verifier, &message, self.asking),
            dmarc::policies(&self.verifier, author.domain(), self.asking),
            arc::keys(&self.verifier, &message, self.asking),
        );
        let verify = || {
            let signatures = dkim::verify(&self.verifier, &message, &keys, left_out);
            (signatures, arc::verify(&self.verifier, &message, &chain_keys))
        };
        let (signatures, arc) = self.labour.run(mail.raw.len(), verify).await;
        let dmarc = dmarc::ask(&self.verifier, &message, &spf, &signatures, &policies, ALIGNING).await;
        Evidence { spf, dkim: signatures.evidence, dmarc: dmarc.of(author), arc }
    }
}

/// A mail as far as it is verified, its author, and the signatures that are beyond bounds.
fn read(raw: &[u8]) -> (Author, AuthenticatedMessage<'_>, Vec<SignatureEvidence>) {
    // What is no mail at all has no signatures, and no author.
    let mut message = AuthenticatedMessage::parse(raw).unwrap_or_default();
    let author = author::author(raw, &message);
    message.from = author.domain().iter().map(|domain| format!("author@{domain}")).collect();
    let left_out = dkim::limit(&mut message);
    (author, message, left_out)
}

/// What is known where DNS did not answer in time.
const SILENCE: AuthResult = AuthResult::TempError;
