#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use hickory_resolver::proto::dnssec::Algorithm;
use hickory_resolver::proto::dnssec::rdata::{NSEC, RRSIG, SigInput};
use hickory_resolver::proto::rr::SerialNumber;
use hickory_resolver::proto::rr::rdata::{A, CNAME, SOA};

use super::*;

fn name(text: &str) -> Name {
    Name::from_ascii(text).unwrap()
}

fn record(owner: &str, data: RData, proof: Proof) -> Record {
    let mut record = Record::from_rdata(name(owner), 60, data);
    record.proof = proof;
    record
}

fn address(owner: &str, proof: Proof) -> Record {
    record(owner, RData::A(A::new(127, 0, 0, 1)), proof)
}

fn alias(owner: &str, target: &str, proof: Proof) -> Record {
    record(owner, RData::CNAME(CNAME(name(target))), proof)
}

fn soa(zone: &str, proof: Proof) -> Record {
    let soa = SOA::new(name("ns.example."), name("hostmaster.example."), 1, 3600, 600, 86400, 60);
    record(zone, RData::SOA(soa), proof)
}

/// Returns an NSEC record with the signature of a zone.
fn denial(owner: &str, signer: &str) -> [Record; 2] {
    let input = SigInput {
        type_covered: RecordType::NSEC,
        algorithm: Algorithm::ECDSAP256SHA256,
        num_labels: 2,
        original_ttl: 60,
        sig_expiration: SerialNumber::new(1),
        sig_inception: SerialNumber::new(0),
        key_tag: 1,
        signer_name: name(signer),
    };
    let nsec = DNSSECRData::NSEC(NSEC::new(name("zz.example."), [RecordType::A]));
    let signature = DNSSECRData::RRSIG(RRSIG::from_sig(input, Vec::new()));
    [nsec, signature].map(|data| record(owner, RData::DNSSEC(data), Proof::Secure))
}

/// Returns the security and the owner of the A records of `mx.a.example`, or the reason of the failure.
fn result(answers: &[Record], authorities: &[Record]) -> String {
    let queried = name("mx.a.example.");
    match validated_records(answers, authorities, (&queried, RecordType::A), |_| Some(())) {
        Validated::Found { records, is_secure, is_alias_secure, owner } => {
            format!("{} of {owner}, secure {is_secure}, alias {is_alias_secure}", records.len())
        }
        Validated::Failed(why) => why,
        other => format!("{other:?}"),
    }
}

#[test]
fn only_records_at_the_end_of_aliases_count() {
    use Proof::{Bogus, Insecure, Secure};
    let other_name = "the response holds records of another name";
    let table: [(&[Record], &str); 11] = [
        (&[address("mx.a.example.", Secure)], "1 of mx.a.example, secure true, alias false"),
        (&[address("MX.A.example.", Insecure)], "1 of mx.a.example, secure false, alias false"),
        (&[address("mx.a.example.", Secure), address("mx.b.example.", Insecure)], other_name),
        (&[address("mx.a.example.", Secure), address("mx.b.example.", Secure)], other_name),
        (&[address("mx.b.example.", Secure)], other_name),
        (
            &[alias("mx.a.example.", "x.b.example.", Secure), address("x.b.example.", Secure)],
            "1 of x.b.example, secure true, alias true",
        ),
        (
            &[alias("mx.a.example.", "x.b.example.", Secure), address("x.b.example.", Insecure)],
            "1 of x.b.example, secure false, alias true",
        ),
        (
            &[alias("mx.a.example.", "x.b.example.", Insecure), address("x.b.example.", Secure)],
            "1 of x.b.example, secure false, alias false",
        ),
        // Aliases of other names do not count.
        (
            &[alias("mx.c.example.", "x.b.example.", Insecure), address("mx.a.example.", Secure)],
            "1 of mx.a.example, secure true, alias false",
        ),
        (&[address("mx.a.example.", Bogus)], "its DNSSEC signatures are missing or not valid"),
        (&[alias("mx.a.example.", "mx.a.example.", Secure)], "the response holds no record of the requested type"),
    ];
    for (answers, expected) in table {
        assert_eq!(result(answers, &[]), expected, "{answers:?}");
    }
}

#[test]
fn foreign_proof_beside_signed_records_is_refused() {
    let answers = [address("mx.a.example.", Proof::Secure)];
    let (own, parent, foreign) =
        (denial("m.a.example.", "a.example."), denial("a.example.", "example."), denial("m.b.example.", "b.example."));
    let found = "1 of mx.a.example, secure true, alias false";
    assert_eq!(result(&answers, &own), found);
    assert_eq!(result(&answers, &parent), found);
    let mixed = "the response mixes records of other zones";
    assert_eq!(result(&answers, &foreign), mixed);
    assert_eq!(result(&answers, &own[..1]), mixed, "without a signature");
    assert_eq!(result(&answers, &[soa("c.example.", Proof::Insecure)]), mixed);
}

fn authorities(first: &[Record], second: &[Record]) -> Vec<Record> {
    [first, second].concat()
}

#[test]
fn absence_needs_soa_and_proof_of_enclosing_zone() {
    let zone = || soa("a.example.", Proof::Secure);
    let (own, foreign) = (denial("m.a.example.", "a.example."), denial("m.b.example.", "b.example."));
    let table = [
        (authorities(&[zone()], &own), true),
        (authorities(&[zone()], &[]), false),
        (authorities(&own, &[]), false),
        (authorities(&[zone()], &foreign), false),
        (authorities(&[zone()], &own[..1]), false),
        (authorities(&[zone()], &[own.clone(), foreign.clone()].concat()), false),
        (authorities(&[soa("b.example.", Proof::Secure)], &foreign), false),
        (authorities(&[soa("a.example.", Proof::Insecure)], &own), false),
        (authorities(&[soa("example.", Proof::Secure)], &own), false),
    ];
    for (authorities, expected) in table {
        assert_eq!(proves_absence(&authorities, &name("mx.a.example.")), expected, "{authorities:?}");
    }
}
