//! `/console/members/{member_id}`

use askama::Template;
use inboxd_core::app::members::{self, MemberChange};
use inboxd_core::model::{Member, Permission, Role};
use inboxd_core::rules::access;

use super::members::{MemberRow, ROLES, row};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, inbox_choices, marked_inboxes};
use crate::console::frame::{Frame, Section};
use crate::console::problem::{Problem, render_form};
use crate::error::ApiError;

#[derive(Template)]
#[template(path = "console/member.html")]
struct MemberPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    member: MemberRow,
    is_self: bool,
    form: Option<MemberForm>,
    may_remove: bool,
}

struct MemberForm {
    name: String,
    roles: Vec<Choice>,
    inboxes: Vec<Choice>,
}

/// Shows a member and the form that changes it.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Changes the name, role and inboxes of a member.
pub(super) async fn change(call: &ConsoleCall) -> PageResult {
    match save(call).await {
        Ok(_) => Ok(call.redirect("/console/members?notice=saved")),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

/// Removes a member, or withdraws an invitation.
pub(super) async fn remove(call: &ConsoleCall) -> PageResult {
    let member_id = call.member_id()?;
    access::require_removal(&call.caller, member_id)?;
    members::remove(call.app(), &call.caller, member_id).await?;
    Ok(call.redirect("/console/members?notice=removed"))
}

async fn save(call: &ConsoleCall) -> Result<Member, ApiError> {
    call.require(Permission::MemberUpdate)?;
    let member_id = call.member_id()?;
    let member = members::get(call.app(), &call.caller, member_id).await?;
    let role = call.form.one("role").filter(|role| *role != member.role.as_str());
    let change = MemberChange {
        name: Some(call.form.one("name").unwrap_or_default().trim().to_owned()),
        role: role.map(ToOwned::to_owned),
        inbox_ids: (member.role != Role::Owner).then(|| marked_inboxes(call)),
    };
    Ok(members::update(call.app(), &call.caller, member_id, change).await?)
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    call.require(Permission::MemberRead)?;
    let member = members::get(call.app(), &call.caller, call.member_id()?).await?;
    let is_self = call.caller.member.as_ref().is_some_and(|person| person.member_id == member.member_id);
    let may_remove = access::require_removal(&call.caller, member.member_id).is_ok();
    let form =
        if call.may(Permission::MemberUpdate) { Some(form(call, &member, problem.is_some()).await?) } else { None };
    let member = row(call, &member);
    let template = MemberPage {
        frame: call.frame(Section::Members, member.email.as_str()),
        problem,
        is_self,
        form,
        may_remove: may_remove && !member.is_owner,
        member,
    };
    render_form(call, problem, &template)
}

/// Returns the form with the stored values, or after a refusal with the values that were sent.
async fn form(call: &ConsoleCall, member: &Member, is_refused: bool) -> Result<MemberForm, ApiError> {
    let typed = |name: &str| call.form.one(name).filter(|_| is_refused);
    let role = typed("role").unwrap_or(member.role.as_str());
    let chosen: Vec<String> = if is_refused {
        call.form.all("inbox_ids").map(ToOwned::to_owned).collect()
    } else {
        member.inbox_ids.iter().map(ToString::to_string).collect()
    };
    Ok(MemberForm {
        name: typed("name").unwrap_or(&member.name).to_owned(),
        roles: Choice::fixed(&ROLES, |value| value == role),
        inboxes: inbox_choices(call, &chosen).await?,
    })
}
