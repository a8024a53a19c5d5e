//! `/console/suppressions`

use askama::Template;
use inboxd_core::app::lists;
use inboxd_core::model::permissions::ListEntryRead;
use inboxd_core::model::{Scope, SuppressionReason};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::time::Moment;

const PATH: &str = "/console/suppressions";

#[derive(Template)]
#[template(path = "console/suppressions.html")]
struct SuppressionsPage {
    frame: Frame,
    suppressions: Vec<SuppressionRow>,
    older: Option<String>,
}

struct SuppressionRow {
    address: String,
    reason: &'static str,
    created: Moment,
}

/// Shows the addresses to which nothing is sent any more.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let caller = call.authorize::<ListEntryRead>(Scope::Organization)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let found = lists::list_suppressions(call.app(), &caller, paging.request.clone()).await?;
    let older = paging.next(found.next.as_ref()).map(|token| links::with_query(PATH, &[("page_token", &token)]));
    let rows = found.items.into_iter().map(|suppression| SuppressionRow {
        address: suppression.address.to_string(),
        reason: match suppression.reason {
            SuppressionReason::Bounce => "Its server refused a message for good",
            SuppressionReason::Complaint => "The person marked a message as spam",
        },
        created: Moment(suppression.created_at),
    });
    let template = SuppressionsPage {
        frame: call.frame(Section::Lists, "Suppressed addresses"),
        suppressions: rows.collect(),
        older,
    };
    call.render(&template)
}
