//! TLS to the server, begun as the protocol says (PostgreSQL documentation, "SSL Session Encryption").

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsConnector;

use super::options::{Authorities, Encryption, TlsOptions, Verification};
use super::stream::ByteStream;

/// `SSLRequest`: its length and its code.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
/// Protocol name that a server checks (ALPN).
const PROTOCOL: &[u8] = b"postgresql";

/// Encrypts a fresh connection as a URL asks. Nothing but the request is sent before.
///
/// # Errors
/// For a server without TLS where it is required, an invalid certificate and unreadable files.
pub(super) async fn encrypt(
    mut stream: Box<dyn ByteStream>,
    host: &str,
    encryption: Encryption,
    options: &TlsOptions,
) -> io::Result<Box<dyn ByteStream>> {
    let verification = match encryption {
        Encryption::Never => return Ok(stream),
        Encryption::IfOffered(verification) | Encryption::Always(verification) => verification,
    };
    if !options.is_direct {
        stream.write_all(&SSL_REQUEST).await?;
        // One byte is read and no more, so nothing that follows in the clear is taken for an answer.
        match (stream.read_u8().await.map_err(closed)?, encryption) {
            (b'S', _) => {}
            (b'N', Encryption::IfOffered(_)) => return Ok(stream),
            (b'N', _) => {
                let text = "the server does not offer TLS: turn on ssl there, or write sslmode=disable if you trust the network";
                return Err(io::Error::other(text));
            }
            _ => return Err(io::Error::other("the server does not answer the request for TLS: is it PostgreSQL?")),
        }
    }
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    let config = client_config(verification, options).await?;
    let encrypted = TlsConnector::from(Arc::new(config)).connect(name, stream).await.map_err(explained)?;
    Ok(Box::new(encrypted))
}

/// Adds what to check if the connection ended before the first reply, as a proxy without a server ends it.
fn closed(error: io::Error) -> io::Error {
    if error.kind() != io::ErrorKind::UnexpectedEof {
        return error;
    }
    io::Error::new(
        error.kind(),
        "the connection was closed at once: check that PostgreSQL runs, or that its proxy finds it",
    )
}

/// Adds what to do to a refusal of a certificate.
fn explained(error: io::Error) -> io::Error {
    let refused = error.get_ref().and_then(|error| error.downcast_ref::<Error>());
    let help = match refused {
        Some(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            "; name the file of its authority with sslrootcert"
        }
        Some(Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => "; connect by a name of the certificate, or write sslmode=verify-ca with a private sslrootcert",
        _ => return error,
    };
    io::Error::new(error.kind(), format!("{error}{help}"))
}

/// Returns the configuration of a connection. Files are read each time, so that new certificates need no restart.
async fn client_config(verification: Verification, options: &TlsOptions) -> io::Result<ClientConfig> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(io::Error::other)?;
    let verifier = verifier(verification, options.authorities(), provider).await?;
    let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match &options.client {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let key = PrivateKeyDer::from_pem_slice(&read(key).await?).map_err(io::Error::other)?;
            builder.with_client_auth_cert(certificates(certificate).await?, key).map_err(io::Error::other)?
        }
    };
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(config)
}

async fn verifier(
    verification: Verification,
    authorities: &Authorities,
    provider: Arc<CryptoProvider>,
) -> io::Result<ServerVerifier> {
    let mut verifier = ServerVerifier { chain: None, trusted: Vec::new(), is_named: false, provider };
    if verification == Verification::KeyOnly {
        return Ok(verifier);
    }
    let mut roots = RootCertStore::empty();
    match authorities {
        Authorities::Public => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Authorities::File(path) => {
            verifier.trusted = certificates(path).await?;
            for certificate in &verifier.trusted {
                roots.add(certificate.clone()).map_err(io::Error::other)?;
            }
        }
    }
    let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&verifier.provider)).build();
    verifier.chain = Some(chain.map_err(io::Error::other)?);
    verifier.is_named = verification == Verification::AuthorityAndName;
    Ok(verifier)
}

async fn certificates(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let text = read(path).await?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&text).collect::<Result<_, _>>().map_err(io::Error::other)?;
    if found.is_empty() {
        return Err(io::Error::other(format!("{} holds no PEM certificate", path.display())));
    }
    Ok(found)
}

async fn read(path: &Path) -> io::Result<Vec<u8>> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let owned = path.to_owned();
    tokio::task::spawn_blocking(move || std::fs::read(owned)).await.map_err(io::Error::other)?.map_err(named)
}

/// Verifier of the certificate of a server. It always demands proof of the private key.
#[derive(Debug)]
struct ServerVerifier {
    /// Verifier of issuer and name; without one any certificate is accepted.
    chain: Option<Arc<WebPkiServerVerifier>>,
    /// Certificates of the file of authorities. A server that signed its own certificate presents one of them.
    trusted: Vec<CertificateDer<'static>>,
    /// Whether the name must match.
    is_named: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for ServerVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        if self.trusted.iter().any(|trusted| trusted == end_entity) {
            if self.is_named {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
            }
            return Ok(ServerCertVerified::assertion());
        }
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.is_named => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
