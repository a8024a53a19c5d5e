//! First steps of an empty console. Each is done as soon as its result exists.

use inboxd_core::app::threads::{self, ThreadFilter};
use inboxd_core::app::{api_keys, oauth};
use inboxd_core::model::permissions::{ApiKeyRead, MessageRead};
use inboxd_core::model::{HidingLabels, Inbox, PageRequest, Permission, Scope};
use inboxd_core::rules::access;

use crate::console::call::ConsoleCall;
use crate::console::links;
use crate::error::ApiError;

/// Number of inboxes from which a console is no longer new.
const MAX_INBOXES: usize = 3;

/// A step.
pub(super) struct FirstStep {
    pub(super) title: String,
    pub(super) text: String,
    /// Where to do it, with the words of each link.
    pub(super) links: Vec<(String, &'static str)>,
    pub(super) is_done: bool,
}

/// Returns the steps for the owner or an admin of an organization that begins; `None` once all are done.
///
/// # Errors
/// When storage fails.
pub(super) async fn first_steps(call: &ConsoleCall, inboxes: &[Inbox]) -> Result<Option<[FirstStep; 3]>, ApiError> {
    if inboxes.len() > MAX_INBOXES || !access::is_unrestricted(&call.caller) {
        return Ok(None);
    }
    let (has_mail, has_agent) = (has_mail(call).await?, has_agent(call).await?);
    if !inboxes.is_empty() && has_mail && has_agent {
        return Ok(None);
    }
    let first = inboxes.last().map(|inbox| &inbox.inbox_id);
    let compose = first
        .filter(|_| call.may(Permission::DraftCreate))
        .map(|inbox_id| (links::in_inbox(inbox_id, "compose"), "Compose"));
    let address = FirstStep {
        title: "Get an address".to_owned(),
        text: first.map_or_else(
            || "Make an inbox with the form below.".to_owned(),
            |inbox_id| format!("Your first address is {inbox_id}."),
        ),
        links: Vec::new(),
        is_done: first.is_some(),
    };
    let mail = FirstStep {
        title: "Receive or send a first mail".to_owned(),
        text: "Send a mail to this inbox, or write one from it, even to itself.".to_owned(),
        links: compose.into_iter().collect(),
        is_done: has_mail,
    };
    let endpoint = call.state().issuer().map(|issuer| format!("{issuer}/mcp"));
    let client = endpoint.is_some().then(|| ("/console/connections".to_owned(), "Connect a chat client"));
    let agent = FirstStep {
        title: "Connect an agent".to_owned(),
        text: endpoint.map_or_else(
            || "Make an API key and give it to your agent.".to_owned(),
            |url| format!("Add {url} to Claude or ChatGPT, or make an API key for your own agent."),
        ),
        links: client.into_iter().chain([("/console/api-keys".to_owned(), "Make an API key")]).collect(),
        is_done: has_agent,
    };
    Ok(Some([address, mail, agent]))
}

async fn has_mail(call: &ConsoleCall) -> Result<bool, ApiError> {
    let caller = call.authorize::<MessageRead>(Scope::Organization)?;
    let filter = ThreadFilter { include: HidingLabels::ALL, page: first_row(), ..ThreadFilter::default() };
    Ok(!threads::list(call.app(), &caller, filter).await?.items.is_empty())
}

async fn has_agent(call: &ConsoleCall) -> Result<bool, ApiError> {
    let caller = call.authorize::<ApiKeyRead>(Scope::Organization)?;
    if !api_keys::list(call.app(), &caller, first_row()).await?.items.is_empty() {
        return Ok(true);
    }
    Ok(!oauth::list_connections(call.app(), &call.caller, first_row()).await?.items.is_empty())
}

fn first_row() -> PageRequest {
    PageRequest { limit: 1, ..PageRequest::default() }
}
