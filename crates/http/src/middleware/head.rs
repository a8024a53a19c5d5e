//! Responses to HEAD: the head of the response to GET, without its content (RFC 9110, section 9.3.2).

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use bytes::Bytes;

/// Drops the content of a response to HEAD, and keeps its length.
///
/// The HTTP/1.1 library reads the content to its end and writes nothing of it. A stored object would be read for nothing, and
/// an event stream has no end: it would keep its connection and its place among the subscribers.
pub(super) fn drop_content(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    if *response.request().method() != Method::HEAD {
        return response;
    }
    response.map_body(|_, body| BoxBody::new(OmittedBody(body.size())))
}

/// Body without content that states a length.
struct OmittedBody(BodySize);

impl MessageBody for OmittedBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::HttpResponse;
    use actix_web::body::{BodyStream, SizedStream, to_bytes};
    use actix_web::test::TestRequest;
    use futures_util::stream::pending;

    use super::*;

    #[tokio::test]
    async fn head_has_length_and_never_reads_content() {
        let pieces = pending::<Result<Bytes, std::io::Error>>;
        for (body, size) in [
            (BoxBody::new(SizedStream::new(9, pieces())), BodySize::Sized(9)),
            (BoxBody::new(BodyStream::new(pieces())), BodySize::Stream),
            (BoxBody::new("text"), BodySize::Sized(4)),
        ] {
            let response = HttpResponse::Ok().body(body);
            let response = TestRequest::default().method(Method::HEAD).to_srv_response(response);
            let body = drop_content(response.map_into_boxed_body()).into_body();
            assert_eq!(body.size(), size);
            assert_eq!(to_bytes(body).await.ok().as_deref(), Some(&b""[..]));
        }
        let response = TestRequest::get().to_srv_response(HttpResponse::Ok().body("text"));
        let body = drop_content(response.map_into_boxed_body()).into_body();
        assert_eq!(to_bytes(body).await.ok().as_deref(), Some(&b"text"[..]));
    }
}
