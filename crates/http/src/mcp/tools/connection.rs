//! Tools of the connection itself and of the confirmation of its organization.

use std::sync::Arc;

use inboxd_core::app::account::{Confirmation, identity, overview, send_allowance, verify};
use inboxd_core::app::inboxes;
use inboxd_core::model::permissions::InboxRead;
use inboxd_core::model::{PageRequest, Permission};
use inboxd_core::rules::access;
use serde_json::{Map, Value, json};

use crate::body::request;
use crate::endpoints::account::verify::VerifyResponse;
use crate::error::ApiError;
use crate::mcp::call::ToolContext;
use crate::mcp::results::{Output, shape, shape_fields};
use crate::mcp::tool::{ToolCall, ToolResult};
use crate::views::time::format_time;
use crate::views::{IdentityView, OrganizationView};

/// Number of inboxes that the connection shows; `list_inboxes` has the others.
const MAX_INBOXES: u32 = 20;

request! {
    /// No arguments.
    pub(crate) struct NoArguments {}
}

request! {
    /// A code.
    pub(crate) struct MailedCode {
        /// The six digits.
        otp_code: String,
        /// Keeps existing keys and webhooks; otherwise they are revoked.
        keep_existing_keys: Option<bool>,
    }
}

pub(super) async fn connection_info(call: ToolCall<NoArguments>) -> ToolResult {
    let caller = call.caller();
    let organizations = identity(call.app(), caller).await?;
    let mut fields = shape_fields(&IdentityView::new(Arc::unwrap_or_clone(Arc::clone(caller)), organizations));
    let granted = Permission::ALL.iter().filter(|permission| access::holds(caller, **permission));
    let granted: Vec<&str> = granted.map(|permission| permission.as_str()).collect();
    fields.insert("granted".to_owned(), granted.into());
    fields.insert("verified".to_owned(), caller.organization.is_verified().into());
    if let Some(expires_at) = caller.expires_at {
        fields.insert("expiresAt".to_owned(), format_time(expires_at).into());
    }
    if access::holds(caller, Permission::InboxRead) {
        fields.insert("inboxes".to_owned(), first_inboxes(&call.context).await?);
    }
    if access::holds(caller, Permission::MessageSend) || access::holds(caller, Permission::DraftSend) {
        fields.insert("sending".to_owned(), sending(&call.context).await?);
    }
    if access::holds(caller, Permission::OrganizationRead) {
        let organization = OrganizationView::from(overview(call.app(), caller).await?);
        fields.insert("organization".to_owned(), shape(&organization));
    }
    Ok(Output::new(fields).into())
}

/// Returns the addresses of the newest inboxes.
async fn first_inboxes(context: &ToolContext) -> Result<Value, ApiError> {
    let caller = context.authorize_all::<InboxRead>()?;
    let request = PageRequest { limit: MAX_INBOXES, ..PageRequest::default() };
    let page = inboxes::list(context.app(), &caller, request).await?;
    Ok(page.items.into_iter().map(|inbox| inbox.inbox_id.to_string()).collect())
}

/// Returns the sending limits; an absent limit is none.
async fn sending(context: &ToolContext) -> Result<Value, ApiError> {
    let allowance = send_allowance(context.app(), context.caller()).await?;
    let mut fields = Map::new();
    for (name, number) in [
        ("emailsPerDay", allowance.emails_per_day),
        ("emailsPerMonth", allowance.emails_per_month),
        ("leftToday", allowance.left_today()),
    ] {
        fields.extend(number.map(|number| (name.to_owned(), json!(number))));
    }
    if !fields.is_empty() {
        fields.insert("sentToday".to_owned(), allowance.sent.today.into());
        fields.insert("sentThisMonth".to_owned(), allowance.sent.this_month.into());
    }
    fields.insert("limited".to_owned(), allowance.left_today().is_some().into());
    Ok(Value::Object(fields))
}

pub(super) async fn agent_verify(call: ToolCall<MailedCode>) -> ToolResult {
    let keep_existing_keys = call.input.keep_existing_keys.unwrap_or(false);
    let confirmation = Confirmation { otp_code: call.input.otp_code.clone(), keep_existing_keys };
    let verified = verify(call.app(), call.caller(), &confirmation).await?;
    Ok(Output::new(shape_fields(&VerifyResponse::from(verified))).into())
}
