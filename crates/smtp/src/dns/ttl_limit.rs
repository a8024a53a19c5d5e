//! Limit of the TTL of validated responses, for a cache without a limit of its own.

use std::pin::Pin;

use futures_util::{Stream, StreamExt as _};
use hickory_resolver::net::NetError;
use hickory_resolver::net::xfer::DnsHandle;
use hickory_resolver::proto::op::{DnsRequest, DnsResponse};

use super::MAX_CACHE_TTL;

/// Handle that limits the TTL of the records in answers to [`MAX_CACHE_TTL`].
#[derive(Clone)]
pub(super) struct TtlLimit<H>(pub(super) H);

impl<H: DnsHandle> DnsHandle for TtlLimit<H> {
    type Response = Pin<Box<dyn Stream<Item = Result<DnsResponse, NetError>> + Send>>;
    type Runtime = H::Runtime;

    fn is_verifying_dnssec(&self) -> bool {
        self.0.is_verifying_dnssec()
    }

    fn is_using_edns(&self) -> bool {
        self.0.is_using_edns()
    }

    fn send(&self, request: DnsRequest) -> Self::Response {
        Box::pin(self.0.send(request).map(|result| result.map(with_limited_ttl)))
    }
}

fn with_limited_ttl(mut response: DnsResponse) -> DnsResponse {
    let max_ttl = u32::try_from(MAX_CACHE_TTL.as_secs()).unwrap_or(u32::MAX);
    for record in &mut response.answers {
        record.ttl = record.ttl.min(max_ttl);
    }
    response
}
