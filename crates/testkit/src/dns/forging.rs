//! DNS proxy that changes responses, as an attacker between a resolver and its client.

use std::net::SocketAddr;
use std::sync::Arc;

use hickory_resolver::proto::op::Message;
use hickory_resolver::proto::rr::RecordType;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

type Forgery = dyn Fn(&mut Message) + Send + Sync;

/// A DNS proxy over UDP that stops when this value is dropped.
#[derive(Debug)]
pub struct ForgingDns {
    address: SocketAddr,
    listening: JoinHandle<()>,
}

impl ForgingDns {
    /// Starts a proxy in front of a server. The function changes each response.
    pub async fn start(server: SocketAddr, forge: impl Fn(&mut Message) + Send + Sync + 'static) -> Self {
        let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let address = socket.local_addr().unwrap();
        let forge: Arc<Forgery> = Arc::new(forge);
        let listening = tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok((length, client)) = socket.recv_from(&mut buffer).await {
                let (socket, forge, query) = (Arc::clone(&socket), Arc::clone(&forge), buffer[..length].to_vec());
                tokio::spawn(async move {
                    let response = forward(server, &query, &*forge).await;
                    let _ = socket.send_to(&response, client).await;
                });
            }
        });
        Self { address, listening }
    }

    /// Starts a proxy that removes all DNSSEC records, as a resolver without DNSSEC.
    pub async fn stripping(server: SocketAddr) -> Self {
        Self::start(server, strip).await
    }

    /// Returns the address of the proxy.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for ForgingDns {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Removes all DNSSEC records of a response.
fn strip(response: &mut Message) {
    for section in [&mut response.answers, &mut response.authorities, &mut response.additionals] {
        section.retain(|record| {
            !matches!(
                record.record_type(),
                RecordType::RRSIG | RecordType::NSEC | RecordType::NSEC3 | RecordType::DNSKEY | RecordType::DS
            )
        });
    }
}

async fn forward(server: SocketAddr, query: &[u8], forge: &Forgery) -> Vec<u8> {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.send_to(query, server).await.unwrap();
    let mut buffer = [0; 4096];
    let (length, _) = socket.recv_from(&mut buffer).await.unwrap();
    let mut response = Message::from_vec(&buffer[..length]).unwrap();
    forge(&mut response);
    response.to_vec().unwrap()
}
