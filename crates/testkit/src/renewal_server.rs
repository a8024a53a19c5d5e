//! ACME server with renewal information (RFC 9773): Pebble behind a front that adds it.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use x509_parser::extensions::ParsedExtension;

use crate::pebble::Pebble;
use crate::receiver::{ReceivedRequest, read_request};
use crate::tls_tunnel::TlsClient;

/// Path of the renewal information.
const RENEWAL_INFO: &str = "/renewalInfo";

/// Start and end of a renewal window, as RFC 3339 text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenewalWindow {
    /// Start.
    pub start: String,
    /// End.
    pub end: String,
}

/// An ACME server with renewal windows, which stops when this value is dropped. Certificates and challenges are those of
/// Pebble.
#[derive(Debug)]
pub struct RenewalServer {
    address: String,
    state: Arc<Mutex<RenewalState>>,
    listening: JoinHandle<()>,
}

#[derive(Debug)]
struct RenewalState {
    /// Window of the certificates to come.
    next_window: RenewalWindow,
    /// Ids of the issued certificates with their windows, oldest first.
    issued: Vec<(String, RenewalWindow)>,
    /// Ids of the queries, in their order.
    queries: Vec<String>,
    /// Ids of replaced certificates, in the order of the new orders.
    replaced: Vec<String>,
}

/// Connection to Pebble, and the state of the front.
#[derive(Clone)]
struct Front {
    origin: TlsClient,
    state: Arc<Mutex<RenewalState>>,
}

impl RenewalServer {
    /// Starts a front of Pebble, with its TLS certificate and this window for each certificate.
    pub async fn start(pebble: &Pebble, window: RenewalWindow) -> Self {
        let authority = std::fs::read_to_string(pebble.authority_file()).unwrap();
        let certificate = CertificateDer::from_pem_slice(authority.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_file(pebble.key_file()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = RenewalState { next_window: window, issued: Vec::new(), queries: Vec::new(), replaced: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let front =
            Front { origin: TlsClient::new(pebble.address(), "127.0.0.1", &authority), state: Arc::clone(&state) };
        let listening = tokio::spawn(async move {
            let mut running = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                running.spawn(front.clone().serve(acceptor.clone(), stream));
            }
        });
        Self { address, state, listening }
    }

    /// Returns the URL for `INBOXD_ACME_DIRECTORY`.
    #[must_use]
    pub fn directory(&self) -> String {
        format!("https://{}/dir", self.address)
    }

    /// Replaces the window of the certificates that are issued by now. Later ones get that of the start.
    pub fn move_windows(&self, window: &RenewalWindow) {
        for (_, moved) in &mut self.state.lock().unwrap().issued {
            moved.clone_from(window);
        }
    }

    /// Returns the ids of the issued certificates, oldest first (RFC 9773, section 4.1).
    #[must_use]
    pub fn issued(&self) -> Vec<String> {
        self.state.lock().unwrap().issued.iter().map(|(id, _)| id.clone()).collect()
    }

    /// Returns the ids of the queries for a window, in their order.
    #[must_use]
    pub fn queries(&self) -> Vec<String> {
        self.state.lock().unwrap().queries.clone()
    }

    /// Returns the ids of the certificates that new orders replace (RFC 9773, section 5).
    #[must_use]
    pub fn replaced(&self) -> Vec<String> {
        self.state.lock().unwrap().replaced.clone()
    }
}

impl Drop for RenewalServer {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Front {
    /// Serves one request and closes the connection.
    async fn serve(self, acceptor: TlsAcceptor, stream: TcpStream) {
        let Ok(stream) = acceptor.accept(stream).await else { return };
        let mut stream = BufReader::new(stream);
        let Some(request) = read_request(&mut stream).await else { return };
        let response = match request.path.strip_prefix(RENEWAL_INFO) {
            Some(id) => self.renewal_info(id.trim_start_matches('/')),
            None => self.forward(&request).await,
        };
        let _ = stream.write_all(&response).await;
        let _ = stream.shutdown().await;
    }

    /// Returns the window of a certificate (RFC 9773, section 4.2), or 404.
    fn renewal_info(&self, id: &str) -> Vec<u8> {
        let mut state = self.state.lock().unwrap();
        state.queries.push(id.to_owned());
        let Some((_, window)) = state.issued.iter().find(|(issued, _)| issued == id) else {
            let problem = json!({"type": "urn:ietf:params:acme:error:malformed", "detail": "no such certificate"});
            return response("HTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json", &problem.to_string());
        };
        let info = json!({"suggestedWindow": {"start": window.start, "end": window.end}});
        response("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nRetry-After: 21600", &info.to_string())
    }

    /// Returns the response of Pebble. The directory has renewal information, and an order the certificate that it
    /// replaces.
    async fn forward(&self, request: &ReceivedRequest) -> Vec<u8> {
        let (head, body) = self.request(request).await;
        let mut fields: Vec<(&str, Value)> = Vec::new();
        if request.path == "/dir" {
            fields.push(("renewalInfo", json!(format!("https://{}{RENEWAL_INFO}", request.header("host")))));
        }
        // Pebble refuses some nonces on purpose, and the client repeats such a request.
        if head.starts_with("HTTP/1.1 201")
            && let Some(replaced) = replaced_certificate(&request.body)
        {
            fields.push(("replaces", json!(replaced)));
            self.state.lock().unwrap().replaced.push(replaced);
        }
        if head.contains("application/pem-certificate-chain") {
            let mut state = self.state.lock().unwrap();
            let (id, window) = (certificate_id(&body), state.next_window.clone());
            if state.issued.iter().all(|(issued, _)| *issued != id) {
                state.issued.push((id, window));
            }
        }
        if fields.is_empty() {
            return response(&head, &body);
        }
        let mut object: Value = serde_json::from_str(&body).unwrap();
        for (name, value) in fields {
            object[name] = value;
        }
        response(&head, &object.to_string())
    }

    /// Sends a request to Pebble and returns head and body of the response. HTTP/1.0 ends a body with the connection.
    async fn request(&self, request: &ReceivedRequest) -> (String, String) {
        let mut bytes = format!("{} {} HTTP/1.0\r\n", request.method, request.path).into_bytes();
        for (name, value) in request.headers.iter().filter(|(name, _)| name != "connection") {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&request.body);
        let mut stream = self.origin.connect().await.unwrap();
        stream.write_all(&bytes).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let lines = head.lines().filter(|line| !line.to_ascii_lowercase().starts_with("content-length:"));
        let lines: Vec<&str> = lines.collect();
        (lines.join("\r\n").replacen("HTTP/1.0", "HTTP/1.1", 1), body.to_owned())
    }
}

/// Returns a complete response that ends its connection.
fn response(head: &str, body: &str) -> Vec<u8> {
    format!("{head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len()).into_bytes()
}

/// Returns the certificate that a new order replaces: a field of the payload of the JWS (RFC 8555, section 6.2).
fn replaced_certificate(body: &[u8]) -> Option<String> {
    let jws: Value = serde_json::from_slice(body).ok()?;
    let payload = URL_SAFE_NO_PAD.decode(jws["payload"].as_str()?).ok()?;
    let payload: Value = serde_json::from_slice(&payload).ok()?;
    payload["replaces"].as_str().map(str::to_owned)
}

/// Returns the id of the first certificate of a chain: the key identifier of its authority and its serial number, each in
/// base64url (RFC 9773, section 4.1).
fn certificate_id(chain: &str) -> String {
    let leaf = CertificateDer::from_pem_slice(chain.as_bytes()).unwrap();
    let (_, leaf) = x509_parser::parse_x509_certificate(&leaf).unwrap();
    let authority = leaf.extensions().iter().find_map(|extension| match extension.parsed_extension() {
        ParsedExtension::AuthorityKeyIdentifier(authority) => authority.key_identifier.as_ref().map(|key| key.0),
        _ => None,
    });
    format!("{}.{}", URL_SAFE_NO_PAD.encode(authority.unwrap()), URL_SAFE_NO_PAD.encode(leaf.raw_serial()))
}
