//! Inbox domains: only verified ones, and subdomains only when enabled.

use inboxd_core::model::{DomainId, DomainName, DomainStatus, PodId, Reach};
use inboxd_core::rules::domains::inbox_domain_policy::{DomainHolder, HeldDomain, InboxDomainPolicy, decide};
use inboxd_core::testing::fixtures::id;

fn name(text: &str) -> DomainName {
    DomainName::stored(text.to_owned())
}

fn own(text: &str, status: DomainStatus, subdomains_enabled: bool) -> HeldDomain {
    let serves_name = status == DomainStatus::Verified;
    let holder =
        DomainHolder::Own { domain_id: id::<DomainId>(1), pod_id: None, status, serves_name, subdomains_enabled };
    HeldDomain { name: name(text), holder }
}

/// A domain with valid records of its own and a pending record of its subdomains.
fn waiting(text: &str) -> HeldDomain {
    let (status, serves_name, subdomains_enabled) = (DomainStatus::Pending, true, true);
    let holder =
        DomainHolder::Own { domain_id: id::<DomainId>(1), pod_id: None, status, serves_name, subdomains_enabled };
    HeldDomain { name: name(text), holder }
}

fn of_pod(held: HeldDomain, pod: u128) -> HeldDomain {
    match held.holder {
        DomainHolder::Own { domain_id, status, serves_name, subdomains_enabled, .. } => HeldDomain {
            holder: DomainHolder::Own {
                domain_id,
                pod_id: Some(id::<PodId>(pod)),
                status,
                serves_name,
                subdomains_enabled,
            },
            ..held
        },
        DomainHolder::Other => held,
    }
}

fn other(text: &str) -> HeldDomain {
    HeldDomain { name: name(text), holder: DomainHolder::Other }
}

#[test]
fn inbox_domain_policy_by_domain_status_and_holder() {
    use DomainStatus::{Pending, Verified};
    let (apex, below) = ("example.org", "a.b.example.org");
    let unverified = InboxDomainPolicy::NotVerified(Some(id(1)));
    for (wanted, held, expected) in [
        (apex, vec![], InboxDomainPolicy::NotVerified(None)),
        (apex, vec![own(apex, Verified, false)], InboxDomainPolicy::Allowed),
        (apex, vec![own(apex, Pending, false)], unverified),
        (apex, vec![own(apex, Pending, false), other(apex)], unverified),
        (apex, vec![other(apex)], InboxDomainPolicy::NotVerified(None)),
        (apex, vec![waiting(apex)], InboxDomainPolicy::Allowed),
        (below, vec![waiting(apex)], unverified),
        (apex, vec![other(apex), waiting(apex)], InboxDomainPolicy::NotVerified(None)),
        (below, vec![own(apex, Verified, true)], InboxDomainPolicy::Allowed),
        (below, vec![own(apex, Verified, false)], InboxDomainPolicy::NotVerified(None)),
        (below, vec![own(apex, Pending, true)], unverified),
        (below, vec![own(apex, Verified, true), own(below, Pending, false)], InboxDomainPolicy::Allowed),
        (below, vec![own(apex, Verified, true), other("b.example.org")], InboxDomainPolicy::NotVerified(None)),
        (below, vec![own(apex, Verified, true), other(below)], InboxDomainPolicy::NotVerified(None)),
        (below, vec![own(below, Verified, false), other(apex)], InboxDomainPolicy::Allowed),
    ] {
        assert_eq!(decide(&name(wanted), &Reach::Organization, &held), expected, "{wanted} {held:?}");
    }
}

#[test]
fn pod_key_uses_domains_of_pod_and_organization() {
    let verified = || own("example.org", DomainStatus::Verified, false);
    let pod = Reach::Pod(id(7));
    for (held, expected) in [
        (verified(), InboxDomainPolicy::Allowed),
        (of_pod(verified(), 7), InboxDomainPolicy::Allowed),
        (of_pod(verified(), 8), InboxDomainPolicy::NotVerified(None)),
    ] {
        assert_eq!(decide(&name("example.org"), &pod, &[held]), expected);
    }
    let held = [of_pod(verified(), 8)];
    assert_eq!(decide(&name("example.org"), &Reach::Organization, &held), InboxDomainPolicy::Allowed);
}
