//! MAIL command (RFC 5321, section 4.1.1.2) with SIZE (RFC 1870), BODY (RFC 6152) and SMTPUTF8 (RFC 6531).

use std::time::Instant;

use inboxd_mail::EmailAddress;

use super::path::EnvelopePath;
use super::reply::Reply;
use super::state::{MailTransaction, ServerContext, SessionState};

/// Begins a transaction.
pub(super) fn handle(state: &mut SessionState, server: &ServerContext, path: &EnvelopePath<'_>) -> Reply {
    let Some(identity) = &state.identity else {
        return Reply::Sequence { cause: "no EHLO yet; send EHLO first" };
    };
    if state.transaction.is_some() {
        return Reply::Sequence { cause: "a mail transaction is open; finish it, or send RSET" };
    }
    if !identity.is_extended && !path.parameters.is_empty() {
        return Reply::Argument { cause: "parameters need ESMTP; send EHLO instead of HELO" };
    }
    let parameters = match MailParameters::read(path) {
        Ok(parameters) => parameters,
        Err(reply) => return reply,
    };
    let limit = server.options.max_message_bytes;
    let declared_bytes = usize::try_from(parameters.size.unwrap_or_default()).unwrap_or(usize::MAX);
    if declared_bytes > limit {
        return Reply::TooLarge { limit };
    }
    if !path.address.is_ascii() && !parameters.utf8 {
        return Reply::NeedsUtf8;
    }
    let from = match parse_sender(path.address) {
        Ok(from) => from,
        Err(cause) => return Reply::SenderAddress { cause },
    };
    let (utf8, recipients, started) = (parameters.utf8, Vec::new(), Instant::now());
    state.transaction = Some(MailTransaction { started, from, utf8, declared_bytes, recipients, chunks: None });
    Reply::Sender
}

fn parse_sender(address: &str) -> Result<Option<EmailAddress>, String> {
    if address.is_empty() {
        return Ok(None);
    }
    address.parse().map(Some).map_err(|error| format!("{error}"))
}

#[derive(Debug, Default)]
struct MailParameters {
    size: Option<u64>,
    body: bool,
    utf8: bool,
}

impl MailParameters {
    fn read(path: &EnvelopePath<'_>) -> Result<Self, Reply> {
        const TWICE: Reply = Reply::Argument { cause: "a parameter is repeated; send it once" };
        let mut parameters = Self::default();
        for (name, value) in &path.parameters {
            match (name.to_ascii_uppercase().as_str(), value) {
                ("SIZE", Some(size)) => {
                    let size = read_size(size)?;
                    if parameters.size.replace(size).is_some() {
                        return Err(TWICE);
                    }
                }
                ("BODY", Some(body)) if body.eq_ignore_ascii_case("7BIT") || body.eq_ignore_ascii_case("8BITMIME") => {
                    if std::mem::replace(&mut parameters.body, true) {
                        return Err(TWICE);
                    }
                }
                ("BODY", _) => {
                    return Err(Reply::ParameterValue { cause: "unsupported BODY value; send 7BIT or 8BITMIME" });
                }
                ("SMTPUTF8", None) => {
                    if std::mem::replace(&mut parameters.utf8, true) {
                        return Err(TWICE);
                    }
                }
                ("SIZE" | "SMTPUTF8", _) => {
                    return Err(Reply::Argument {
                        cause: "parameter with an invalid value; send SIZE=octets, SMTPUTF8",
                    });
                }
                (other, _) => return Err(Reply::Parameter { name: other.chars().take(40).collect() }),
            }
        }
        Ok(parameters)
    }
}

/// Parses a size of at most twenty digits (RFC 1870, section 4). A number beyond 64 bits exceeds any limit.
fn read_size(size: &str) -> Result<u64, Reply> {
    if size.is_empty() || size.len() > 20 || !size.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Reply::Argument { cause: "SIZE is not a number; send it in octets" });
    }
    Ok(size.parse().unwrap_or(u64::MAX))
}
