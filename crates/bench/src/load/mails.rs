//! Signed messages, generated before the measurement, with the DNS records of their senders.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inboxd_core::ports::{KeyMaker as _, SignedBy, Signer as _};
use inboxd_smtp::signing::{DkimSigner, RsaKeyMaker};
use inboxd_testkit::DnsServer;

use crate::outcome::Outcome;

/// Bytes of a message with its signature.
pub(crate) const MESSAGE_BYTES: usize = 4_096;
/// Number of sender domains.
const SENDER_DOMAINS: usize = 100;
/// Interval of messages that reply to the previous one.
const REPLY_INTERVAL: usize = 4;
const SELECTOR: &str = "s1";

/// Message with its envelope sender.
#[derive(Debug, Clone)]
pub(crate) struct SignedMail {
    pub(crate) sender: String,
    /// Content for DATA. Only its last line begins with a dot.
    pub(crate) content: Vec<u8>,
    pub(crate) message_id: String,
    /// Word that occurs in this message only.
    pub(crate) word: String,
}

/// Distinct messages with RSA-2048 signatures, and a resolver with SPF, DKIM and DMARC of their senders.
pub(crate) struct Pool {
    pub(crate) mails: Arc<[SignedMail]>,
    pub(crate) dns: DnsServer,
}

/// Generates so many messages.
pub(crate) async fn pool(mails: usize) -> Outcome<Pool> {
    let key = RsaKeyMaker.rsa_2048().await?;
    let dns = resolver(&STANDARD.encode(&key.public)).await;
    let signer = Arc::new(DkimSigner::default());
    let (key, parts) = (Arc::new(key), std::thread::available_parallelism()?.get());
    let making: Vec<_> = (0..parts)
        .map(|part| {
            let (signer, key) = (Arc::clone(&signer), Arc::clone(&key));
            tokio::spawn(async move {
                let mut made = Vec::new();
                for number in (part * mails / parts)..((part + 1) * mails / parts) {
                    made.push(signed(&signer, &key.private, number).await?);
                }
                Outcome::Ok(made)
            })
        })
        .collect();
    let mut made = Vec::with_capacity(mails);
    for part in making {
        made.extend(part.await??);
    }
    Ok(Pool { mails: made.into(), dns })
}

async fn resolver(public_key: &str) -> DnsServer {
    let dns = DnsServer::start().await;
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    dns.host("client.bench.example", here);
    dns.pointer(here, "client.bench.example");
    for number in 0..SENDER_DOMAINS {
        let domain = domain(number);
        dns.txt(&domain, "v=spf1 ip4:127.0.0.1 -all");
        dns.txt(&format!("_dmarc.{domain}"), "v=DMARC1; p=reject");
        dns.txt(&format!("{SELECTOR}._domainkey.{domain}"), &format!("v=DKIM1; k=rsa; p={public_key}"));
    }
    dns
}

fn domain(number: usize) -> String {
    format!("bench{}.example", number % SENDER_DOMAINS)
}

fn message_id(number: usize) -> String {
    format!("<{number}.{}@{}>", std::process::id(), domain(number))
}

async fn signed(signer: &DkimSigner, key: &[u8], number: usize) -> Outcome<SignedMail> {
    let domain = domain(number);
    let sender = format!("sender{number}@{domain}");
    let word = format!("zq{number:06}x");
    let by = SignedBy { domain: &domain, selector: SELECTOR, private_key: key };
    let mut content = signer.sign(by, text(number, &sender, &word)).await.map_err(|missed| missed.reason)?;
    content.extend(b".\r\n");
    Ok(SignedMail { sender, content, message_id: message_id(number), word })
}

/// Returns a message of about [`MESSAGE_BYTES`] bytes with its signature.
fn text(number: usize, sender: &str, word: &str) -> Vec<u8> {
    const SIGNATURE: usize = 750;
    let line = "The quick brown fox jumps over the lazy dog, and the dog lets it be.\r\n";
    let answers = if number % REPLY_INTERVAL == REPLY_INTERVAL - 1 {
        let before = message_id(number - 1);
        format!("In-Reply-To: {before}\r\nReferences: {before}\r\n")
    } else {
        String::new()
    };
    let mut mail = format!(
        "From: Sender <{sender}>\r\nTo: Agent <agent@bench.example>\r\nSubject: Mail of {}\r\n\
         Message-ID: {}\r\n{answers}Date: Sat, 21 Nov 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\r\nThe word of this mail is {word}.\r\n",
        number / REPLY_INTERVAL,
        message_id(number)
    );
    while mail.len() + line.len() + SIGNATURE <= MESSAGE_BYTES {
        mail.push_str(line);
    }
    mail.into_bytes()
}
