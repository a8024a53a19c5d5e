//! `/console/theme`: choice of the colours.

use super::call::{ConsoleCall, PageResult};
use super::respond::is_own_path;
use crate::pages::theme;

pub(super) async fn choose(call: &ConsoleCall) -> PageResult {
    let next = call.form.one("next").filter(|next| is_own_path(next)).unwrap_or("/console");
    let mut response = call.redirect(next);
    theme::choose(call.state(), &mut response, call.form.one("theme").unwrap_or_default());
    Ok(response)
}
