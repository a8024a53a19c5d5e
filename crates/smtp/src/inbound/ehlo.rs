//! EHLO and HELO (RFC 5321 section 4.1.1.1).

use super::reply::Reply;
use super::state::{Hall, Hello, State};

/// EHLO: whatever was begun is forgotten, and the extensions are named.
pub(super) fn ehlo(state: &mut State, hall: &Hall, client: &str) -> Reply {
    introduce(state, client, true);
    let mut extensions: Vec<String> =
        ["PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", "CHUNKING"].map(str::to_owned).into();
    extensions.push(format!("SIZE {}", hall.options.max_message_bytes));
    if hall.options.tls.is_some() && !state.secure {
        extensions.push("STARTTLS".to_owned());
    }
    Reply::Extensions { hostname: hall.options.hostname.clone(), client: client.to_owned(), extensions }
}

/// HELO: the same without extensions.
pub(super) fn helo(state: &mut State, hall: &Hall, client: &str) -> Reply {
    introduce(state, client, false);
    Reply::Hello { hostname: hall.options.hostname.clone(), client: client.to_owned() }
}

fn introduce(state: &mut State, client: &str, extended: bool) {
    state.transaction = None;
    state.hello = Some(Hello { client: client.to_owned(), extended });
}
