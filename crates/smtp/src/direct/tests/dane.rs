//! Hosts with TLSA records in real signed zones.

use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, digest};
use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::rdata::{A, SOA};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};
use inboxd_testkit::{ForgingDns, SignedDns};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::tls::{OFFER, certified};
use super::*;
use crate::dns::{TrustAnchorSet, ValidatingResolver};

/// TLSA data that no certificate has.
const OTHER: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Records of one zone in the form of zone files.
#[derive(Default)]
struct Zone {
    records: String,
    port: u16,
}

impl Zone {
    /// Adds a domain with one host at the address of this number.
    fn domain(&mut self, name: &str, number: u8) -> &mut Self {
        writeln!(self.records, "{name} MX 10 mx.{name}\nmx.{name} A {}", at(number)).unwrap();
        self
    }

    /// Adds a TLSA record of the host of a domain.
    fn tlsa(&mut self, name: &str, parameters: &str, data: &str) -> &mut Self {
        writeln!(self.records, "_{}._tcp.mx.{name} TLSA {parameters} {data}", self.port).unwrap();
        self
    }
}

fn sha256(certificate: &CertificateDer<'_>) -> String {
    digest(&SHA256, certificate).as_ref().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// Returns a host with a certificate for a name, and its authority.
fn issued(name: &str) -> (StubSetup, CertificateDer<'static>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let authority = params.self_signed(&key).unwrap().der().clone();
    let server_key = KeyPair::generate().unwrap();
    let server = CertificateParams::new([name.to_owned()]).unwrap();
    let certificate = server.signed_by(&server_key, &Issuer::new(params, key)).unwrap().der().clone();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(server_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![certificate, authority.clone()], key).unwrap();
    (StubSetup { extensions: OFFER, tls: Some(Arc::new(config)), ..StubSetup::default() }, authority)
}

/// Direct delivery with a validating resolver.
struct DaneEnv {
    env: TestEnv,
    zones: SignedDns,
}

impl DaneEnv {
    async fn start(env: TestEnv, signed: &Zone, unsigned: &Zone, broken: &Zone) -> Self {
        let zones = SignedDns::start(&signed.records, &unsigned.records, &broken.records).await;
        Self { env, zones }
    }

    fn anchors(&self) -> TrustAnchorSet {
        std::fs::read_to_string(self.zones.trust_anchor_file()).unwrap().parse().unwrap()
    }

    fn direct(&self) -> DirectTransport {
        self.direct_at(self.zones.address(), "")
    }

    /// Returns a transport that queries the server at this address, with this policy of the operator.
    fn direct_at(&self, server: SocketAddr, policy: &str) -> DirectTransport {
        let options = DirectOptions { tls_policy: policy.parse().unwrap(), ..self.env.options() };
        let plain = Arc::new(DnsResolver::at(server).unwrap());
        let validating = ValidatingResolver::new(Some(server), &self.anchors()).unwrap();
        DirectTransport::new(options, plain, self.env.sources()).unwrap().with_dane(validating)
    }
}

/// Delivers to a domain and returns the outcome with the TLS of the session.
async fn outcome(direct: &DirectTransport, domain: &str) -> String {
    use inboxd_core::ports::Transport as _;
    let mail = mail(&[&format!("a@{domain}")]);
    let report = direct.deliver(&mail).await.remove(0).report;
    let tls = report.session.and_then(|session| session.tls).map_or("", inboxd_core::model::SessionTls::as_str);
    match report.outcome {
        inboxd_core::model::DeliveryOutcome::Delivered => format!("delivered {tls}"),
        inboxd_core::model::DeliveryOutcome::Deferred { reason } => format!("deferred {reason}"),
        other @ inboxd_core::model::DeliveryOutcome::Refused { .. } => format!("{other:?}"),
    }
}

/// Name of a forgery, type of the forged responses, and the change of each.
type Forgery = (&'static str, RecordType, fn(&mut Message));

#[tokio::test]
async fn signed_tlsa_records_authenticate_hosts() {
    let mut env = env(4).await;
    let mut signed = Zone { port: env.hosts.port, ..Zone::default() };
    let (end_entity, certificate) = certified("snakeoil.example");
    let (authority_host, authority) = issued("mx.ta.signed.example");
    signed.domain("ee", 1).tlsa("ee", "3 0 1", &sha256(&certificate));
    signed.domain("ta", 2).tlsa("ta", "2 0 1", &sha256(&authority));
    signed.domain("wrong", 1).tlsa("wrong", "3 0 1", OTHER);
    signed.domain("unusable", 1).tlsa("unusable", "1 1 1", OTHER);
    signed.domain("plain-unusable", 3).tlsa("plain-unusable", "1 1 1", OTHER);
    signed.domain("plain", 3).domain("plain-tlsa", 3).tlsa("plain-tlsa", "3 0 1", &sha256(&certificate));
    // The host of the same authority with a name that is not that of the certificate.
    signed.domain("other-name", 2).tlsa("other-name", "2 0 1", &sha256(&authority));
    let peers = [
        env.hosts.peer(1, end_entity, |_, _| StubAction::Usual),
        env.hosts.peer(2, authority_host, |_, _| StubAction::Usual),
        env.hosts.usual(3),
    ];
    let dane = DaneEnv::start(env, &signed, &Zone::default(), &Zone::default()).await;
    let direct = dane.direct();
    for (domain, expected) in [
        ("ee", "delivered dane"),
        ("ta", "delivered dane"),
        ("unusable", "delivered encrypted"),
        ("plain", "delivered none"),
        ("wrong", "because its TLSA records (DANE) demand TLS: "),
        ("other-name", "because its TLSA records (DANE) demand TLS: "),
        ("plain-tlsa", "offers no TLS, which its TLSA records (DANE) demand"),
        ("plain-unusable", "offers no TLS, which its TLSA records (DANE) demand"),
    ] {
        let before: usize = peers.iter().map(contents).sum();
        let found = outcome(&direct, &format!("{domain}.signed.example")).await;
        let is_delivered = expected.starts_with("delivered");
        assert!(found == expected || (!is_delivered && found.contains(expected)), "{domain}: {found}");
        let after: usize = peers.iter().map(contents).sum();
        assert_eq!(after - before, usize::from(is_delivered), "{domain}");
    }
    let reason = outcome(&direct, "wrong.signed.example").await;
    assert!(reason.contains("its certificate does not match its TLSA records (DANE)"), "{reason}");
}

#[tokio::test]
async fn unsigned_zone_has_no_dane_and_broken_signatures_defer() {
    let mut env = env(1).await;
    let port = env.hosts.port;
    let zone = || Zone { port, ..Zone::default() };
    let (mut signed, mut unsigned, mut broken) = (zone(), zone(), zone());
    for zone in [&mut unsigned, &mut broken] {
        zone.domain("@", 1);
        zone.records = zone.records.replace("mx.@", "mx");
        writeln!(zone.records, "_{port}._tcp.mx TLSA 3 0 1 {OTHER}").unwrap();
    }
    // Signed MX records that name a host in an unsigned, and in a broken zone.
    writeln!(signed.records, "far MX 10 mx.unsigned.example.\nlost MX 10 mx.broken.example.").unwrap();
    // A domain without MX records, and one that aliases its host.
    writeln!(signed.records, "bare A 127.0.0.1\n_{port}._tcp.bare TLSA 3 0 1 {OTHER}").unwrap();
    writeln!(signed.records, "alias MX 10 name.alias\nname.alias CNAME bare").unwrap();
    // A signed alias of an unsigned host, with TLSA records of the alias.
    writeln!(signed.records, "half MX 10 name.half\nname.half CNAME mx.unsigned.example.").unwrap();
    writeln!(signed.records, "_{port}._tcp.name.half TLSA 3 0 1 {OTHER}").unwrap();
    let peer = env.hosts.usual(1);
    let dane = DaneEnv::start(env, &signed, &unsigned, &broken).await;
    let direct = dane.direct();
    for (domain, expected) in [
        ("unsigned.example", "delivered none"),
        ("far.signed.example", "delivered none"),
        ("broken.example", "deferred the MX records of broken.example: its DNSSEC signatures are missing or not valid"),
        (
            "lost.signed.example",
            "deferred the addresses of mx.broken.example: its DNSSEC signatures are missing or not valid",
        ),
        (
            "bare.signed.example",
            "deferred bare.signed.example at 127.0.0.1 offers no TLS, which its TLSA records (DANE) demand",
        ),
        (
            "alias.signed.example",
            "deferred name.alias.signed.example at 127.0.0.1 offers no TLS, which its TLSA records (DANE) demand",
        ),
        (
            "half.signed.example",
            "deferred name.half.signed.example at 127.0.0.1 offers no TLS, which its TLSA records (DANE) demand",
        ),
    ] {
        assert_eq!(outcome(&direct, domain).await, expected, "{domain}");
    }
    assert_eq!(contents(&peer), 2);
    assert!(matches!(outcome(&direct, "nowhere.signed.example").await, refusal if refusal.contains("5.1.2")));
}

#[tokio::test]
async fn forged_absence_of_addresses_does_not_bounce() {
    let mut env = env(1).await;
    let mut signed = Zone { port: env.hosts.port, ..Zone::default() };
    writeln!(signed.records, "bare A 127.0.0.1").unwrap();
    let peer = env.hosts.usual(1);
    let dane = DaneEnv::start(env, &signed, &Zone::default(), &Zone::default()).await;
    let proxy = ForgingDns::start(dane.zones.address(), |response| {
        if response.queries.iter().any(|query| matches!(query.query_type(), RecordType::A | RecordType::AAAA)) {
            response.answers.clear();
            response.authorities.clear();
            response.metadata.response_code = ResponseCode::NXDomain;
        }
    })
    .await;
    let found = outcome(&dane.direct_at(proxy.address(), ""), "bare.signed.example").await;
    assert!(found.starts_with("deferred the addresses of bare.signed.example: "), "{found}");
    assert_eq!(outcome(&dane.direct(), "bare.signed.example").await, "delivered none");
    assert_eq!(contents(&peer), 1);
}

#[tokio::test]
async fn operator_policy_combines_with_dane() {
    let mut env = env(2).await;
    let mut signed = Zone { port: env.hosts.port, ..Zone::default() };
    let (setup, certificate) = certified("snakeoil.example");
    signed.domain("ee", 1).tlsa("ee", "3 0 1", &sha256(&certificate)).domain("none", 1).domain("plain", 2);
    signed.domain("wrong", 1).tlsa("wrong", "3 0 1", OTHER);
    let _peers = [env.hosts.peer(1, setup, |_, _| StubAction::Usual), env.hosts.usual(2)];
    let dane = DaneEnv::start(env, &signed, &Zone::default(), &Zone::default()).await;
    let address = dane.zones.address();
    let of_policy = async |level: &str, domain: &str| {
        outcome(&dane.direct_at(address, &format!("*={level}")), &format!("{domain}.signed.example")).await
    };
    assert_eq!(of_policy("verify", "ee").await, "delivered dane", "DANE proves the host");
    assert_eq!(of_policy("dane-only", "ee").await, "delivered dane");
    assert_eq!(of_policy("may", "wrong").await, "delivered encrypted", "the operator exempts the domain");
    let missing = of_policy("dane-only", "none").await;
    assert_eq!(
        missing,
        "deferred mx.none.signed.example has no usable TLSA records, which INBOXD_DIRECT_TLS demands (dane-only)"
    );
    assert_eq!(of_policy("encrypt", "none").await, "delivered encrypted");
    let plain = of_policy("encrypt", "plain").await;
    assert!(plain.ends_with("offers no TLS, which INBOXD_DIRECT_TLS demands"), "{plain}");
    // Without DNSSEC of the resolver, nothing is known about the host.
    let proxy = ForgingDns::stripping(address).await;
    let unknown = outcome(&dane.direct_at(proxy.address(), "*=dane-only"), "ee.signed.example").await;
    assert_eq!(
        unknown,
        "deferred INBOXD_DIRECT_TLS demands DANE of ee.signed.example, and the resolver does not pass DNSSEC records"
    );
}

#[tokio::test]
async fn resolver_without_dnssec_stops_no_mail() {
    let mut env = env(1).await;
    let mut signed = Zone { port: env.hosts.port, ..Zone::default() };
    signed.domain("wrong", 1).tlsa("wrong", "3 0 1", OTHER);
    let _peer = env.hosts.usual(1);
    let dane = DaneEnv::start(env, &signed, &Zone::default(), &Zone::default()).await;
    let proxy = ForgingDns::stripping(dane.zones.address()).await;
    let direct = dane.direct_at(proxy.address(), "");
    assert_eq!(outcome(&direct, "wrong.signed.example").await, "delivered none");
    let resolver = ValidatingResolver::new(Some(proxy.address()), &dane.anchors()).unwrap();
    let reason = resolver.probe().await.unwrap_err();
    assert!(reason.contains("root zone"), "{reason}");
    // The keys of the public root do not fit this root.
    let public = ValidatingResolver::new(Some(dane.zones.address()), &TrustAnchorSet::default()).unwrap();
    assert!(public.probe().await.is_err());
    let valid = ValidatingResolver::new(Some(dane.zones.address()), &dane.anchors()).unwrap();
    assert_eq!(valid.probe().await, Ok(()));
}

/// Returns the first record of a type in the answer section.
fn of_type(response: &Message, kind: RecordType) -> Option<Record> {
    response.answers.iter().find(|record| record.record_type() == kind).cloned()
}

#[tokio::test]
async fn forged_responses_defer_mail() {
    let mut env = env(1).await;
    let mut signed = Zone { port: env.hosts.port, ..Zone::default() };
    signed.domain("ee", 1).tlsa("ee", "3 0 1", OTHER);
    let mut unsigned = Zone::default();
    writeln!(unsigned.records, "@ MX 10 mx\nmx A 127.0.0.1").unwrap();
    let peer = env.hosts.usual(1);
    let dane = DaneEnv::start(env, &signed, &unsigned, &Zone::default()).await;
    let forgeries: [Forgery; 9] = [
        ("removed TLSA records", RecordType::TLSA, |response| {
            response.answers.clear();
            response.authorities.clear();
        }),
        ("removed signature", RecordType::TLSA, |response| {
            response.answers.retain(|record| record.record_type() != RecordType::RRSIG);
        }),
        ("absence in the name of an unsigned zone", RecordType::TLSA, |response| {
            let name = Name::from_ascii("unsigned.example.").unwrap();
            let soa = SOA::new(name.clone(), name.clone(), 1, 3600, 600, 86400, 60);
            response.answers.clear();
            response.authorities = vec![Record::from_rdata(name, 60, RData::SOA(soa))];
        }),
        ("records in the name of an unsigned zone", RecordType::TLSA, |response| {
            let name = Name::from_ascii("mx.unsigned.example.").unwrap();
            let address = || Record::from_rdata(name.clone(), 60, RData::A(A::new(127, 0, 0, 1)));
            response.answers = vec![address()];
            response.authorities = vec![address()];
        }),
        ("unsigned TLSA records of another name", RecordType::TLSA, |response| {
            let name = Name::from_ascii("_25._tcp.mx.unsigned.example.").unwrap();
            if let Some(mut record) = of_type(response, RecordType::TLSA) {
                record.name = name;
                response.answers.push(record);
            }
        }),
        ("only unsigned TLSA records of another name", RecordType::TLSA, |response| {
            let name = Name::from_ascii("_25._tcp.mx.unsigned.example.").unwrap();
            if let Some(mut record) = of_type(response, RecordType::TLSA) {
                record.name = name;
                response.answers = vec![record];
                response.authorities.clear();
            }
        }),
        ("unsigned MX records of another name", RecordType::MX, |response| {
            let name = Name::from_ascii("unsigned.example.").unwrap();
            if let Some(mut record) = of_type(response, RecordType::MX) {
                record.name = name;
                response.answers.push(record);
            }
        }),
        ("other MX record", RecordType::MX, |response| {
            let host = Name::from_ascii("mx.unsigned.example.").unwrap();
            for record in &mut response.answers {
                if let RData::MX(mx) = &mut record.data {
                    mx.exchange = host.clone();
                }
            }
        }),
        ("absence of MX records", RecordType::MX, |response| {
            let name = Name::from_ascii("unsigned.example.").unwrap();
            let soa = SOA::new(name.clone(), name.clone(), 1, 3600, 600, 86400, 60);
            response.answers.clear();
            response.authorities = vec![Record::from_rdata(name, 60, RData::SOA(soa))];
        }),
    ];
    for (name, kind, forge) in forgeries {
        // The probe of the resolver passes: an attacker forges the responses about one zone.
        let zone = Name::from_ascii("signed.example.").unwrap();
        let is_target = move |response: &Message| {
            response.queries.iter().any(|query| query.query_type() == kind && zone.zone_of(query.name()))
        };
        let proxy = ForgingDns::start(dane.zones.address(), move |response| {
            if is_target(response) {
                forge(response);
            }
        })
        .await;
        let direct = dane.direct_at(proxy.address(), "");
        let found = outcome(&direct, "ee.signed.example").await;
        assert!(found.starts_with("deferred the "), "{name}: {found}");
        assert_eq!(contents(&peer), 0, "{name}");
    }
}
