//! Variables of libpq that connect a client program to the database of a URL (PostgreSQL documentation, "Environment
//! Variables").

use std::ffi::OsString;
use std::io;
use std::net::IpAddr;
use std::path::Path;

use tokio_postgres::config::{Host, TargetSessionAttrs};

use super::options::{Authorities, SslMode, TlsOptions};
use super::{DEFAULT_PORT, DatabaseAddress, ServerAddress};

/// First version of libpq that knows the authorities of the system (`sslrootcert=system`).
const SYSTEM_AUTHORITIES_MAJOR: u32 = 16;
/// Files of the public authorities on Debian, Red Hat and Alpine.
const AUTHORITY_FILES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

type Variables = Vec<(&'static str, OsString)>;

impl DatabaseAddress {
    /// Returns the variables for a client program of a major version. A password is among them.
    ///
    /// # Errors
    /// If the address of a host cannot be found.
    pub(crate) async fn client_variables(&self, major: u32) -> io::Result<Variables> {
        let is_remote = |server: &ServerAddress| match server {
            ServerAddress::Tcp(address, _) => !address.ip().is_loopback(),
            ServerAddress::Unix(_) => false,
        };
        let is_this_machine = !self.servers().await?.iter().any(is_remote);
        let mut variables = self.places();
        let mut add = |name, value: Option<OsString>| variables.extend(value.map(|value| (name, value)));
        let config = &self.config;
        add("PGUSER", config.get_user().map(OsString::from));
        add("PGDATABASE", config.get_dbname().map(OsString::from));
        add("PGOPTIONS", config.get_options().map(OsString::from));
        let password = config.get_password().map(<[u8]>::to_vec);
        add("PGPASSWORD", password.map(std::os::unix::ffi::OsStringExt::from_vec));
        let attributes = match config.get_target_session_attrs() {
            TargetSessionAttrs::ReadWrite => Some("read-write"),
            TargetSessionAttrs::ReadOnly => Some("read-only"),
            _ => None,
        };
        add("PGTARGETSESSIONATTRS", attributes.map(OsString::from));
        variables.extend(self.tls.client_variables(is_this_machine, major));
        Ok(variables)
    }

    /// Returns the variables of hosts and ports, with one port for each host.
    fn places(&self) -> Variables {
        let config = &self.config;
        let joined = |texts: Vec<String>| OsString::from(texts.join(","));
        let hosts: Vec<String> = config.get_hosts().iter().map(host_name).collect();
        let addresses: Vec<String> = config.get_hostaddrs().iter().map(IpAddr::to_string).collect();
        let count = hosts.len().max(addresses.len());
        let ports = config.get_ports();
        let port = |number: usize| ports.get(number).or(ports.first()).copied().unwrap_or(DEFAULT_PORT).to_string();
        let mut places = vec![("PGPORT", joined((0..count).map(port).collect()))];
        if !hosts.is_empty() {
            places.push(("PGHOST", joined(hosts)));
        }
        if !addresses.is_empty() {
            places.push(("PGHOSTADDR", joined(addresses)));
        }
        places
    }
}

fn host_name(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(folder) => folder.display().to_string(),
    }
}

impl TlsOptions {
    /// Returns the variables about encryption. The mode is always among them, since that of libpq has another default.
    fn client_variables(&self, is_this_machine: bool, major: u32) -> Variables {
        let mode = match (self.mode, is_this_machine) {
            (None | Some(SslMode::Allow), true) | (Some(SslMode::Disable), _) => "disable",
            (Some(SslMode::Prefer), true) => "prefer",
            (Some(SslMode::Require), _) => "require",
            (Some(SslMode::VerifyCa), _) => "verify-ca",
            // The service refuses the weaker modes for another machine.
            (Some(SslMode::VerifyFull | SslMode::Allow | SslMode::Prefer), _) | (None, false) => "verify-full",
        };
        let mut variables = vec![("PGSSLMODE", OsString::from(mode))];
        if let Some(Authorities::File(file)) = &self.authorities {
            variables.push(("PGSSLROOTCERT", file.clone().into()));
        } else if mode == "verify-full" {
            let system = (major >= SYSTEM_AUTHORITIES_MAJOR).then_some("system");
            let file = AUTHORITY_FILES.into_iter().find(|file| Path::new(file).exists());
            variables.extend(system.or(file).map(|value| ("PGSSLROOTCERT", OsString::from(value))));
        }
        if let Some((certificate, key)) = &self.client {
            variables.push(("PGSSLCERT", certificate.clone().into()));
            variables.push(("PGSSLKEY", key.clone().into()));
        }
        if self.is_direct {
            variables.push(("PGSSLNEGOTIATION", OsString::from("direct")));
        }
        variables
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    async fn variables(url: &str, major: u32) -> Vec<String> {
        let found = DatabaseAddress::parse(url).unwrap().client_variables(major).await.unwrap();
        found.into_iter().map(|(name, value)| format!("{name}={}", value.display())).collect()
    }

    #[tokio::test]
    async fn url_becomes_variables_of_libpq() {
        let url =
            "postgres://u:p%40ss@127.0.0.1:1,127.0.0.2/d?options=-csearch_path%3Dx&target_session_attrs=read-write";
        let expected = [
            "PGPORT=1,5432",
            "PGHOST=127.0.0.1,127.0.0.2",
            "PGUSER=u",
            "PGDATABASE=d",
            "PGOPTIONS=-csearch_path=x",
            "PGPASSWORD=p@ss",
            "PGTARGETSESSIONATTRS=read-write",
            "PGSSLMODE=disable",
        ];
        assert_eq!(variables(url, 15).await, expected);
        let socket = variables("postgres://u@/d?host=/run/a%20b", 15).await;
        assert_eq!(socket, ["PGPORT=5432", "PGHOST=/run/a b", "PGUSER=u", "PGDATABASE=d", "PGSSLMODE=disable"]);
    }

    #[tokio::test]
    async fn another_machine_is_verified_unless_the_url_says_otherwise() {
        let remote = "postgres://u@db/d?hostaddr=192.0.2.1";
        let default = variables(remote, 16).await;
        assert!(
            default.ends_with(&["PGSSLMODE=verify-full".to_owned(), "PGSSLROOTCERT=system".to_owned()]),
            "{default:?}"
        );
        let named = variables(&format!("{remote}&sslmode=verify-ca&sslrootcert=/etc/ca.pem"), 15).await;
        assert!(
            named.ends_with(&["PGSSLMODE=verify-ca".to_owned(), "PGSSLROOTCERT=/etc/ca.pem".to_owned()]),
            "{named:?}"
        );
        let open = variables(&format!("{remote}&sslmode=disable"), 15).await;
        assert!(open.ends_with(&["PGSSLMODE=disable".to_owned()]), "{open:?}");
    }
}
