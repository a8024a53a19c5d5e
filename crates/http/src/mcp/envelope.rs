//! The parts of a JSON-RPC request that decide before rmcp reads it.

use actix_web::http::header::HeaderMap;
use serde::Deserialize;

/// First revision without `initialize` and `ping`.
const STATELESS_REVISION: &str = "2026-07-28";

/// Method and name of a JSON-RPC request. A body that is none has neither.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Envelope {
    method: Option<String>,
    #[serde(default)]
    params: Option<EnvelopeParams>,
}

#[derive(Debug, Default, Deserialize)]
struct EnvelopeParams {
    name: Option<String>,
    #[serde(rename = "_meta")]
    meta: Option<EnvelopeMeta>,
}

#[derive(Debug, Default, Deserialize)]
struct EnvelopeMeta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<String>,
}

impl Envelope {
    /// Reads the envelope of a body.
    pub(super) fn of(body: &[u8]) -> Self {
        serde_json::from_slice(body).unwrap_or_default()
    }

    /// Returns whether this is a ping of a revision that has pings.
    pub(super) fn is_legacy_ping(&self, headers: &HeaderMap) -> bool {
        let is_stateless = |version: &str| version >= STATELESS_REVISION;
        let header = headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
        let meta = self.params.as_ref().and_then(|params| params.meta.as_ref()?.version.as_deref());
        self.method.as_deref() == Some("ping") && !header.is_some_and(is_stateless) && !meta.is_some_and(is_stateless)
    }

    /// Returns the name of the tool that is called.
    pub(super) fn called_tool(&self) -> Option<&str> {
        let is_call = self.method.as_deref() == Some("tools/call");
        self.params.as_ref().filter(|_| is_call)?.name.as_deref()
    }
}
