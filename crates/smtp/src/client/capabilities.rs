//! Extensions in an EHLO response (RFC 5321, section 4.1.1.1).

use super::reply::ServerReply;

/// Supported authentication mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthMechanism {
    /// AUTH PLAIN (RFC 4616).
    Plain,
    /// AUTH LOGIN, never standardized, and the only mechanism of some servers.
    Login,
}

/// Extensions of a server that this client uses.
#[expect(clippy::struct_excessive_bools, reason = "each flag is an independent extension")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ServerCapabilities {
    /// PIPELINING (RFC 2920).
    pub(crate) pipelining: bool,
    /// 8BITMIME (RFC 6152).
    pub(crate) eight_bit: bool,
    /// SMTPUTF8 (RFC 6531).
    pub(crate) utf8: bool,
    /// STARTTLS (RFC 3207).
    pub(crate) start_tls: bool,
    /// SIZE (RFC 1870): largest message in bytes, `usize::MAX` when the server states no limit.
    pub(crate) max_message_bytes: Option<usize>,
    /// AUTH (RFC 4954): the preferred mechanism.
    pub(crate) mechanism: Option<AuthMechanism>,
    /// Name of the server in its response.
    pub(crate) name: String,
}

impl ServerCapabilities {
    /// Parses an EHLO response. Its first line is a greeting.
    pub(crate) fn read(reply: &ServerReply) -> Self {
        let mut capabilities = Self { name: first_word(reply), ..Self::default() };
        for line in reply.lines.iter().skip(1) {
            capabilities.add_line(&line.to_ascii_uppercase());
        }
        capabilities
    }

    fn add_line(&mut self, line: &str) {
        // `AUTH=PLAIN` is the spelling before RFC 4954.
        let mut words = line.split([' ', '=']).filter(|word| !word.is_empty());
        match words.next() {
            Some("PIPELINING") => self.pipelining = true,
            Some("8BITMIME") => self.eight_bit = true,
            Some("SMTPUTF8") => self.utf8 = true,
            Some("STARTTLS") => self.start_tls = true,
            // A size of zero means no limit.
            Some("SIZE") => {
                let limit = words.next().and_then(|limit| limit.parse().ok()).filter(|&limit| limit > 0);
                self.max_message_bytes = Some(limit.unwrap_or(usize::MAX));
            }
            Some("AUTH") => {
                for mechanism in words {
                    match mechanism {
                        "PLAIN" => self.mechanism = Some(AuthMechanism::Plain),
                        "LOGIN" => self.mechanism = self.mechanism.or(Some(AuthMechanism::Login)),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

fn first_word(reply: &ServerReply) -> String {
    reply.lines.first().and_then(|line| line.split(' ').next()).unwrap_or_default().to_owned()
}
