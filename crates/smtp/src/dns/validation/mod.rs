//! Interpretation of validated responses: records of the queried name, and proofs of absence.
//!
//! The validator proves each record for its own name. An attacker can add proven records of other names and zones, so
//! this module selects those that belong to the query.

#[cfg(test)]
mod tests;

use hickory_resolver::proto::dnssec::Proof;
use hickory_resolver::proto::dnssec::rdata::DNSSECRData;
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};

use super::MAX_RECORDS;
use super::dnssec::Validated;

/// Number of aliases that are followed from a name.
pub(super) const MAX_ALIASES: usize = 8;

/// Converts the records of a type at the end of all aliases of a name. Only the aliases on that path and these records
/// count; records of the same type at another name make the response invalid.
pub(super) fn validated_records<T>(
    answers: &[Record],
    authorities: &[Record],
    (name, kind): (&Name, RecordType),
    read: impl Fn(&RData) -> Option<T>,
) -> Validated<T> {
    let (mut path, owner) = aliases(answers, name);
    let is_alias_secure = path.first().is_some_and(|alias| alias.proof == Proof::Secure);
    let found: Vec<&Record> = answers.iter().filter(|record| record.record_type() == kind).collect();
    if found.iter().any(|record| record.name != *owner) {
        return Validated::Failed("the response holds records of another name".to_owned());
    }
    path.extend_from_slice(&found);
    if path.iter().any(|record| record.proof == Proof::Bogus) {
        return Validated::Failed("its DNSSEC signatures are missing or not valid".to_owned());
    }
    let is_secure = path.iter().all(|record| record.proof == Proof::Secure);
    if is_secure && !has_own_authorities(authorities, &path) {
        return Validated::Failed("the response mixes records of other zones".to_owned());
    }
    let records: Vec<T> = found.iter().filter_map(|record| read(&record.data)).take(MAX_RECORDS).collect();
    if records.is_empty() {
        return Validated::Failed("the response holds no record of the requested type".to_owned());
    }
    let owner = owner.to_ascii().trim_end_matches('.').to_ascii_lowercase();
    Validated::Found { records, is_secure, is_alias_secure, owner }
}

/// Returns whether a signed proof in the authority section covers the absence at this name: the section holds the signed
/// SOA record of an enclosing zone, and that zone signs all NSEC and NSEC3 records. The validator has checked that these
/// records deny the name.
pub(super) fn proves_absence(authorities: &[Record], name: &Name) -> bool {
    let is_own_soa = |record: &&Record| {
        record.record_type() == RecordType::SOA && record.proof == Proof::Secure && record.name.zone_of(name)
    };
    let Some(soa) = authorities.iter().find(is_own_soa) else { return false };
    let signers: Vec<Option<&Name>> = denial_signers(authorities).collect();
    !signers.is_empty() && signers.iter().all(|signer| *signer == Some(&soa.name))
}

/// Returns the aliases from a name in their order, and the name at their end.
pub(super) fn aliases<'a>(answers: &'a [Record], name: &'a Name) -> (Vec<&'a Record>, &'a Name) {
    let mut path = Vec::new();
    let mut owner = name;
    while path.len() < MAX_ALIASES {
        let target = |record: &'a Record| match &record.data {
            RData::CNAME(target) if record.name == *owner => Some((record, &target.0)),
            _ => None,
        };
        let Some((alias, target)) = answers.iter().find_map(target) else { break };
        path.push(alias);
        owner = target;
    }
    (path, owner)
}

/// Returns whether the authority section of signed records can prove that they expand no wildcard wrongly: zones of
/// names on the path sign its proofs. A section of foreign unsigned records hides that the proof is missing.
fn has_own_authorities(authorities: &[Record], path: &[&Record]) -> bool {
    if !authorities.is_empty() && authorities.iter().all(|record| record.proof == Proof::Insecure) {
        return false;
    }
    denial_signers(authorities)
        .all(|signer| signer.is_some_and(|signer| path.iter().any(|record| signer.zone_of(&record.name))))
}

/// Returns the zone that signs each NSEC and NSEC3 record; `None` for one without a valid signature.
fn denial_signers(authorities: &[Record]) -> impl Iterator<Item = Option<&Name>> {
    let denials =
        authorities.iter().filter(|record| matches!(record.record_type(), RecordType::NSEC | RecordType::NSEC3));
    denials.map(move |denial| {
        authorities.iter().find_map(|record| match &record.data {
            RData::DNSSEC(DNSSECRData::RRSIG(signature))
                if record.proof == Proof::Secure
                    && record.name == denial.name
                    && signature.input().type_covered == denial.record_type() =>
            {
                Some(&signature.input().signer_name)
            }
            _ => None,
        })
    })
}
