//! Inbox domains: only verified ones, and subdomains only when enabled.

use inboxd_core::model::{DomainId, DomainName, DomainStatus, PodId, Reach};
use inboxd_core::rules::domains::minting::{HeldDomain, Holder, Minting, decide};
use inboxd_core::testing::fixtures::id;

fn name(text: &str) -> DomainName {
    DomainName::stored(text.to_owned())
}

fn own(text: &str, status: DomainStatus, subdomains_enabled: bool) -> HeldDomain {
    let serves_name = status == DomainStatus::Verified;
    let holder = Holder::Own { domain_id: id::<DomainId>(1), pod_id: None, status, serves_name, subdomains_enabled };
    HeldDomain { name: name(text), holder }
}

/// A domain with valid records of its own and a pending record of its subdomains.
fn waiting(text: &str) -> HeldDomain {
    let (status, serves_name, subdomains_enabled) = (DomainStatus::Pending, true, true);
    let holder = Holder::Own { domain_id: id::<DomainId>(1), pod_id: None, status, serves_name, subdomains_enabled };
    HeldDomain { name: name(text), holder }
}

fn of_pod(held: HeldDomain, pod: u128) -> HeldDomain {
    match held.holder {
        Holder::Own { domain_id, status, serves_name, subdomains_enabled, .. } => HeldDomain {
            holder: Holder::Own { domain_id, pod_id: Some(id::<PodId>(pod)), status, serves_name, subdomains_enabled },
            ..held
        },
        Holder::Other => held,
    }
}

fn other(text: &str) -> HeldDomain {
    HeldDomain { name: name(text), holder: Holder::Other }
}

#[test]
fn inbox_domain_policy_by_domain_status_and_holder() {
    use DomainStatus::{Pending, Verified};
    let (apex, below) = ("example.org", "a.b.example.org");
    let unverified = Minting::NotVerified(Some(id(1)));
    for (wanted, held, expected) in [
        (apex, vec![], Minting::NotVerified(None)),
        (apex, vec![own(apex, Verified, false)], Minting::Allowed),
        (apex, vec![own(apex, Pending, false)], unverified),
        (apex, vec![own(apex, Pending, false), other(apex)], unverified),
        (apex, vec![other(apex)], Minting::NotVerified(None)),
        (apex, vec![waiting(apex)], Minting::Allowed),
        (below, vec![waiting(apex)], unverified),
        (apex, vec![other(apex), waiting(apex)], Minting::NotVerified(None)),
        (below, vec![own(apex, Verified, true)], Minting::Allowed),
        (below, vec![own(apex, Verified, false)], Minting::NotVerified(None)),
        (below, vec![own(apex, Pending, true)], unverified),
        (below, vec![own(apex, Verified, true), own(below, Pending, false)], Minting::Allowed),
        (below, vec![own(apex, Verified, true), other("b.example.org")], Minting::NotVerified(None)),
        (below, vec![own(apex, Verified, true), other(below)], Minting::NotVerified(None)),
        (below, vec![own(below, Verified, false), other(apex)], Minting::Allowed),
    ] {
        assert_eq!(decide(&name(wanted), &Reach::Organization, &held), expected, "{wanted} {held:?}");
    }
}

#[test]
fn pod_key_uses_domains_of_pod_and_organization() {
    let verified = || own("example.org", DomainStatus::Verified, false);
    let pod = Reach::Pod(id(7));
    for (held, expected) in [
        (verified(), Minting::Allowed),
        (of_pod(verified(), 7), Minting::Allowed),
        (of_pod(verified(), 8), Minting::NotVerified(None)),
    ] {
        assert_eq!(decide(&name("example.org"), &pod, &[held]), expected);
    }
    let held = [of_pod(verified(), 8)];
    assert_eq!(decide(&name("example.org"), &Reach::Organization, &held), Minting::Allowed);
}
