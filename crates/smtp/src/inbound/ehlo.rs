//! EHLO and HELO commands (RFC 5321, section 4.1.1.1).

use super::reply::Reply;
use super::state::{ClientIdentity, ServerContext, SessionState};

/// Handles EHLO: resets the transaction and lists the extensions.
pub(super) fn ehlo(state: &mut SessionState, server: &ServerContext, client: &str) -> Reply {
    set_identity(state, client, true);
    let mut extensions: Vec<String> =
        ["PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", "CHUNKING"].map(str::to_owned).into();
    extensions.push(format!("SIZE {}", server.options.max_message_bytes));
    if server.options.tls.is_some() && !state.is_secure {
        extensions.push("STARTTLS".to_owned());
    }
    Reply::Extensions { hostname: server.options.hostname.clone(), client: client.to_owned(), extensions }
}

/// Handles HELO: resets the transaction, without extensions.
pub(super) fn helo(state: &mut SessionState, server: &ServerContext, client: &str) -> Reply {
    set_identity(state, client, false);
    Reply::Hello { hostname: server.options.hostname.clone(), client: client.to_owned() }
}

fn set_identity(state: &mut SessionState, client: &str, is_extended: bool) {
    state.transaction = None;
    state.identity = Some(ClientIdentity { client: client.to_owned(), is_extended });
}
