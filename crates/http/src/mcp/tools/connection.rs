//! Tools about the connection itself.

use std::sync::Arc;

use inboxd_core::app::account::{identity, overview};
use inboxd_core::model::Permission;
use inboxd_core::rules::access;
use serde::Serialize;

use crate::body::request;
use crate::mcp::results::{Output, shape_fields};
use crate::mcp::tool::{ToolCall, ToolResult};
use crate::views::time::format_time;
use crate::views::{IdentityView, OrganizationView};

request! {
    /// No arguments.
    pub(crate) struct ConnectionInfo {}
}

/// The caller, what it may do, and how much is left.
#[derive(Serialize)]
struct ConnectionFacts {
    #[serde(flatten)]
    identity: IdentityView,
    /// Permissions that this connection holds.
    granted: Vec<&'static str>,
    /// When the key or token ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// The organization with its limits and their use; absent without organization_read.
    #[serde(skip_serializing_if = "Option::is_none")]
    organization: Option<OrganizationView>,
}

pub(super) async fn connection_info(call: ToolCall<ConnectionInfo>) -> ToolResult {
    let caller = call.caller();
    let organizations = identity(call.app(), caller).await?;
    let organization = match access::holds(caller, Permission::OrganizationRead) {
        true => Some(overview(call.app(), caller).await?.into()),
        false => None,
    };
    let granted = Permission::ALL.iter().filter(|permission| access::holds(caller, **permission));
    let facts = ConnectionFacts {
        granted: granted.map(|permission| permission.as_str()).collect(),
        expires_at: caller.expires_at.map(format_time),
        organization,
        identity: IdentityView::new(Arc::unwrap_or_clone(Arc::clone(caller)), organizations),
    };
    Ok(Output::new(shape_fields(&facts)).into())
}
