//! Address of the client of a request: that of its connection, or the one that trusted proxies forward.

use std::net::{IpAddr, Ipv4Addr};

use actix_web::http::header::{FORWARDED, HeaderName, X_FORWARDED_FOR};
use actix_web::{HttpRequest, web};
use inboxd_core::rules::networks::ClientNetwork;

use crate::state::State;

/// Returns the address of the client.
pub(crate) fn of(request: &HttpRequest) -> IpAddr {
    let peer = peer_of(request);
    match request.app_data::<web::Data<State>>() {
        Some(state) if state.trusted_proxies.contains(peer) => {
            state.trusted_proxies.client(peer, &values(request, X_FORWARDED_FOR), &values(request, FORWARDED))
        }
        _ => peer,
    }
}

/// Returns the network of the client.
pub(crate) fn network_of(request: &HttpRequest) -> IpAddr {
    ClientNetwork::of(of(request)).network
}

/// Returns the address of the connection, which may belong to a proxy. A connection without one is local.
pub(crate) fn peer_of(request: &HttpRequest) -> IpAddr {
    request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip().to_canonical())
}

/// Returns the values of a field in their order. A value that is not ASCII counts as a malformed entry.
fn values(request: &HttpRequest, name: HeaderName) -> Vec<&str> {
    request.headers().get_all(name).map(|value| value.to_str().unwrap_or_default()).collect()
}
