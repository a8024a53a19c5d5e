//! `POST /console/settings/plan` and `POST /console/settings/billing`: the way to the payment provider.
//!
//! The pages allow forms to this server alone, so the answer is a page with a link and no redirect.

use askama::Template;
use inboxd_core::app::billing::{self, Checkout};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "console/payment.html")]
struct PaymentPage<'a> {
    frame: Frame,
    url: &'a str,
}

/// Begins the payment of a plan.
pub(super) async fn checkout(call: &ConsoleCall) -> PageResult {
    let wanted = Checkout { plan: call.form.one("plan").map(ToOwned::to_owned), ..Checkout::default() };
    let url = billing::checkout(call.app(), &call.caller, wanted, &home(call)).await?;
    call.render(&PaymentPage { frame: call.frame(Section::Settings, "Pay for the plan"), url: &url })
}

/// Opens the customer's page at the payment provider.
pub(super) async fn portal(call: &ConsoleCall) -> PageResult {
    let url = billing::portal(call.app(), &call.caller, &home(call)).await?;
    call.render(&PaymentPage { frame: call.frame(Section::Settings, "Plan and invoices"), url: &url })
}

/// Returns the URL to which the payment provider sends the person back.
fn home(call: &ConsoleCall) -> String {
    format!("{}/console/settings", call.state().base_url)
}
