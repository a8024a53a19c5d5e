//! Settings of certificates and of MTA-STS.

use std::path::PathBuf;

use inboxd_core::model::StsMode;
use inboxd_core::rules::domains::mta_sts::policy_host;
use inboxd_core::rules::domains::name::is_local;
use inboxd_mail::EmailAddress;

use super::CertificateFiles;
use super::listeners::{self, Listener};
use super::read::domain_name;
use super::source::{Source, refused};
use crate::failure::Failure;

/// Maximum number of names of a certificate; public authorities accept no more.
const MAX_NAMES: usize = 100;

/// Certificates of the listeners.
#[derive(Debug, Clone)]
pub(crate) struct TlsConfig {
    /// `INBOXD_TLS_CERT` and `INBOXD_TLS_KEY`; `None` for ACME or a self-signed certificate.
    pub(crate) files: Option<CertificateFiles>,
    /// `INBOXD_TLS_HANDSHAKES`.
    pub(crate) max_handshakes: usize,
    /// `INBOXD_HTTP_REDIRECT_ADDR`; `None` without a redirect.
    pub(crate) redirect: Option<Listener>,
    /// `INBOXD_ACME_…`; `None` while `INBOXD_ACME` is off.
    pub(crate) acme: Option<AcmeConfig>,
    /// `INBOXD_MTA_STS`.
    pub(crate) mta_sts: StsMode,
}

/// Orders of certificates.
#[derive(Debug, Clone)]
pub(crate) struct AcmeConfig {
    /// `INBOXD_ACME_EMAIL`.
    pub(crate) email: Option<String>,
    /// `INBOXD_ACME_DIRECTORY`.
    pub(crate) directory: String,
    /// `INBOXD_ACME_NAMES`; `None` for the hosts of the service.
    pub(crate) configured_names: Option<Vec<String>>,
    /// `INBOXD_ACME_CA`; `None` to trust the public authorities.
    pub(crate) authorities: Option<PathBuf>,
}

/// Reads the settings of certificates.
pub(super) fn tls(source: &Source, http: &[Listener]) -> Result<TlsConfig, Failure> {
    let files = certificate_files(source, "INBOXD_TLS_CERT", "INBOXD_TLS_KEY")?;
    let redirect = listeners::redirect(source)?;
    let acme = acme(source)?;
    if acme.is_some() && files.is_some() {
        return Err(Failure::new("INBOXD_ACME=on and INBOXD_TLS_CERT exclude each other; remove one of them"));
    }
    if acme.is_some() && redirect.is_none() && !http.iter().any(|listener| listener.requires_tls) {
        return Err(Failure::new(
            "INBOXD_ACME=on needs INBOXD_HTTP_REDIRECT_ADDR, such as 0.0.0.0:80, or an INBOXD_HTTP_ADDR with ?tls=on, \
             such as 0.0.0.0:443?tls=on, where the authority validates the names",
        ));
    }
    let mode = StsMode::named(source.text("INBOXD_MTA_STS").trim());
    Ok(TlsConfig {
        files,
        max_handshakes: source.number("INBOXD_TLS_HANDSHAKES")?,
        redirect,
        acme,
        mta_sts: mode.ok_or_else(|| refused("INBOXD_MTA_STS"))?,
    })
}

/// Requires both files or neither.
pub(super) fn certificate_files(
    source: &Source,
    certificate_name: &str,
    key_name: &str,
) -> Result<Option<CertificateFiles>, Failure> {
    match (source.get(certificate_name), source.get(key_name)) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => {
            Ok(Some(CertificateFiles { certificate: certificate.into(), key: key.into() }))
        }
        (Some(_), None) => {
            Err(Failure::new(format!("{certificate_name} needs {key_name}, the file of its private key")))
        }
        (None, Some(_)) => {
            Err(Failure::new(format!("{key_name} needs {certificate_name}, the file of its certificate")))
        }
    }
}

fn acme(source: &Source) -> Result<Option<AcmeConfig>, Failure> {
    let email: Option<EmailAddress> = source.optional("INBOXD_ACME_EMAIL")?;
    let directory = source.text("INBOXD_ACME_DIRECTORY");
    if !directory.starts_with("https://") || directory.contains('@') {
        return Err(refused("INBOXD_ACME_DIRECTORY"));
    }
    let configured_names = source.get("INBOXD_ACME_NAMES").map(|text| names(&text)).transpose()?;
    let authorities = source.get("INBOXD_ACME_CA").map(Into::into);
    let email = email.map(|address| address.to_string());
    let is_on = source.switch("INBOXD_ACME")?;
    Ok(is_on.then_some(AcmeConfig { email, directory, configured_names, authorities }))
}

fn names(text: &str) -> Result<Vec<String>, Failure> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let names: Option<Vec<String>> = items.map(domain_name).collect();
    names
        .filter(|names| (1..=MAX_NAMES).contains(&names.len()) && names.iter().all(|name| !name.contains('*')))
        .ok_or_else(|| refused("INBOXD_ACME_NAMES"))
}

impl super::Config {
    /// Returns whether a listener of the API speaks TLS.
    pub(crate) fn has_tls_listener(&self) -> bool {
        self.http.iter().any(|listener| listener.requires_tls)
    }

    /// Returns the hosts that serve the MTA-STS policy; none while it is off.
    pub(crate) fn policy_hosts(&self) -> Vec<String> {
        if self.tls.mta_sts == StsMode::None {
            return Vec::new();
        }
        self.mail_domains().into_iter().map(policy_host).collect()
    }

    /// Returns the service domains, which receive mail.
    pub(crate) fn mail_domains(&self) -> Vec<&str> {
        let mut domains = vec![self.domain.as_str(), self.signup_domain.as_str()];
        domains.dedup();
        domains
    }

    /// Returns the host of the base URL in lower case; `None` for an address.
    pub(crate) fn base_host(&self) -> Option<String> {
        let url = self.base_url();
        let host = url.split_once("://").map_or("", |(_, rest)| rest).split(['/', ':']).next().unwrap_or_default();
        // An IPv6 address begins with a bracket.
        let is_name = host.bytes().any(|byte| byte.is_ascii_alphabetic()) && !host.starts_with('[');
        is_name.then(|| host.to_lowercase())
    }

    /// Returns the names of the certificate: the configured ones, or the public hosts of the service.
    pub(crate) fn certificate_names(&self) -> Vec<String> {
        if let Some(names) = self.tls.acme.as_ref().and_then(|acme| acme.configured_names.clone()) {
            return names;
        }
        let mut names = vec![self.domain.clone()];
        names.extend(self.base_host());
        names.extend(self.policy_hosts());
        names.retain(|name| !is_local(name));
        names.sort();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn with(pairs: &[(&'static str, &str)]) -> Result<Config, Failure> {
        super::super::read::config(&Source::from(pairs))
    }

    const TLS: (&str, &str) = ("INBOXD_HTTP_ADDR", "127.0.0.1:8080, [::]:8443?tls=on");
    const DOMAIN: (&str, &str) = ("INBOXD_DOMAIN", "mail.example.org");

    #[test]
    fn plain_and_tls_listeners_stand_side_by_side() -> Result<(), Failure> {
        let config = with(&[TLS])?;
        let shown: Vec<_> = config.http.iter().map(|one| (one.address.to_string(), one.requires_tls)).collect();
        assert_eq!(shown, [("127.0.0.1:8080".to_owned(), false), ("[::]:8443".to_owned(), true)]);
        assert_eq!(config.base_url(), "https://[::1]:8443", "a local domain has no address elsewhere");
        assert_eq!(with(&[TLS, DOMAIN])?.base_url(), "https://mail.example.org:8443");
        let standard = ("INBOXD_HTTP_ADDR", "0.0.0.0:443?tls=on");
        assert_eq!(with(&[standard, DOMAIN])?.base_url(), "https://mail.example.org");
        Ok(())
    }

    #[test]
    fn certificate_has_public_hosts_of_service() -> Result<(), Failure> {
        let base = ("INBOXD_BASE_URL", "https://API.example.org:8443/inboxd");
        assert_eq!(with(&[DOMAIN, base])?.certificate_names(), ["api.example.org", "mail.example.org"]);
        assert_eq!(
            with(&[DOMAIN, ("INBOXD_BASE_URL", "https://192.0.2.1")])?.certificate_names(),
            ["mail.example.org"]
        );
        assert!(with(&[])?.certificate_names().is_empty());
        let policies = with(&[DOMAIN, ("INBOXD_MTA_STS", "testing"), ("INBOXD_SIGNUP_DOMAIN", "mail.example.org")])?;
        assert_eq!(policies.certificate_names(), ["mail.example.org", "mta-sts.mail.example.org"]);
        let named = with(&[TLS, DOMAIN, ("INBOXD_ACME", "on"), ("INBOXD_ACME_NAMES", "b.example, A.example")])?;
        assert_eq!(named.certificate_names(), ["b.example", "a.example"]);
        Ok(())
    }

    #[test]
    fn bad_value_line_names_variable() {
        for (pairs, named) in [
            (&[("INBOXD_HTTP_ADDR", "127.0.0.1:1?tls=perhaps")][..], "INBOXD_HTTP_ADDR"),
            (&[("INBOXD_TLS_CERT", "cert.pem")], "INBOXD_TLS_KEY"),
            (&[("INBOXD_TLS_KEY", "key.pem")], "INBOXD_TLS_CERT"),
            (&[("INBOXD_HTTP_REDIRECT_ADDR", "80")], "INBOXD_HTTP_REDIRECT_ADDR"),
            (&[("INBOXD_HTTP_REDIRECT_ADDR", "127.0.0.1:80?tls=on")], "INBOXD_HTTP_REDIRECT_ADDR"),
            (&[("INBOXD_HTTP_REDIRECT_ADDR", "127.0.0.1:80?proxy=required")], "INBOXD_TRUSTED_PROXIES"),
            (&[("INBOXD_ACME", "on")], "INBOXD_HTTP_REDIRECT_ADDR"),
            (&[("INBOXD_ACME", "perhaps")], "INBOXD_ACME"),
            (&[TLS, ("INBOXD_ACME", "on"), ("INBOXD_TLS_CERT", "a"), ("INBOXD_TLS_KEY", "b")], "INBOXD_TLS_CERT"),
            (&[("INBOXD_ACME_DIRECTORY", "http://acme.example")], "INBOXD_ACME_DIRECTORY"),
            (&[("INBOXD_ACME_EMAIL", "operator")], "INBOXD_ACME_EMAIL"),
            (&[("INBOXD_ACME_NAMES", "*.example.org")], "INBOXD_ACME_NAMES"),
            (&[("INBOXD_ACME_NAMES", ",")], "INBOXD_ACME_NAMES"),
            (&[("INBOXD_MTA_STS", "on")], "INBOXD_MTA_STS"),
            (&[("INBOXD_TLS_HANDSHAKES", "0")], "INBOXD_TLS_HANDSHAKES"),
        ] {
            let line = with(pairs).err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(line.contains(named) && !line.contains('\n'), "{pairs:?}: {line:?}");
        }
    }
}
