//! People and domains that a sender may imitate, prepared for comparisons.
//!
//! Few of several hundred resemble a sender. Sums of letters, computed once, leave out almost all others.

use std::collections::BTreeSet;

use super::confusables::letter_sum;
use super::domains::{base_domain, is_nearly, parts, resembles, unicode};
use super::evidence::{KnownPerson, ServiceIdentity, domain_of};
use super::reason::Resemblance;

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
        let own = service.domains.iter().cloned();
        let hosts = own.chain(people.iter().filter_map(|person| domain_of(&person.address)));
        let mut seen = BTreeSet::new();
        let domains = hosts.map(ComparedDomain::of).filter(|domain| seen.insert(domain.registered.clone())).collect();
        let names = people.iter().map(|person| person.name.as_deref().map_or(0, sum_of_name)).collect();
        Self { service, people, names, domains }
    }

    pub(super) fn service(&self) -> &ServiceIdentity {
        &self.service
    }

    pub(super) fn people(&self) -> &[KnownPerson] {
        &self.people
    }

    /// Returns whether a host belongs to the service or the organization.
    pub(super) fn is_own(&self, host: &str) -> bool {
        let base = base_domain(host);
        self.service.domains.iter().any(|own| base_domain(own) == base)
    }

    /// Returns the people whose names consist of letters that look like those of a name.
    pub(super) fn people_like(&self, name: &str) -> impl Iterator<Item = &KnownPerson> {
        let sum = sum_of_name(name);
        self.people.iter().zip(&self.names).filter(move |(_, known)| **known == sum).map(|(person, _)| person)
    }

    /// Returns the known domain that a domain resembles. A domain that is known itself resembles no other.
    pub(super) fn resembled(&self, domain: &str) -> Option<(&str, Resemblance)> {
        let compared = ComparedDomain::of(domain.to_owned());
        if self.domains.iter().any(|known| known.registered == compared.registered) {
            return None;
        }
        let mut candidates = self.domains.iter().filter(|known| compared.may_resemble(known));
        candidates.find_map(|known| Some((known.host.as_str(), resembles(domain, &known.host)?)))
    }
}

/// A domain in the form for comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ComparedDomain {
    host: String,
    /// Registered domain with internationalized labels as letters.
    registered: String,
    /// Sum of the letters of the registered name.
    letters: u64,
}

impl ComparedDomain {
    fn of(host: String) -> Self {
        let registered = unicode(&host);
        let letters = letter_sum(parts(&registered).0.chars());
        Self { host, registered, letters }
    }

    /// Returns false for domains that certainly do not resemble each other.
    fn may_resemble(&self, known: &Self) -> bool {
        self.letters == known.letters || is_nearly(&self.registered, &known.registered)
    }
}

fn sum_of_name(name: &str) -> u64 {
    letter_sum(name.chars().filter(|c| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::super::evidence::Relation;
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
        let person =
            |address: &str| KnownPerson { name: None, address: address.to_owned(), relation: Relation::Member };
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
            let found = known_domains.resembled(domain).map(|(host, _)| host);
            assert_eq!(found, resembles(domain, known).map(|_| known), "{domain}");
            assert_eq!(found, Some(known));
        }
    }
}
