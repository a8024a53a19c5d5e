//! Addresses of the listeners of the API, of redirects and of SMTP, with their options.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::source::{Source, refused};
use crate::failure::Failure;

/// Listener of the API, of redirects or of SMTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listener {
    /// Address and port.
    pub(crate) address: SocketAddr,
    /// Whether connections of the API begin with TLS, and whether SMTP refuses mail before STARTTLS.
    pub(crate) requires_tls: bool,
    /// Whether each connection begins with a PROXY protocol header.
    pub(crate) requires_proxy: bool,
}

/// Returns the address at which this machine reaches a listener: clients cannot connect to the unspecified address.
pub(crate) fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// Reads `INBOXD_HTTP_ADDR`, such as `127.0.0.1:8080,0.0.0.0:443?tls=on`.
pub(super) fn http(source: &Source) -> Result<Vec<Listener>, Failure> {
    listeners(source, "INBOXD_HTTP_ADDR", ["off", "on"])
}

/// Reads `INBOXD_SMTP_ADDR`, such as `0.0.0.0:25?tls=required&proxy=required`.
pub(super) fn smtp(source: &Source) -> Result<Vec<Listener>, Failure> {
    listeners(source, "INBOXD_SMTP_ADDR", ["optional", "required"])
}

/// Reads `INBOXD_HTTP_REDIRECT_ADDR`, such as `0.0.0.0:80?proxy=required`; `None` without a redirect.
pub(super) fn redirect(source: &Source) -> Result<Option<Listener>, Failure> {
    let read = |text: String| listener(text.trim(), ["off", "on"]).filter(|one| !one.requires_tls);
    let text = source.get("INBOXD_HTTP_REDIRECT_ADDR");
    text.map(|text| read(text).ok_or_else(|| refused("INBOXD_HTTP_REDIRECT_ADDR"))).transpose()
}

/// Reads addresses separated by commas. `tls` has the values of the option `tls`, the default first.
fn listeners(source: &Source, name: &str, tls: [&str; 2]) -> Result<Vec<Listener>, Failure> {
    let text = source.text(name);
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let all: Option<Vec<_>> = items.map(|item| listener(item, tls)).collect();
    all.filter(|all| !all.is_empty()).ok_or_else(|| refused(name))
}

/// Parses an address; `None` if an option is unknown, repeated or has an unknown value.
fn listener(text: &str, tls_values: [&str; 2]) -> Option<Listener> {
    let (address, options) = text.split_once('?').unwrap_or((text, ""));
    let (mut requires_tls, mut requires_proxy) = (None, None);
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=')?;
        let (target, values) = match name {
            "tls" => (&mut requires_tls, tls_values),
            "proxy" => (&mut requires_proxy, ["off", "required"]),
            _ => return None,
        };
        let is_required = values.iter().position(|known| *known == value)? == 1;
        if target.replace(is_required).is_some() {
            return None;
        }
    }
    Some(Listener {
        address: address.trim().parse().ok()?,
        requires_tls: requires_tls.unwrap_or(false),
        requires_proxy: requires_proxy.unwrap_or(false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_address_combine_in_any_order() {
        let address = SocketAddr::from(([127, 0, 0, 1], 25));
        for (text, requires_tls, requires_proxy) in [
            ("127.0.0.1:25", false, false),
            ("127.0.0.1:25?", false, false),
            ("127.0.0.1:25?proxy=off&tls=off", false, false),
            ("127.0.0.1:25?proxy=required", false, true),
            ("127.0.0.1:25?tls=on&proxy=required", true, true),
            ("127.0.0.1:25?proxy=required&tls=on", true, true),
        ] {
            assert_eq!(
                listener(text, ["off", "on"]),
                Some(Listener { address, requires_tls, requires_proxy }),
                "{text}"
            );
        }
        for options in ["proxy", "proxy=v1", "tls=on&tls=on", "tls=required", "x=1"] {
            assert_eq!(listener(&format!("127.0.0.1:25?{options}"), ["off", "on"]), None, "{options}");
        }
        assert_eq!(listener("25", ["off", "on"]), None);
    }
}
