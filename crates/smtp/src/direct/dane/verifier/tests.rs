//! Certificates and chains against TLSA records.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use time::OffsetDateTime;

use super::*;
use crate::client::session_error::SessionError;

/// Chain of a server: its certificate and the one of its authority.
struct Chain {
    end_entity: CertificateDer<'static>,
    authority: CertificateDer<'static>,
}

impl Chain {
    fn new(name: &str) -> Self {
        Self::until(name, OffsetDateTime::UNIX_EPOCH + time::Duration::days(50_000))
    }

    fn until(name: &str, end: OffsetDateTime) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let authority = params.self_signed(&key).unwrap().der().clone();
        let mut server = CertificateParams::new([name.to_owned()]).unwrap();
        server.not_before = OffsetDateTime::UNIX_EPOCH;
        server.not_after = end;
        let server_key = KeyPair::generate().unwrap();
        let end_entity = server.signed_by(&server_key, &Issuer::new(params, key)).unwrap().der().clone();
        Self { end_entity, authority }
    }

    /// Returns whether records authenticate the chain for `mx.example`, or the reason.
    fn verify(&self, records: &[TlsaRecord], with_authority: bool) -> Result<(), String> {
        let names = ["mx.example", "example"].map(str::to_owned).to_vec();
        let set = TlsaSet { names, records: records.to_vec() };
        let verifier = DaneVerifier { set, provider: Arc::new(provider::default_provider()) };
        let intermediates = if with_authority { std::slice::from_ref(&self.authority) } else { &[] };
        let name = ServerName::try_from("mx.example").unwrap();
        let result = verifier.verify_server_cert(&self.end_entity, intermediates, &name, &[], UnixTime::now());
        result.map(|_| ()).map_err(|error| SessionError::Tls(std::io::Error::other(error)).to_string())
    }
}

fn record(usage: u8, selector: u8, matching: u8, certificate: &CertificateDer<'_>) -> TlsaRecord {
    let content = match selector {
        0 => certificate.as_ref(),
        _ => X509Certificate::from_der(certificate).unwrap().1.tbs_certificate.subject_pki.raw,
    };
    let data = match matching {
        0 => content.to_vec(),
        1 => digest(&SHA256, content).as_ref().to_vec(),
        _ => digest(&SHA512, content).as_ref().to_vec(),
    };
    TlsaRecord { usage, selector, matching, data }
}

const KINDS: [(u8, u8); 6] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)];

#[test]
fn end_entity_is_accepted_by_its_record_alone() {
    // Another name, and expired.
    let chain = Chain::until("other.example", OffsetDateTime::UNIX_EPOCH + time::Duration::DAY);
    let other = Chain::new("mx.example");
    for (selector, matching) in KINDS {
        let valid = record(3, selector, matching, &chain.end_entity);
        assert_eq!(chain.verify(std::slice::from_ref(&valid), true), Ok(()), "{selector} {matching}");
        let refusal = other.verify(std::slice::from_ref(&valid), true).unwrap_err();
        assert!(refusal.contains("its certificate does not match its TLSA records (DANE)"), "{refusal}");
        let of_authority = record(3, selector, matching, &chain.authority);
        assert!(chain.verify(std::slice::from_ref(&of_authority), true).is_err(), "usage 3 names no authority");
        assert_eq!(chain.verify(&[of_authority, valid], true), Ok(()), "one record is enough");
    }
}

#[test]
fn authority_is_accepted_with_a_valid_chain_and_name() {
    let chain = Chain::new("mx.example");
    for (selector, matching) in KINDS {
        let anchor = [record(2, selector, matching, &chain.authority)];
        assert_eq!(chain.verify(&anchor, true), Ok(()), "{selector} {matching}");
        assert!(Chain::new("mx.example").verify(&anchor, true).is_err(), "another authority");
        // Only a whole certificate in the record replaces one that the server left out.
        assert_eq!(chain.verify(&anchor, false).is_ok(), (selector, matching) == (0, 0), "{selector} {matching}");
        let of_server = [record(2, selector, matching, &chain.end_entity)];
        assert!(chain.verify(&of_server, true).is_err(), "usage 2 names no server");
    }
}

#[test]
fn names_and_expiry_count_below_an_authority() {
    let verify = |chain: &Chain| chain.verify(&[record(2, 0, 1, &chain.authority)], true);
    assert_eq!(verify(&Chain::new("example")), Ok(()), "the domain of the mail is a reference name");
    let wrong_name = verify(&Chain::new("other.example")).unwrap_err();
    assert!(wrong_name.contains("not valid for name"), "{wrong_name}");
    let expired = Chain::until("mx.example", OffsetDateTime::UNIX_EPOCH + time::Duration::DAY);
    assert!(verify(&expired).unwrap_err().contains("expired"));
}
