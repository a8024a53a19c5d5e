//! People and domains that a sender may imitate, prepared for comparisons.
//!
//! Few of several hundred resemble a sender. Sums of letters, computed once, leave out almost all others.

use std::collections::{BTreeMap, BTreeSet};

use super::confusables::{folded, letter_sum};
use super::domains::{base_domain, has_name_of, is_mail_provider, is_nearly, parts, resembles, unicode};
use super::evidence::{KnownPerson, ServiceIdentity, domain_of};
use super::reason::Resemblance;
use crate::model::PodId;
use crate::rules::names::is_reserved;

/// People and domains that a sender may imitate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownIdentities {
    service: ServiceIdentity,
    people: Vec<KnownPerson>,
    /// Sum of the letters of the name of each person.
    names: Vec<u64>,
    /// Registered domains without duplicates: those of the service and the organization first, then those of people.
    domains: Vec<ComparedDomain>,
}

impl KnownIdentities {
    /// Prepares the names and domains of people, and those of the service.
    #[must_use]
    pub fn new(service: ServiceIdentity, people: Vec<KnownPerson>) -> Self {
        let of_pod = |(domain, pod_id): &(String, PodId)| ComparedDomain {
            pods: BTreeSet::from([Some(*pod_id)]),
            ..ComparedDomain::of(domain.clone())
        };
        let mut domains: Vec<ComparedDomain> = service.domains.iter().cloned().map(ComparedDomain::of).collect();
        domains.extend(service.pod_domains.iter().map(of_pod));
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for (place, domain) in domains.iter().enumerate() {
            places.entry(domain.registered.clone()).or_insert(place);
        }
        let own = domains.len();
        for person in &people {
            // Pods share the registered domain, and not the hosts of their correspondents below it.
            let registered = domain_of(&person.address).map(|host| base_domain(&host).to_owned());
            let Some(domain) = registered.map(ComparedDomain::of) else { continue };
            let place = *places.entry(domain.registered.clone()).or_insert(domains.len());
            if place == domains.len() {
                domains.push(domain);
            }
            if let Some(domain) = domains.get_mut(place).filter(|known| place >= own || !known.pods.is_empty()) {
                domain.pods.insert(person.pod_id);
            }
        }
        let names = people.iter().map(|person| person.name.as_deref().map_or(0, sum_of_name)).collect();
        Self { service, people, names, domains }
    }

    pub(super) fn service(&self) -> &ServiceIdentity {
        &self.service
    }

    pub(super) fn people(&self) -> &[KnownPerson] {
        &self.people
    }

    /// Returns whether persons without relation have addresses at a domain: mail providers, and this service.
    pub(super) fn is_shared(&self, base: &str) -> bool {
        is_mail_provider(base) || self.service.shared.iter().any(|shared| base_domain(shared) == base)
    }

    /// Returns whether an address may have the name of the service: those of the organization, and of the service only
    /// those that nobody can choose.
    pub(super) fn speaks_for_service(&self, address: &str) -> bool {
        let Some((local, domain)) = address.rsplit_once('@') else { return false };
        let local = local.split('+').next().unwrap_or_default().to_lowercase();
        let base = base_domain(domain).to_lowercase();
        let is_shared = self.service.shared.iter().any(|shared| base_domain(shared) == base);
        self.is_own(&base) && (!is_shared || is_reserved(&local))
    }

    /// Returns whether a host belongs to the service or the organization.
    pub(super) fn is_own(&self, host: &str) -> bool {
        let base = base_domain(host);
        let of_pods = self.service.pod_domains.iter().map(|(domain, _)| domain);
        self.service.domains.iter().chain(of_pods).any(|own| base_domain(own) == base)
    }

    /// Returns the people whose names consist of letters that look like those of a name.
    pub(super) fn people_like(&self, name: &str) -> impl Iterator<Item = &KnownPerson> {
        let sum = sum_of_name(name);
        self.people.iter().zip(&self.names).filter(move |(_, known)| **known == sum).map(|(person, _)| person)
    }

    /// Returns the known domain that a domain resembles. A domain that is known itself resembles no other.
    pub(super) fn resembled(&self, domain: &str) -> Option<(&ComparedDomain, Resemblance)> {
        let compared = self.unknown(domain)?;
        let mut candidates = self.domains.iter().filter(|known| compared.may_resemble(known));
        candidates.find_map(|known| Some((known, resembles(domain, &known.host)?)))
    }

    /// Returns the known domain of the same name as a domain, if a person there has the name of the sender.
    pub(super) fn namesake(&self, domain: &str, has_name: impl Fn(&KnownPerson) -> bool) -> Option<&ComparedDomain> {
        let compared = self.unknown(domain)?;
        let is_there = |person: &KnownPerson, known: &ComparedDomain| {
            domain_of(&person.address).is_some_and(|host| unicode(&host) == known.registered)
        };
        self.domains.iter().find(|known| {
            has_name_of(&compared.registered, &known.registered)
                && !self.is_shared(&known.registered)
                && self.people.iter().any(|person| has_name(person) && is_there(person, known))
        })
    }

    /// Returns a domain for comparisons; `None` for a known one.
    fn unknown(&self, domain: &str) -> Option<ComparedDomain> {
        let compared = ComparedDomain::of(domain.to_owned());
        let is_known = self.domains.iter().any(|known| known.registered == compared.registered);
        (!is_known).then_some(compared)
    }
}

/// A domain in the form for comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ComparedDomain {
    pub(super) host: String,
    /// Pods that own the domain or correspond with addresses there; none for a domain of the service or the organization.
    pods: BTreeSet<Option<PodId>>,
    /// Registered domain with internationalized labels as letters.
    registered: String,
    /// Sum of the letters of the registered name.
    letters: u64,
}

impl ComparedDomain {
    fn of(host: String) -> Self {
        let registered = unicode(&host);
        let letters = letter_sum(parts(&registered).0.chars());
        Self { host, pods: BTreeSet::new(), registered, letters }
    }

    /// Returns whether an inbox of a pod may learn the domain.
    pub(super) fn is_known_to(&self, pod_id: Option<PodId>) -> bool {
        self.pods.is_empty() || self.pods.contains(&pod_id)
    }

    /// Returns false for domains that certainly do not resemble each other.
    fn may_resemble(&self, known: &Self) -> bool {
        self.letters == known.letters || is_nearly(&self.registered, &known.registered)
    }
}

fn sum_of_name(name: &str) -> u64 {
    letter_sum(folded(name).chars().filter(|c| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_leave_out_no_name_or_domain_that_looks_alike() {
        for (one, other) in [
            ("Anna Weber", "Weber, Аnnа"),
            ("modern art", "ART, M0DEM"),
            ("Wave Berg", "vvave berg"),
            ("ΝΙΚΟΣ", "νικος"),
            ("Æsa Lind", "aesa Iind"),
        ] {
            assert_eq!(sum_of_name(one), sum_of_name(other), "{one} {other}");
        }
        assert_ne!(sum_of_name("Anna Weber"), sum_of_name("Anna Leber"));
        let person = |address: &str| KnownPerson { address: address.to_owned(), ..KnownPerson::default() };
        for (domain, known) in [
            ("paypa1.com", "paypal.com"),
            ("раураl.com", "paypal.com"),
            ("mail.rnodular.net", "modular.com"),
            ("xn--mller-kva.example", "muller.example"),
            ("weber-bua.de", "weber-bau.de"),
            ("weberbaus.de", "weberbau.de"),
            ("webrbau.de", "weberbau.de"),
            ("gmial.com", "gmail.com"),
            ("mülleru.example", "mülleré.example"),
        ] {
            let people = vec![person("a@other.example"), person(&format!("a@{known}"))];
            let known_domains = KnownIdentities::new(ServiceIdentity::default(), people);
            let found = known_domains.resembled(domain).map(|(known, _)| known.host.as_str());
            assert_eq!(found, resembles(domain, known).map(|_| known), "{domain}");
            assert_eq!(found, Some(known));
        }
    }
}
