//! `/console/members`

use askama::Template;
use inboxd_core::app::members::{self, NewMember};
use inboxd_core::model::{Member, Permission, Role};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, inbox_choices, marked_inboxes};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::console::problem::{Problem, render_form};
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::error::ApiError;

const PATH: &str = "/console/members";
/// Roles that can be given.
pub(super) const ROLES: [(&str, &str); 2] = [
    ("member", "Member: reads, answers, drafts and labels mail"),
    ("admin", "Admin: everything, including members and keys"),
];

#[derive(Template)]
#[template(path = "console/members.html")]
struct MembersPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    members: Vec<MemberRow>,
    older: Option<String>,
    form: Option<InvitationForm>,
}

/// A member as the pages show it.
pub(super) struct MemberRow {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) email: String,
    pub(super) role: &'static str,
    pub(super) is_owner: bool,
    pub(super) is_invited: bool,
    pub(super) inboxes: Vec<String>,
    pub(super) created: Moment,
    /// Whether the person may open the page of the member.
    pub(super) is_linked: bool,
}

struct InvitationForm {
    email: String,
    roles: Vec<Choice>,
    inboxes: Vec<Choice>,
}

/// Shows the members and the form of an invitation.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Invites a member.
pub(super) async fn invite(call: &ConsoleCall) -> PageResult {
    match send(call).await {
        Ok(_) => Ok(call.redirect("/console/members?notice=invited")),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

async fn send(call: &ConsoleCall) -> Result<Member, ApiError> {
    call.require(Permission::MemberCreate)?;
    let new = NewMember {
        email: call.form.one("email").unwrap_or_default().trim().to_owned(),
        role: call.form.one("role").unwrap_or_default().to_owned(),
        inbox_ids: marked_inboxes(call),
        name: None,
        client_id: None,
    };
    Ok(members::invite(call.app(), &call.caller, new).await?)
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    call.require(Permission::MemberRead)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let found = members::list(call.app(), &call.caller, paging.request.clone()).await?;
    let older = paging.next(found.next.as_ref()).map(|token| links::with_query(PATH, &[("page_token", &token)]));
    let template = MembersPage {
        frame: call.frame(Section::Members, "Members"),
        problem,
        members: found.items.iter().map(|member| row(call, member)).collect(),
        older,
        form: if call.may(Permission::MemberCreate) { Some(form(call).await?) } else { None },
    };
    render_form(call, problem, &template)
}

async fn form(call: &ConsoleCall) -> Result<InvitationForm, ApiError> {
    let chosen: Vec<String> = call.form.all("inbox_ids").map(ToOwned::to_owned).collect();
    Ok(InvitationForm {
        email: call.form.one("email").unwrap_or_default().to_owned(),
        roles: Choice::fixed(&ROLES, |role| role == call.form.one("role").unwrap_or("member")),
        inboxes: inbox_choices(call, &chosen).await?,
    })
}

pub(super) fn row(call: &ConsoleCall, member: &Member) -> MemberRow {
    let is_self = call.caller.member.as_ref().is_some_and(|person| person.member_id == member.member_id);
    MemberRow {
        id: member.member_id.to_string(),
        name: shown(&member.name, 100),
        email: member.email.to_string(),
        role: member.role.as_str(),
        is_owner: member.role == Role::Owner,
        is_invited: !member.is_active(),
        inboxes: match member.role {
            Role::Owner | Role::Admin => Vec::new(),
            Role::Member => member.inbox_ids.iter().map(ToString::to_string).collect(),
        },
        created: Moment(member.created_at),
        is_linked: is_self || call.may(Permission::MemberUpdate) || call.may(Permission::MemberDelete),
    }
}
