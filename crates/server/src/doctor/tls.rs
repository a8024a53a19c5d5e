//! Check of the certificates: names and validity.

use std::path::Path;
use std::sync::Arc;

use inboxd_core::model::StsMode;
use inboxd_core::model::certificate::CertificateState;
use inboxd_core::ports::Clock as _;
use inboxd_tls::{CertificateInfo, ServerCertificate};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use time::{Duration, OffsetDateTime};
use tokio_rustls::TlsConnector;

use super::Finding;
use crate::config::{CertificateFiles, Config, Role};
use crate::environment::SystemClock;

const CHECK: &str = "certificate";
/// Remaining validity below which a certificate needs attention.
const MIN_VALIDITY: Duration = Duration::days(14);

/// Checks the certificates of the listeners. `state` is that of the ACME certificate, if it can be read.
pub(crate) fn examine(config: &Config, state: Option<&CertificateState>) -> Vec<Finding> {
    let now = SystemClock.now();
    let mut findings = Vec::new();
    if let Some(CertificateFiles { certificate, key }) = &config.tls.files {
        findings.push(of_files(certificate, key, &config.certificate_names(), now));
    } else if config.tls.acme.is_some() {
        findings.push(of_acme(state, &config.certificate_names(), now));
    } else if config.has_tls_listener() && config.roles.contains(&Role::Http) {
        let mend = "set INBOXD_TLS_CERT and INBOXD_TLS_KEY, or INBOXD_ACME=on";
        findings.push(Finding::warn(CHECK, "the API has a self-signed certificate, which no client trusts", mend));
    }
    if let Some(CertificateFiles { certificate, key }) = &config.smtp_certificate {
        findings.push(of_files(certificate, key, std::slice::from_ref(&config.domain), now));
    } else {
        findings.extend(of_policy(config));
    }
    findings
}

/// Checks that an MTA-STS policy has a certificate that senders verify (RFC 8461, section 4.2); `None` without a policy, or
/// with a certificate of files or ACME, which other checks evaluate.
fn of_policy(config: &Config) -> Option<Finding> {
    let is_self_signed = config.tls.files.is_none() && config.tls.acme.is_none();
    if !is_self_signed || !config.roles.contains(&Role::Smtp) {
        return None;
    }
    let mend = "set INBOXD_SMTP_TLS_CERT and INBOXD_SMTP_TLS_KEY, or INBOXD_ACME=on";
    match config.tls.mta_sts {
        StsMode::None => None,
        StsMode::Testing => Some(Finding::warn(
            CHECK,
            "SMTP has a self-signed certificate, which senders report to violate the MTA-STS policy",
            mend,
        )),
        StsMode::Enforce => Some(Finding::fail(
            CHECK,
            "SMTP has a self-signed certificate, and the MTA-STS policy forbids senders to deliver to it",
            mend,
        )),
    }
}

fn of_files(certificate: &Path, key: &Path, names: &[String], now: OffsetDateTime) -> Finding {
    let whose = certificate.display().to_string();
    let mend = "name a certificate and its private key in PEM format";
    match ServerCertificate::from_files(certificate, key).and_then(|certificate| certificate.info()) {
        Ok(info) => of_info(&whose, &info, names, now, "renew the certificate and replace both files"),
        Err(error) => Finding::fail(CHECK, error.to_string(), mend),
    }
}

fn of_acme(state: Option<&CertificateState>, names: &[String], now: OffsetDateTime) -> Finding {
    let Some(state) = state else {
        return Finding::warn(CHECK, "the ACME certificate cannot be read from the database", "see the database check");
    };
    let failure = state.failure.as_ref().map(|failure| format!("; the last order failed: {failure}"));
    let failure = failure.unwrap_or_default();
    let mend = "let each name lead to this service at port 80 or 443, and read the log of `inboxd serve`";
    let Some((certificate, _)) = &state.certificate else {
        let found = format!("no certificate for {} is issued yet{failure}", names.join(", "));
        return Finding::warn(
            CHECK,
            found,
            if failure.is_empty() { "start `inboxd serve`, which orders it" } else { mend },
        );
    };
    match CertificateInfo::of_pem(&certificate.chain) {
        // The renewal failed, and the certificate expires unless a later one succeeds.
        Ok(info) if !failure.is_empty() => {
            of_info(&format!("the ACME certificate{failure}"), &info, names, now, mend).or_warn(mend)
        }
        Ok(info) => of_info("the ACME certificate", &info, names, now, mend),
        Err(error) => Finding::fail(CHECK, error.to_string(), mend),
    }
}

/// Evaluates a certificate against the names that clients use.
fn of_info(whose: &str, info: &CertificateInfo, names: &[String], now: OffsetDateTime, mend: &str) -> Finding {
    let until = info.valid_until;
    if until <= now {
        return Finding::fail(CHECK, format!("{whose} expired at {until}"), mend);
    }
    if info.valid_from > now {
        return Finding::fail(CHECK, format!("{whose} is not valid before {}", info.valid_from), "check the clock");
    }
    let missing: Vec<&str> = names.iter().map(String::as_str).filter(|name| !info.covers(name)).collect();
    if !missing.is_empty() {
        let found = format!("{whose} is for {}, not for {}", info.names.join(", "), missing.join(", "));
        return Finding::warn(CHECK, found, "use a certificate with these names");
    }
    if info.is_self_signed {
        return Finding::warn(CHECK, format!("{whose} is self-signed, which no client trusts"), "set INBOXD_ACME=on");
    }
    let found = format!("{whose} is for {} and valid until {until}", info.names.join(", "));
    // Short-lived certificates are renewed later.
    if until - now < MIN_VALIDITY.min((until - info.valid_from) / 4) {
        return Finding::warn(CHECK, found, mend);
    }
    Finding::ok(CHECK, found)
}

/// Returns a connector that accepts any certificate: the check asks which program answers, not for its name.
pub(crate) fn connector() -> Result<TlsConnector, Error> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let config = config.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)));
    Ok(TlsConnector::from(Arc::new(config.with_no_client_auth())))
}

#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use inboxd_core::model::certificate::{IssuedCertificate, RenewalPlan};
    use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

    use super::*;
    use crate::config::{self, Source};
    use crate::doctor::Level;

    const NAME: &str = "mail.example.org";

    /// Returns the chain of a certificate that an authority signed.
    fn chain(valid_from: OffsetDateTime, valid_until: OffsetDateTime) -> String {
        let (key, authority_key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.distinguished_name.push(DnType::CommonName, "authority");
        let mut params = CertificateParams::new([NAME.to_owned()]).unwrap();
        (params.not_before, params.not_after) = (valid_from, valid_until);
        params.signed_by(&key, &Issuer::new(authority, authority_key)).unwrap().pem()
    }

    #[test]
    fn failed_renewal_is_no_correct_state() {
        let now = OffsetDateTime::UNIX_EPOCH + Duration::days(1000);
        let (valid_from, valid_until) = (now - Duration::days(60), now + Duration::days(30));
        let chain = chain(valid_from, valid_until);
        for (failure, level, words) in [(None, Level::Ok, "valid until"), (Some("no answer"), Level::Warn, "no answer")]
        {
            let certificate =
                IssuedCertificate { chain: chain.clone(), sealed_key: Vec::new(), valid_from, valid_until };
            let state = CertificateState {
                certificate: Some((certificate, RenewalPlan { renew_at: now, check_at: now })),
                failure: failure.map(str::to_owned),
                ..CertificateState::default()
            };
            let finding = of_acme(Some(&state), &[NAME.to_owned()], now);
            assert!(finding.level == level && finding.to_string().contains(words), "{finding}");
        }
    }

    #[test]
    fn mta_sts_policy_needs_verifiable_certificate() {
        let enforce = ("INBOXD_MTA_STS", "enforce");
        let acme = [("INBOXD_ACME", "on"), ("INBOXD_HTTP_REDIRECT_ADDR", "127.0.0.1:80")];
        for (pairs, expected) in [
            (&[enforce][..], Some(Level::Fail)),
            (&[("INBOXD_MTA_STS", "testing")], Some(Level::Warn)),
            (&[], None),
            (&[enforce, ("INBOXD_ROLES", "http,worker")], None),
            (&[enforce, ("INBOXD_TLS_CERT", "cert.pem"), ("INBOXD_TLS_KEY", "key.pem")], None),
            (&[enforce, acme[0], acme[1]], None),
        ] {
            let config = config::of(&Source::from(pairs)).unwrap();
            assert_eq!(of_policy(&config).map(|finding| finding.level), expected, "{pairs:?}");
        }
    }

    #[test]
    fn certificate_needs_names_time_and_authority() {
        let now = OffsetDateTime::UNIX_EPOCH + Duration::days(1000);
        let info = |from: i64, until: i64, name: &str, is_self_signed| CertificateInfo {
            names: vec![name.to_owned()],
            valid_from: now + Duration::days(from),
            valid_until: now + Duration::days(until),
            is_self_signed,
        };
        let table = [
            (info(-30, 60, "mail.example.org", false), Level::Ok, "valid until"),
            (info(-30, 60, "*.example.org", false), Level::Ok, "valid until"),
            (info(-80, 10, "mail.example.org", false), Level::Warn, "renew it"),
            (info(-4, 2, "mail.example.org", false), Level::Ok, "valid until"),
            (info(-90, 0, "mail.example.org", false), Level::Fail, "expired"),
            (info(1, 90, "mail.example.org", false), Level::Fail, "not valid before"),
            (info(-30, 60, "api.example.org", false), Level::Warn, "not for mail.example.org"),
            (info(-30, 60, "mail.example.org", true), Level::Warn, "self-signed"),
        ];
        for (info, level, words) in table {
            let finding = of_info("it", &info, &["mail.example.org".to_owned()], now, "renew it");
            assert!(finding.level == level && finding.to_string().contains(words), "{finding}");
        }
    }
}
