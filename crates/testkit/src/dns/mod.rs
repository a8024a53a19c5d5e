//! DNS server with test-defined responses, over UDP and TCP on one port.

mod forging;
mod response;
mod signed;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use hickory_resolver::proto::rr::rdata::{A, AAAA, MX, TXT};
use hickory_resolver::proto::rr::{Name, RData};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinHandle;

pub use forging::ForgingDns;
pub use signed::SignedDns;

/// Maximum UDP response (RFC 1035, section 4.2.1); the resolver repeats truncated queries over TCP.
const MAX_UDP_BYTES: usize = 512;

/// Behaviour of the server for one name.
#[derive(Debug, Clone)]
enum Entry {
    /// These records.
    Records(Vec<RData>),
    /// No response.
    Silent,
    /// SERVFAIL.
    Failing,
    /// This response code without records.
    Code(u8),
    /// A referral to other name servers, as from a server without recursion.
    Referral,
    /// This alias without the records of its target.
    Alias(Name),
}

type Zone = Arc<Mutex<BTreeMap<String, Entry>>>;

/// A DNS server that stops when this value is dropped.
#[derive(Debug)]
pub struct DnsServer {
    address: SocketAddr,
    zone: Zone,
    listening: [JoinHandle<()>; 2],
}

impl DnsServer {
    /// Starts a server with an empty zone.
    pub async fn start() -> Self {
        // The port of the UDP socket may be in use for TCP; then the loop binds another.
        loop {
            let udp = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            let address = udp.local_addr().unwrap();
            let Ok(tcp) = TcpListener::bind(address).await else { continue };
            let zone = Zone::default();
            let listening =
                [tokio::spawn(serve_udp(udp, Arc::clone(&zone))), tokio::spawn(serve_tcp(tcp, Arc::clone(&zone)))];
            return Self { address, zone, listening };
        }
    }

    /// Returns the address for `INBOXD_DNS_ADDR`.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Adds a TXT record; splits long texts into strings of 255 bytes.
    pub fn txt(&self, name: &str, text: &str) {
        let strings: Vec<&[u8]> = text.as_bytes().chunks(255).collect();
        self.add(name, RData::TXT(TXT::from_bytes(strings)));
    }

    /// Adds an MX record.
    pub fn mx(&self, name: &str, preference: u16, host: &str) {
        self.add(name, RData::MX(MX::new(preference, absolute(host))));
    }

    /// Adds an A or AAAA record.
    pub fn host(&self, name: &str, address: IpAddr) {
        let data = match address {
            IpAddr::V4(address) => RData::A(A(address)),
            IpAddr::V6(address) => RData::AAAA(AAAA(address)),
        };
        self.add(name, data);
    }

    /// Adds a PTR record for an address.
    pub fn pointer(&self, address: IpAddr, name: &str) {
        let reverse = Name::from(address).to_ascii();
        self.add(&reverse, RData::PTR(hickory_resolver::proto::rr::rdata::PTR(absolute(name))));
    }

    /// Adds a CNAME record.
    pub fn alias(&self, name: &str, target: &str) {
        self.add(name, RData::CNAME(hickory_resolver::proto::rr::rdata::CNAME(absolute(target))));
    }

    /// Adds a record in the form of the domains API.
    pub fn publish(&self, record: &Value) {
        let text = |name: &str| record[name].as_str().unwrap();
        if record["type"] == "MX" {
            let preference = u16::try_from(record["priority"].as_u64().unwrap()).unwrap();
            self.mx(text("name"), preference, text("value"));
        } else {
            self.txt(text("name"), text("value"));
        }
    }

    /// Adds all records of a domain in the form of the domains API.
    pub fn publish_all(&self, domain: &Value) {
        for record in domain["records"].as_array().unwrap() {
            self.publish(record);
        }
    }

    /// Removes a name.
    pub fn remove(&self, name: &str) {
        self.change_zone(|zone| zone.remove(&key(name)));
    }

    /// Stops responding to queries for a name.
    pub fn silence(&self, name: &str) {
        self.change_zone(|zone| zone.insert(key(name), Entry::Silent));
    }

    /// Responds with SERVFAIL to queries for a name.
    pub fn fail(&self, name: &str) {
        self.change_zone(|zone| zone.insert(key(name), Entry::Failing));
    }

    /// Responds with this code (RFC 1035, section 4.1.1) and no records to queries for a name.
    pub fn code(&self, name: &str, code: u8) {
        self.change_zone(|zone| zone.insert(key(name), Entry::Code(code)));
    }

    /// Responds with a referral to queries for a name (RFC 1034, section 4.3.1).
    pub fn refer(&self, name: &str) {
        self.change_zone(|zone| zone.insert(key(name), Entry::Referral));
    }

    /// Responds with an alias, without the records of its target, to queries for a name.
    pub fn bare_alias(&self, name: &str, target: &str) {
        self.change_zone(|zone| zone.insert(key(name), Entry::Alias(absolute(target))));
    }

    fn add(&self, name: &str, data: RData) {
        self.change_zone(|zone| match zone.entry(key(name)).or_insert_with(|| Entry::Records(Vec::new())) {
            Entry::Records(records) => records.push(data),
            other => *other = Entry::Records(vec![data]),
        });
    }

    fn change_zone<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Entry>) -> T) {
        change(&mut self.zone.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for DnsServer {
    fn drop(&mut self) {
        for task in &self.listening {
            task.abort();
        }
    }
}

fn key(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

fn absolute(name: &str) -> Name {
    let mut name = Name::from_ascii(name).unwrap();
    name.set_fqdn(true);
    name
}

async fn serve_udp(socket: UdpSocket, zone: Zone) {
    let mut buffer = [0; 4096];
    while let Ok((length, client)) = socket.recv_from(&mut buffer).await {
        if let Some(answer) = response::respond(&zone, &buffer[..length], Some(MAX_UDP_BYTES)) {
            let _ = socket.send_to(&answer, client).await;
        }
    }
}

async fn serve_tcp(listener: TcpListener, zone: Zone) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve_stream(stream, Arc::clone(&zone)));
    }
}

/// Serves length-prefixed messages (RFC 1035, section 4.2.2).
async fn serve_stream(mut stream: TcpStream, zone: Zone) {
    while let Ok(length) = stream.read_u16().await {
        let mut question = vec![0; usize::from(length)];
        if stream.read_exact(&mut question).await.is_err() {
            return;
        }
        let Some(answer) = response::respond(&zone, &question, None) else { continue };
        let length = u16::try_from(answer.len()).unwrap();
        if stream.write_u16(length).await.is_err() || stream.write_all(&answer).await.is_err() {
            return;
        }
    }
}
