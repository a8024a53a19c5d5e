//! Encryption that a database URL asks for, by the parameters of libpq (PostgreSQL documentation, "SSL Support").

use std::path::PathBuf;

use url::form_urlencoded;

/// `sslrootcert` for the public certificate authorities.
const PUBLIC_AUTHORITIES: &str = "system";

/// Meaning of `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SslMode {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// Certificate authorities that are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Authorities {
    Public,
    /// Those of a PEM file.
    File(PathBuf),
}

/// What the certificate of a server must prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verification {
    /// That the server has its key.
    KeyOnly,
    /// Also that a trusted authority issued it.
    Authority,
    /// Also the name of the host.
    AuthorityAndName,
}

/// Whether a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encryption {
    Never,
    /// If the server offers it.
    IfOffered(Verification),
    Always(Verification),
}

/// Parameters of a URL about encryption.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TlsOptions {
    pub(super) mode: Option<SslMode>,
    pub(super) authorities: Option<Authorities>,
    /// PEM files with the certificate of this client and its key.
    pub(crate) client: Option<(PathBuf, PathBuf)>,
    /// Whether TLS begins without a request (PostgreSQL 17).
    pub(crate) is_direct: bool,
}

impl TlsOptions {
    /// Takes the parameters out of a URL and returns the rest of it, with a parameter `host` for each host.
    ///
    /// # Errors
    /// A text that names the parameter and its valid values.
    pub(crate) fn take(url: &str) -> Result<(String, Self), String> {
        let Some((address, query)) = url.split_once('?') else { return Ok((url.to_owned(), Self::default())) };
        let mut options = Self::default();
        let (mut certificate, mut key) = (None, None);
        let mut rest: Vec<String> = Vec::new();
        for parameter in query.split('&') {
            // A plus sign is no space in these URLs.
            let plain = parameter.replace('+', "%2B");
            let Some((name, value)) = form_urlencoded::parse(plain.as_bytes()).next() else { continue };
            match &*name {
                "sslmode" => options.mode = Some(mode(&value)?),
                "sslrootcert" if value == PUBLIC_AUTHORITIES => options.authorities = Some(Authorities::Public),
                "sslrootcert" => options.authorities = Some(Authorities::File(value.as_ref().into())),
                "sslcert" => certificate = Some(PathBuf::from(value.as_ref())),
                "sslkey" => key = Some(PathBuf::from(value.as_ref())),
                "sslnegotiation" => options.is_direct = is_direct(&value)?,
                name if name.starts_with("ssl") => {
                    return Err(format!(
                        "the parameter {name} is not supported; sslmode, sslrootcert, sslcert, sslkey and \
                         sslnegotiation are"
                    ));
                }
                // The driver takes a list here for one host.
                "host" => {
                    let hosts = parameter.split_once('=').map_or("", |(_, hosts)| hosts);
                    rest.extend(hosts.split(',').map(|host| format!("host={host}")));
                }
                _ => rest.push(parameter.to_owned()),
            }
        }
        options.client = match (certificate, key) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => return Err("sslcert and sslkey belong together: name the certificate and its key".to_owned()),
        };
        options.validate()?;
        let rest = rest.join("&");
        Ok((if rest.is_empty() { address.to_owned() } else { format!("{address}?{rest}") }, options))
    }

    fn validate(&self) -> Result<(), String> {
        match (self.mode, &self.authorities) {
            (Some(SslMode::VerifyCa), None) => {
                Err("sslmode=verify-ca needs sslrootcert, the file of the authority".to_owned())
            }
            (Some(mode), Some(Authorities::Public)) if mode != SslMode::VerifyFull => {
                Err("sslrootcert=system needs sslmode=verify-full: public authorities certify anybody".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Returns the authorities to trust.
    pub(crate) fn authorities(&self) -> &Authorities {
        self.authorities.as_ref().unwrap_or(&Authorities::Public)
    }

    /// Returns whether a connection over TCP is encrypted. Without `sslmode` one to this machine is not, and one to
    /// another machine is verified in full.
    ///
    /// # Errors
    /// A text for a mode that may send mail in the clear to another machine.
    pub(crate) fn encryption(&self, is_this_machine: bool) -> Result<Encryption, String> {
        Ok(match (self.mode, is_this_machine) {
            (Some(SslMode::Disable), _) | (None | Some(SslMode::Allow), true) => Encryption::Never,
            (Some(SslMode::Prefer), true) => Encryption::IfOffered(Verification::KeyOnly),
            (Some(SslMode::Allow | SslMode::Prefer), false) => {
                return Err("sslmode=allow and sslmode=prefer may send mail unencrypted to another machine: write \
                            sslmode=verify-full, or sslmode=disable for a network that you trust"
                    .to_owned());
            }
            (Some(SslMode::Require), _) if self.authorities.is_none() => Encryption::Always(Verification::KeyOnly),
            (Some(SslMode::Require | SslMode::VerifyCa), _) => Encryption::Always(Verification::Authority),
            (Some(SslMode::VerifyFull), _) | (None, false) => Encryption::Always(Verification::AuthorityAndName),
        })
    }
}

fn mode(value: &str) -> Result<SslMode, String> {
    Ok(match value {
        "disable" => SslMode::Disable,
        "allow" => SslMode::Allow,
        "prefer" => SslMode::Prefer,
        "require" => SslMode::Require,
        "verify-ca" => SslMode::VerifyCa,
        "verify-full" => SslMode::VerifyFull,
        _ => return Err("sslmode must be disable, allow, prefer, require, verify-ca or verify-full".to_owned()),
    })
}

fn is_direct(value: &str) -> Result<bool, String> {
    match value {
        "postgres" => Ok(false),
        "direct" => Ok(true),
        _ => Err("sslnegotiation must be postgres or direct".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    #[test]
    fn parameters_about_encryption_are_taken_out_of_url() {
        let url = "postgres://u:p@a,b/d?sslmode=verify-ca&application_name=x&sslrootcert=/etc/a%20b+c.pem&\
                   sslcert=c.pem&sslkey=k.pem&sslnegotiation=direct";
        let (rest, options) = TlsOptions::take(url).unwrap();
        assert_eq!(rest, "postgres://u:p@a,b/d?application_name=x");
        assert_eq!(options.authorities(), &Authorities::File("/etc/a b+c.pem".into()));
        assert_eq!(options.client, Some(("c.pem".into(), "k.pem".into())));
        assert!(options.is_direct);
        for url in ["postgres://h/d", "postgres://u@/d?host=/run/pg"] {
            assert_eq!(TlsOptions::take(url).unwrap(), (url.to_owned(), TlsOptions::default()));
        }
    }

    #[test]
    fn invalid_parameters_are_named() {
        for (query, word) in [
            ("sslmode=on", "sslmode must be"),
            ("sslnegotiation=later", "sslnegotiation must be"),
            ("sslcert=c.pem", "sslkey"),
            ("sslkey=k.pem", "sslcert"),
            ("sslpassword=x", "sslpassword"),
            ("sslmode=verify-ca", "sslrootcert"),
            ("sslmode=require&sslrootcert=system", "verify-full"),
        ] {
            let refusal = TlsOptions::take(&format!("postgres://h/d?{query}")).unwrap_err();
            assert!(refusal.contains(word), "{query}: {refusal}");
        }
    }

    #[test]
    fn only_disable_leaves_connection_to_another_machine_unencrypted() {
        use Encryption::{Always, IfOffered, Never};
        use Verification::{Authority, AuthorityAndName, KeyOnly};
        for (query, here, elsewhere) in [
            ("", Some(Never), Some(Always(AuthorityAndName))),
            ("sslmode=disable", Some(Never), Some(Never)),
            ("sslmode=allow", Some(Never), None),
            ("sslmode=prefer", Some(IfOffered(KeyOnly)), None),
            ("sslmode=require", Some(Always(KeyOnly)), Some(Always(KeyOnly))),
            ("sslmode=require&sslrootcert=r.pem", Some(Always(Authority)), Some(Always(Authority))),
            ("sslmode=verify-ca&sslrootcert=r.pem", Some(Always(Authority)), Some(Always(Authority))),
            ("sslmode=verify-full", Some(Always(AuthorityAndName)), Some(Always(AuthorityAndName))),
        ] {
            let (_, options) = TlsOptions::take(&format!("postgres://h/d?{query}")).unwrap();
            assert_eq!((options.encryption(true).ok(), options.encryption(false).ok()), (here, elsewhere), "{query}");
        }
    }
}
