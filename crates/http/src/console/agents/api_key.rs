//! `/console/api-keys/{api_key_id}`

use askama::Template;
use inboxd_core::app::api_keys::{self, KeyChange};
use inboxd_core::model::permissions::ApiKeyRead;
use inboxd_core::model::{ApiKey, Permission, Scope};
use inboxd_core::rules::access::{self, ApiKeyChange};

use super::api_keys::{ACCESSES, KeyRow, permissions_of, row};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::Choice;
use crate::console::frame::{Frame, Section};
use crate::console::problem::{Problem, render_form};
use crate::error::ApiError;

#[derive(Template)]
#[template(path = "console/api_key.html")]
struct ApiKeyPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    key: KeyRow,
    form: Option<ChangeForm>,
    may_revoke: bool,
    may_read_policy: bool,
}

/// The form, with what was typed.
struct ChangeForm {
    name: String,
    accesses: Vec<Choice>,
}

/// Shows a key and the form that changes it.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Changes the name of a key and what it may do.
pub(super) async fn change(call: &ConsoleCall) -> PageResult {
    match save(call).await {
        Ok(key) => Ok(call.redirect(&format!("/console/api-keys/{}?notice=saved", key.api_key_id))),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

async fn save(call: &ConsoleCall) -> Result<ApiKey, ApiError> {
    let caller = call.authorize::<ApiKeyChange>(Scope::Organization)?;
    let access = call.form.one("access").map(|access| permissions_of(Some(access))).transpose()?;
    let change = KeyChange {
        name: Some(call.form.one("name").unwrap_or_default().trim().to_owned()),
        permissions: access.flatten(),
    };
    call.with_fix(api_keys::update(call.app(), &caller, call.api_key_id()?, change).await)
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let caller = call.authorize::<ApiKeyRead>(Scope::Organization)?;
    let key = api_keys::get(call.app(), &caller, call.api_key_id()?).await?;
    let typed = |field: &str| problem.and_then(|_| call.form.one(field));
    let may_change = call.may(access::key_change_permission(&call.caller));
    let form = may_change.then(|| ChangeForm {
        name: typed("name").unwrap_or(&key.name).to_owned(),
        accesses: choices(typed("access").unwrap_or_default()),
    });
    let row = row(key, call.app().clock.now());
    let template = ApiKeyPage {
        frame: call.frame(Section::ApiKeys, "API key"),
        problem,
        may_read_policy: !row.is_personal && call.may(Permission::PolicyRead),
        key: row,
        form,
        may_revoke: call.may(Permission::ApiKeyDelete),
    };
    render_form(call, problem, &template)
}

/// Returns the permissions to choose. A change names permissions; it cannot give all.
fn choices(chosen: &str) -> Vec<Choice> {
    let named = ACCESSES.into_iter().filter(|(.., scope)| scope.is_some()).map(|(value, label, _)| (value, label));
    let all: Vec<_> = [("", "The same as now")].into_iter().chain(named).collect();
    Choice::fixed(&all, |value| value == chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_offers_the_present_and_named_permissions() {
        let offered = choices("send");
        let values: Vec<_> = offered.iter().map(|choice| (choice.value.as_str(), choice.is_chosen)).collect();
        assert_eq!(values, [("", false), ("mail", false), ("send", true), ("draft", false), ("read", false)]);
    }
}
