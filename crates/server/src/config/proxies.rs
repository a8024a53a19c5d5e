//! Networks of the proxies in front of the service.

use inboxd_core::rules::cidr::{Cidr, covers_internet};
use inboxd_core::rules::trusted_proxies::TrustedProxies;

use super::listeners::Listener;
use super::source::{Source, refused};
use crate::failure::Failure;

/// Reads `INBOXD_TRUSTED_PROXIES`.
pub(super) fn trusted_proxies(source: &Source) -> Result<TrustedProxies, Failure> {
    let networks: Vec<Cidr> = source.list("INBOXD_TRUSTED_PROXIES")?;
    if covers_internet(&networks) {
        return Err(refused("INBOXD_TRUSTED_PROXIES"));
    }
    Ok(TrustedProxies::new(networks))
}

/// Refuses listeners for proxies without a trusted proxy: nobody could connect.
pub(super) fn require_trusted(variable: &str, listeners: &[Listener], trusted: &TrustedProxies) -> Result<(), Failure> {
    if listeners.iter().any(|listener| listener.requires_proxy) && trusted.is_empty() {
        return Err(Failure::new(format!(
            "{variable} with ?proxy=required needs INBOXD_TRUSTED_PROXIES, the networks of the proxies, such as 10.0.0.0/8"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_of_everybody_are_refused() {
        let read = |text: &str| trusted_proxies(&Source::from([("INBOXD_TRUSTED_PROXIES", text)]));
        assert!(trusted_proxies(&Source::default()).is_ok_and(|proxies| proxies.is_empty()));
        assert!(read("10.0.0.0/8, ::1").is_ok_and(|proxies| !proxies.is_empty()));
        for text in ["0.0.0.0/0", "10.0.0.0/8,::/0", "0.0.0.0/1,128.0.0.0/1", "2000::/3", "proxy.example", "10.0.0.1/8"]
        {
            let line = read(text).err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(line.starts_with("INBOXD_TRUSTED_PROXIES must be"), "{text}: {line}");
        }
    }
}
