//! Redirects of plain HTTP to the base URL, and responses to the ACME challenge `http-01`.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_http::body::BoxBody;
use actix_http::error::DispatchError;
use actix_http::header::{CONTENT_TYPE, HeaderValue, LOCATION};
use actix_http::{HttpService, Protocol, Request, Response, StatusCode};
use actix_server::ServerBuilder;
use actix_service::{ServiceFactoryExt as _, fn_service};
use tokio::net::TcpStream;

use crate::accept::Acceptor;
use crate::tls::ChallengeResponses;

/// Path of the challenges (RFC 8555, section 8.3).
const CHALLENGE_PATH: &str = "/.well-known/acme-challenge/";
/// Maximum bytes of a token.
const MAX_TOKEN_BYTES: usize = 128;
/// Time for a client to send the head of a request, and to close the connection.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(5);

/// Adds a listener that redirects every request to the same path of the base URL.
pub(crate) fn listen(
    builder: ServerBuilder,
    name: String,
    socket: TcpListener,
    acceptor: Acceptor,
    base_url: &str,
    challenges: Option<Arc<dyn ChallengeResponses>>,
) -> std::io::Result<ServerBuilder> {
    let origin: Arc<str> = origin(base_url).into();
    builder.listen(name, socket, move || {
        let (acceptor, origin, challenges) = (acceptor.clone(), Arc::clone(&origin), challenges.clone());
        let http = HttpService::build()
            .client_request_timeout(CLIENT_TIMEOUT)
            .client_disconnect_timeout(CLIENT_TIMEOUT)
            .keep_alive(CLIENT_TIMEOUT)
            .finish(fn_service(move |request: Request| {
                let (origin, challenges) = (Arc::clone(&origin), challenges.clone());
                async move { Ok::<_, Infallible>(respond(&request, &origin, challenges.as_deref()).await) }
            }));
        fn_service(move |socket: TcpStream| {
            let acceptor = acceptor.clone();
            async move {
                let accepted = acceptor.accept(socket, Arc::new(|_| MALFORMED.to_vec())).await;
                let (connection, client) = accepted.map_err(DispatchError::Io)?;
                Ok((connection, Protocol::Http1, Some(client)))
            }
        })
        .and_then(http)
    })
}

/// Response to a request that the parser refuses.
const MALFORMED: &[u8] = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

async fn respond(request: &Request, origin: &str, challenges: Option<&dyn ChallengeResponses>) -> Response<BoxBody> {
    if let Some(token) = request.path().strip_prefix(CHALLENGE_PATH) {
        let found = match challenges {
            Some(challenges) if token.len() <= MAX_TOKEN_BYTES => challenges.http(token).await,
            _ => None,
        };
        return match found {
            Some(text) => {
                let mut response = Response::new(StatusCode::OK).set_body(BoxBody::new(text));
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
                response
            }
            None => Response::new(StatusCode::NOT_FOUND).map_body(|_, _| BoxBody::new("no such challenge\n")),
        };
    }
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
    let location = if target.starts_with('/') { format!("{origin}{target}") } else { format!("{origin}/") };
    let mut response = Response::new(StatusCode::PERMANENT_REDIRECT).map_body(|_, _| BoxBody::new(()));
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// Returns scheme and host of a URL.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |scheme| scheme + 3);
    let end = url.get(host..).and_then(|rest| rest.find('/')).map_or(url.len(), |length| host + length);
    url.get(..end).unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_has_scheme_and_host_only() {
        for (url, expected) in [
            ("https://mail.example.org", "https://mail.example.org"),
            ("https://mail.example.org:8443/inboxd", "https://mail.example.org:8443"),
        ] {
            assert_eq!(origin(url), expected);
        }
    }
}
