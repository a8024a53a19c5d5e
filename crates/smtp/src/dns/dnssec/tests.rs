//! Validation through several servers, and probes.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::time::Instant;

use inboxd_testkit::{ForgingDns, SignedDns};
use tokio::net::UdpSocket;

use super::*;

async fn zones() -> (SignedDns, TrustAnchorSet) {
    let records = "@ MX 10 mx\nmx A 127.0.0.1\nname CNAME mx\n";
    let zones = SignedDns::start(records, records, "").await;
    let anchors = std::fs::read_to_string(zones.trust_anchor_file()).unwrap().parse().unwrap();
    (zones, anchors)
}

/// Returns a resolver that queries these servers in their order.
fn resolver_at(addresses: &[SocketAddr], anchors: &TrustAnchorSet) -> ValidatingResolver {
    let name_servers = addresses.iter().flat_map(|address| servers(Some(*address)).into_parts().2).collect();
    ValidatingResolver::with_servers(name_servers, anchors).unwrap()
}

fn is_found<T>(result: &Validated<T>, is_signed: bool) -> bool {
    matches!(result, Validated::Found { is_secure, .. } if *is_secure == is_signed)
}

#[tokio::test]
async fn one_server_with_dnssec_is_enough() {
    let (zones, anchors) = zones().await;
    let stripping = ForgingDns::stripping(zones.address()).await;
    let both = [stripping.address(), zones.address()];
    // Also without a probe, the second server decides after the failure of the first.
    for is_probed in [true, false] {
        let resolver = resolver_at(&both, &anchors);
        if is_probed {
            assert_eq!(resolver.probe().await, Ok(()));
        }
        for (name, is_signed) in [("signed.example", true), ("unsigned.example", false)] {
            let found = resolver.mx(name).await;
            assert!(is_found(&found, is_signed), "{name}: {found:?}");
        }
    }
    let reason = resolver_at(&both[..1], &anchors).probe().await.unwrap_err();
    assert!(reason.starts_with("the keys of the root zone: "), "{reason}");
}

#[tokio::test]
async fn silent_server_is_queried_last() {
    let (zones, anchors) = zones().await;
    let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let resolver = resolver_at(&[silent.local_addr().unwrap(), zones.address()], &anchors);
    assert_eq!(resolver.probe().await, Ok(()));
    let start = Instant::now();
    let found = resolver.mx("signed.example").await;
    assert!(is_found(&found, true), "{found:?}");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[tokio::test]
async fn probe_ignores_cached_responses() {
    let (zones, anchors) = zones().await;
    let is_broken = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_broken);
    let proxy = ForgingDns::start(zones.address(), move |response| {
        if flag.load(Ordering::Relaxed) {
            response.answers.clear();
            response.authorities.clear();
        }
    })
    .await;
    let resolver = resolver_at(&[proxy.address()], &anchors);
    assert_eq!(resolver.probe().await, Ok(()));
    is_broken.store(true, Ordering::Relaxed);
    assert!(resolver.probe().await.is_err());
}

#[tokio::test]
async fn response_is_cached_for_five_minutes_at_most() {
    let (zones, anchors) = zones().await;
    let proxy = ForgingDns::start(zones.address(), |response| {
        if response.queries.iter().any(|query| query.query_type() == RecordType::MX) {
            for record in &mut response.answers {
                record.ttl = 86_400;
            }
        }
    })
    .await;
    let resolver = resolver_at(&[proxy.address()], &anchors);
    let name = absolute_name("unsigned.example").unwrap();
    let found = resolver.servers[0].lookup(name, RecordType::MX).await.unwrap();
    assert_eq!(found.answers().iter().map(|record| record.ttl).collect::<Vec<_>>(), [300]);
}

#[tokio::test]
async fn alias_of_cached_target_is_followed() {
    let (zones, anchors) = zones().await;
    // Each response holds the alias alone, so the target is looked up, and cached, by itself.
    let proxy = ForgingDns::start(zones.address(), |response| {
        let Some(queried) = response.queries.first().map(|query| query.name().clone()) else { return };
        response.answers.retain(|record| record.name == queried);
    })
    .await;
    let resolver = resolver_at(&[proxy.address()], &anchors);
    for (zone, is_signed) in [("signed.example", true), ("unsigned.example", false)] {
        for host in ["mx", "name"] {
            let found = resolver.addresses(&format!("{host}.{zone}")).await;
            let Validated::Found { records, is_secure, is_alias_secure, owner } = found else {
                panic!("{host}.{zone}: {found:?}")
            };
            assert_eq!((records.len(), owner), (1, format!("mx.{zone}")), "{host}");
            assert_eq!((is_secure, is_alias_secure), (is_signed, is_signed && host == "name"), "{host}.{zone}");
        }
    }
}
