//! Transport of outgoing mail.

use std::sync::Arc;

use async_trait::async_trait;
use inboxd_core::app::App;
use inboxd_core::ports::{Fetched, Transport};
use inboxd_outbound::{AddressGuard, GuardedFetcher};
use inboxd_postgres::PgStore;
use inboxd_smtp::direct::{DirectOptions, DirectTransport, StsPolicyFetch, StsPolicySources};
use inboxd_smtp::dns::{DnsResolver, TrustAnchorSet, ValidatingResolver};
use inboxd_smtp::relay::{RelayOptions, RelayTransport};

use crate::capture::Capture;
use crate::config::{Config, Delivery, Role};
use crate::failure::{ErrorContext, Failure};
use crate::services::authorities;

/// Maximum bytes of an MTA-STS policy (RFC 8461, section 3.3).
const MAX_POLICY_BYTES: usize = 64 * 1024;

/// Creates the configured transport.
pub(crate) fn transport(config: &Config, app: &App, store: Arc<PgStore>) -> Result<Arc<dyn Transport>, Failure> {
    match &config.delivery {
        Delivery::Capture => Ok(Arc::new(Capture {
            store: Arc::clone(&app.store),
            vault: Arc::clone(&app.vault),
            clock: Arc::clone(&app.clock),
            shows_codes: config.http.iter().all(|listener| listener.address.ip().is_loopback()),
        })),
        Delivery::Relay(url) => {
            let options = RelayOptions::new(url.clone(), config.domain.clone());
            Ok(Arc::new(RelayTransport::new(options).context("INBOXD_RELAY_URL")?))
        }
        Delivery::Direct { port } => Ok(Arc::new(direct(config, *port, app, store)?)),
    }
}

fn direct(config: &Config, port: u16, app: &App, store: Arc<PgStore>) -> Result<DirectTransport, Failure> {
    let guard = AddressGuard::allowing(config.outbound_allow_cidrs.clone());
    let reach = guard.clone();
    let mut options = DirectOptions::new(config.domain.clone(), Arc::new(move |address| reach.permits(address)));
    options.port = port;
    options.tls_policy = config.outgoing_tls.policy.clone();
    if config.roles.contains(&Role::Smtp) {
        options.own_addresses = config.smtp.iter().map(|listener| listener.address).collect();
    }
    let fetcher = GuardedFetcher::new(guard, &authorities(config)?).context("TLS cannot be set up")?;
    let fetcher = fetcher.without_redirects().requiring_200();
    let resolver = DnsResolver::caching(config.dns_addr).context("INBOXD_DNS_ADDR")?;
    let policies = StsPolicySources { fetch: Arc::new(Policies(fetcher)), store, clock: Arc::clone(&app.clock) };
    let transport = DirectTransport::new(options, Arc::new(resolver), policies).context("INBOXD_DOMAIN")?;
    Ok(match validating_resolver(config)? {
        Some(resolver) => transport.with_dane(resolver),
        None => transport,
    })
}

/// Creates the resolver of TLSA records; `None` with `INBOXD_DANE=off`.
pub(crate) fn validating_resolver(config: &Config) -> Result<Option<ValidatingResolver>, Failure> {
    const FILE: &str = "INBOXD_DNSSEC_TRUST_ANCHOR";
    if !config.outgoing_tls.uses_dane {
        return Ok(None);
    }
    let anchors = match &config.outgoing_tls.trust_anchor {
        Some(path) => {
            let file = format!("{FILE}: {}", path.display());
            std::fs::read_to_string(path).context(&file)?.parse::<TrustAnchorSet>().context(&file)?
        }
        None => TrustAnchorSet::default(),
    };
    ValidatingResolver::new(config.dns_addr, &anchors).context("INBOXD_DNS_ADDR").map(Some)
}

/// Reader of MTA-STS policies.
struct Policies(GuardedFetcher);

#[async_trait]
impl StsPolicyFetch for Policies {
    async fn fetch(&self, url: &str) -> Result<String, String> {
        let fetched = self.0.get(url, MAX_POLICY_BYTES).await.map_err(|error| error.to_string())?;
        policy_text(fetched)
    }
}

/// Returns the text of a policy, which has the type `text/plain` (RFC 8461, section 3.2). A page that a host serves for
/// every name is no policy.
fn policy_text(fetched: Fetched) -> Result<String, String> {
    let kind = fetched.content_type.unwrap_or_default();
    if kind.split(';').next() != Some("text/plain") {
        return Err(format!("its media type is {kind:?}, not text/plain"));
    }
    String::from_utf8(fetched.content).map_err(|_| "it is not UTF-8 text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_plain_text() {
        let read = |kind: Option<&str>, content: &[u8]| {
            policy_text(Fetched {
                content: content.to_vec(),
                content_type: kind.map(str::to_owned),
                cache_control: None,
            })
        };
        for kind in ["text/plain", "text/plain; charset=utf-8"] {
            assert_eq!(read(Some(kind), b"version: STSv1").as_deref(), Ok("version: STSv1"), "{kind}");
        }
        for kind in [None, Some("text/html"), Some("text/plainer"), Some("application/octet-stream")] {
            assert!(read(kind, b"version: STSv1").is_err(), "{kind:?}");
        }
        assert!(read(Some("text/plain"), b"\xff").is_err());
    }
}
