//! What agents do: keys, connections of chat clients, events.

mod api_key;
mod api_keys;
mod connection;
mod connections;
mod events;
mod stream;

use super::Routes;
use super::respond::{get, post};

/// Paths with their methods.
pub(super) fn routes() -> Routes {
    vec![
        ("/console/api-keys", vec![get(api_keys::show), post(api_keys::create)]),
        ("/console/api-keys/{api_key_id}", vec![get(api_key::show), post(api_key::change)]),
        ("/console/api-keys/{api_key_id}/revoke", vec![post(api_keys::revoke)]),
        ("/console/connections", vec![get(connections::show)]),
        ("/console/connections/{connection_id}", vec![get(connection::show), post(connection::change)]),
        ("/console/connections/{connection_id}/revoke", vec![post(connection::revoke)]),
        ("/console/events", vec![get(events::show)]),
        ("/console/events/stream", vec![get(stream::follow)]),
    ]
}
