//! A DNS server that answers what a test wants, over UDP and TCP on one port.

mod answering;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use hickory_resolver::proto::rr::rdata::{A, AAAA, MX, TXT};
use hickory_resolver::proto::rr::{Name, RData};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinHandle;

/// The most octets of an answer over UDP (RFC 1035, section 4.2.1); longer ones are asked for again over TCP.
const UDP_LIMIT: usize = 512;

/// How the server treats questions for a name.
#[derive(Debug, Clone)]
enum Entry {
    /// It answers these.
    Records(Vec<RData>),
    /// It never answers.
    Silent,
    /// It says that it failed (SERVFAIL).
    Failing,
    /// It answers with this code and no records.
    Code(u8),
    /// It names the servers that would know, as one does that asks nobody for others.
    Elsewhere,
    /// It answers with this alias alone, and not with what it leads to.
    Alias(Name),
}

type Zone = Arc<Mutex<BTreeMap<String, Entry>>>;

/// The server. It ends with this value.
#[derive(Debug)]
pub struct Dns {
    address: SocketAddr,
    zone: Zone,
    listening: [JoinHandle<()>; 2],
}

impl Dns {
    /// Starts one that knows no name.
    pub async fn start() -> Self {
        // The port that UDP is given may be taken for TCP: then another is tried.
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

    /// Where it answers, as `INBOXD_DNS_ADDR` takes it.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Adds a TXT record; long texts are split into strings of 255 octets.
    pub fn txt(&self, name: &str, text: &str) {
        let strings: Vec<&[u8]> = text.as_bytes().chunks(255).collect();
        self.add(name, RData::TXT(TXT::from_bytes(strings)));
    }

    /// Adds an MX record.
    pub fn mx(&self, name: &str, preference: u16, host: &str) {
        self.add(name, RData::MX(MX::new(preference, absolute(host))));
    }

    /// Adds an address of a host.
    pub fn host(&self, name: &str, address: IpAddr) {
        let data = match address {
            IpAddr::V4(address) => RData::A(A(address)),
            IpAddr::V6(address) => RData::AAAA(AAAA(address)),
        };
        self.add(name, data);
    }

    /// Adds the name that an address is called by (PTR).
    pub fn pointer(&self, address: IpAddr, name: &str) {
        let reverse = Name::from(address).to_ascii();
        self.add(&reverse, RData::PTR(hickory_resolver::proto::rr::rdata::PTR(absolute(name))));
    }

    /// Adds an alias (CNAME).
    pub fn alias(&self, name: &str, target: &str) {
        self.add(name, RData::CNAME(hickory_resolver::proto::rr::rdata::CNAME(absolute(target))));
    }

    /// Adds a record of a domain as the API names it.
    pub fn publish(&self, record: &Value) {
        let text = |name: &str| record[name].as_str().unwrap();
        if record["type"] == "MX" {
            let preference = u16::try_from(record["priority"].as_u64().unwrap()).unwrap();
            self.mx(text("name"), preference, text("value"));
        } else {
            self.txt(text("name"), text("value"));
        }
    }

    /// Adds every record of a domain as the API names them.
    pub fn publish_all(&self, domain: &Value) {
        for record in domain["records"].as_array().unwrap() {
            self.publish(record);
        }
    }

    /// Forgets a name.
    pub fn forget(&self, name: &str) {
        self.locked(|zone| zone.remove(&key(name)));
    }

    /// Answers nothing about a name from now on.
    pub fn silence(&self, name: &str) {
        self.locked(|zone| zone.insert(key(name), Entry::Silent));
    }

    /// Answers SERVFAIL about a name from now on.
    pub fn fail(&self, name: &str) {
        self.locked(|zone| zone.insert(key(name), Entry::Failing));
    }

    /// Answers a code (RFC 1035, section 4.1.1) and no records about a name from now on.
    pub fn code(&self, name: &str, code: u8) {
        self.locked(|zone| zone.insert(key(name), Entry::Code(code)));
    }

    /// Names other servers when asked about a name from now on (a referral; RFC 1034, section 4.3.1).
    pub fn refer(&self, name: &str) {
        self.locked(|zone| zone.insert(key(name), Entry::Elsewhere));
    }

    /// Answers an alias, and not what it leads to, about a name from now on.
    pub fn bare_alias(&self, name: &str, target: &str) {
        self.locked(|zone| zone.insert(key(name), Entry::Alias(absolute(target))));
    }

    fn add(&self, name: &str, data: RData) {
        self.locked(|zone| match zone.entry(key(name)).or_insert_with(|| Entry::Records(Vec::new())) {
            Entry::Records(records) => records.push(data),
            other => *other = Entry::Records(vec![data]),
        });
    }

    fn locked<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Entry>) -> T) {
        change(&mut self.zone.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Dns {
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
        if let Some(answer) = answering::answer(&zone, &buffer[..length], Some(UDP_LIMIT)) {
            let _ = socket.send_to(&answer, client).await;
        }
    }
}

async fn serve_tcp(listener: TcpListener, zone: Zone) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(converse(stream, Arc::clone(&zone)));
    }
}

/// Questions and answers, each behind its length (RFC 1035, section 4.2.2).
async fn converse(mut stream: TcpStream, zone: Zone) {
    while let Ok(length) = stream.read_u16().await {
        let mut question = vec![0; usize::from(length)];
        if stream.read_exact(&mut question).await.is_err() {
            return;
        }
        let Some(answer) = answering::answer(&zone, &question, None) else { continue };
        let length = u16::try_from(answer.len()).unwrap();
        if stream.write_u16(length).await.is_err() || stream.write_all(&answer).await.is_err() {
            return;
        }
    }
}
