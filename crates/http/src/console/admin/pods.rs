//! `/console/pods`

use askama::Template;
use inboxd_core::app::pods::{self, NewPod, PodChange};
use inboxd_core::model::permissions::{PodDelete, PodUpdate};
use inboxd_core::model::{Permission, QuarantineMode, Scope};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::Choice;
use crate::console::frame::{Frame, Section};
use crate::console::problem::{Problem, render_form};
use crate::console::text::shown;
use crate::console::time::Moment;
use crate::console::{links, quarantine_form};
use crate::error::ApiError;

const PATH: &str = "/console/pods";

#[derive(Template)]
#[template(path = "console/pods.html")]
struct PodsPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    pods: Vec<PodRow>,
    older: Option<String>,
    may_create: bool,
    may_update: bool,
    may_delete: bool,
    name: &'a str,
}

struct PodRow {
    id: String,
    name: String,
    is_default: bool,
    quarantine: Option<&'static str>,
    quarantines: Vec<Choice>,
    created: Moment,
}

/// Shows the pods and the form for a new one.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Creates a pod.
pub(super) async fn create(call: &ConsoleCall) -> PageResult {
    match make(call).await {
        Ok(()) => Ok(call.redirect("/console/pods?notice=created")),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

/// Renames a pod.
pub(super) async fn rename(call: &ConsoleCall) -> PageResult {
    let pod_id = call.pod_id()?;
    let caller = call.authorize::<PodUpdate>(Scope::Pod(pod_id))?;
    let name = call.form.one("name").unwrap_or_default().trim().to_owned();
    let change = PodChange { name: Some(name), ..PodChange::default() };
    pods::update(call.app(), caller.original(), pod_id, change).await?;
    Ok(call.redirect("/console/pods?notice=saved"))
}

/// Changes the quarantine of a pod.
pub(super) async fn save_quarantine(call: &ConsoleCall) -> PageResult {
    let pod_id = call.pod_id()?;
    let caller = call.authorize::<PodUpdate>(Scope::Pod(pod_id))?;
    let change = PodChange { quarantine: Some(quarantine_form::own_mode(call)?), ..PodChange::default() };
    call.with_fix(pods::update(call.app(), caller.original(), pod_id, change).await)?;
    Ok(call.redirect("/console/pods?notice=saved"))
}

/// Deletes a pod without inboxes.
pub(super) async fn delete(call: &ConsoleCall) -> PageResult {
    let pod_id = call.pod_id()?;
    let caller = call.authorize::<PodDelete>(Scope::Pod(pod_id))?;
    pods::delete(call.app(), caller.original(), pod_id).await?;
    Ok(call.redirect("/console/pods?notice=deleted"))
}

async fn make(call: &ConsoleCall) -> Result<(), ApiError> {
    call.require(Permission::PodCreate)?;
    let new = NewPod { name: call.form.one("name").map(|name| name.trim().to_owned()), client_id: None };
    pods::create(call.app(), &call.caller, new).await?;
    Ok(())
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    call.require(Permission::PodRead)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(call, direction)?;
    let found = pods::list(call.app(), &call.caller, paging.request.clone()).await?;
    let older = paging.next(found.next.as_ref()).map(|token| links::with_query(PATH, &[("page_token", &token)]));
    let default = call.caller.organization.default_pod_id;
    let rows = found.items.into_iter().map(|pod| PodRow {
        id: pod.pod_id.to_string(),
        name: shown(&pod.name, 100),
        is_default: pod.pod_id == default,
        quarantine: pod.quarantine.map(QuarantineMode::as_str),
        quarantines: quarantine_form::own_modes(pod.quarantine, "as the organization decides"),
        created: Moment(pod.created_at),
    });
    let template = PodsPage {
        frame: call.frame(Section::Pods, "Pods"),
        problem,
        pods: rows.collect(),
        older,
        may_create: call.may(Permission::PodCreate),
        may_update: call.may(Permission::PodUpdate),
        may_delete: call.may(Permission::PodDelete),
        name: call.form.one("name").unwrap_or_default(),
    };
    render_form(call, problem, &template)
}
