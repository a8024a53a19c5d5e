//! What the server offers (RFC 5321 section 4.1.1.1).

use super::reply::Reply;

/// A way to log in, of those that are of use here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mechanism {
    /// RFC 4616.
    Plain,
    /// Never standardised, and all that some servers have.
    Login,
}

/// The extensions that are of use here.
#[expect(clippy::struct_excessive_bools, reason = "each is an extension of its own")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// RFC 2920.
    pub(crate) pipelining: bool,
    /// RFC 6152.
    pub(crate) eight_bit: bool,
    /// RFC 6531.
    pub(crate) utf8: bool,
    /// RFC 3207.
    pub(crate) start_tls: bool,
    /// RFC 1870: the largest mail in octets, without bound when none is named.
    pub(crate) size: Option<usize>,
    /// RFC 4954: the best way to log in.
    pub(crate) mechanism: Option<Mechanism>,
    /// What the server calls itself.
    pub(crate) name: String,
}

impl Capabilities {
    /// Reads the answer to EHLO; its first line is a greeting.
    pub(crate) fn read(reply: &Reply) -> Self {
        let mut capabilities = Self { name: first_word(reply), ..Self::default() };
        for line in reply.lines.iter().skip(1) {
            capabilities.note(&line.to_ascii_uppercase());
        }
        capabilities
    }

    fn note(&mut self, line: &str) {
        // `AUTH=PLAIN` is how it was written before RFC 4954.
        let mut words = line.split([' ', '=']).filter(|word| !word.is_empty());
        match words.next() {
            Some("PIPELINING") => self.pipelining = true,
            Some("8BITMIME") => self.eight_bit = true,
            Some("SMTPUTF8") => self.utf8 = true,
            Some("STARTTLS") => self.start_tls = true,
            // A limit of zero says that there is none.
            Some("SIZE") => {
                let limit = words.next().and_then(|limit| limit.parse().ok()).filter(|&limit| limit > 0);
                self.size = Some(limit.unwrap_or(usize::MAX));
            }
            Some("AUTH") => {
                for mechanism in words {
                    match mechanism {
                        "PLAIN" => self.mechanism = Some(Mechanism::Plain),
                        "LOGIN" => self.mechanism = self.mechanism.or(Some(Mechanism::Login)),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

fn first_word(reply: &Reply) -> String {
    reply.lines.first().and_then(|line| line.split(' ').next()).unwrap_or_default().to_owned()
}
