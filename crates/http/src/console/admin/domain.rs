//! `/console/domains/{domain_id}`

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use askama::Template;
use inboxd_core::app::domains::{self, DomainChange};
use inboxd_core::model::domain::{RecordPurpose, RecordStatus};
use inboxd_core::model::permissions::{DomainDelete, DomainRead, DomainUpdate};
use inboxd_core::model::{Domain, DomainRecord, Permission, Scope};

use super::domains::DomainState;
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::choices::{Choice, inbox_choices};
use crate::console::frame::{Frame, Section};
use crate::console::problem::{Problem, render_form};
use crate::console::text::shown_lines;
use crate::error::ApiError;
use crate::path;

#[derive(Template)]
#[template(path = "console/domain.html")]
#[expect(clippy::struct_excessive_bools, reason = "each is a box or a form of the page")]
struct DomainPage<'a> {
    frame: Frame,
    problem: Option<&'a Problem>,
    id: String,
    state: DomainState,
    records: Vec<RecordRow>,
    may_change: bool,
    may_delete: bool,
    receives: bool,
    has_subdomains: bool,
    wants_feedback: bool,
    catch_all: Vec<Choice>,
}

struct RecordRow {
    kind: &'static str,
    purpose: &'static str,
    name: String,
    value: String,
    priority: Option<u16>,
    state: &'static str,
    class: &'static str,
    reason: Option<String>,
    /// What DNS answered instead.
    found: Option<String>,
}

/// Shows a domain with the records to publish.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    page(call, None).await
}

/// Changes the use of a domain.
pub(super) async fn change(call: &ConsoleCall) -> PageResult {
    match save(call).await {
        Ok(domain) => Ok(to_page(call, &domain, "saved")),
        Err(error) => page(call, Some(&Problem::of(error)?)).await,
    }
}

/// Asks DNS for the records now.
pub(super) async fn verify(call: &ConsoleCall) -> PageResult {
    let caller = call.authorize::<DomainUpdate>(Scope::Organization)?;
    let domain = domains::verify(call.app(), &caller, call.domain_id()?).await?;
    Ok(to_page(call, &domain, "checked"))
}

/// Returns the records as a zone file.
pub(super) async fn zone_file(call: &ConsoleCall) -> PageResult {
    let caller = call.authorize::<DomainRead>(Scope::Organization)?;
    let file = domains::zone_file(call.app(), &caller, call.domain_id()?).await?;
    // A domain name contains no character that needs quotes.
    Ok(HttpResponse::Ok()
        .content_type("text/dns; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{}.zone\"", file.domain)))
        .body(file.text))
}

/// Deletes a domain without inboxes.
pub(super) async fn delete(call: &ConsoleCall) -> PageResult {
    let caller = call.authorize::<DomainDelete>(Scope::Organization)?;
    domains::delete(call.app(), &caller, call.domain_id()?).await?;
    Ok(call.redirect("/console/domains?notice=deleted"))
}

fn to_page(call: &ConsoleCall, domain: &Domain, notice: &str) -> HttpResponse {
    call.redirect(&format!("/console/domains/{}?notice={notice}", domain.domain_id))
}

async fn save(call: &ConsoleCall) -> Result<Domain, ApiError> {
    let caller = call.authorize::<DomainUpdate>(Scope::Organization)?;
    let is_marked = |name: &str| Some(call.form.one(name).is_some());
    let change = DomainChange {
        feedback_enabled: is_marked("feedback_enabled"),
        subdomains_enabled: is_marked("subdomains_enabled"),
        inbound_enabled: is_marked("inbound_enabled"),
        catch_all_inbox_id: Some(call.form.one("catch_all_inbox_id").map(path::inbox_id)),
    };
    Ok(domains::update(call.app(), &caller, call.domain_id()?, change).await?)
}

async fn page(call: &ConsoleCall, problem: Option<&Problem>) -> PageResult {
    let caller = call.authorize::<DomainRead>(Scope::Organization)?;
    let domain = domains::get(call.app(), &caller, call.domain_id()?).await?;
    let may_change = call.may(Permission::DomainUpdate);
    let chosen: Vec<String> = domain.catch_all_inbox_id.iter().map(ToString::to_string).collect();
    let template = DomainPage {
        frame: call.frame(Section::Domains, domain.name.as_str()),
        problem,
        id: domain.domain_id.to_string(),
        state: DomainState::of(domain.status),
        may_change,
        may_delete: call.may(Permission::DomainDelete),
        receives: domain.inbound_enabled,
        has_subdomains: domain.subdomains_enabled,
        wants_feedback: domain.feedback_enabled,
        catch_all: if may_change { inbox_choices(call, &chosen).await? } else { Vec::new() },
        records: domain.records.into_iter().map(row).collect(),
    };
    render_form(call, problem, &template)
}

fn row(record: DomainRecord) -> RecordRow {
    let (kind, purpose) = match record.purpose {
        RecordPurpose::Mx => ("MX", "receives mail"),
        RecordPurpose::WildcardMx => ("MX", "receives mail of subdomains"),
        RecordPurpose::Spf => ("TXT", "SPF: allows this server to send"),
        RecordPurpose::Dkim => ("TXT", "DKIM: key of the signatures"),
        RecordPurpose::NextDkim => ("TXT", "DKIM: next key"),
        RecordPurpose::RetiredDkim => ("TXT", "DKIM: previous key"),
        RecordPurpose::Dmarc => ("TXT", "DMARC: policy for forged mail"),
    };
    let (state, class) = match record.status {
        RecordStatus::Missing => ("missing", "warn"),
        RecordStatus::Invalid => ("wrong", "bad"),
        RecordStatus::Valid => ("found", "good"),
    };
    RecordRow {
        kind,
        purpose,
        name: record.name,
        value: record.value,
        priority: record.priority,
        state,
        class,
        // The reason begins with a word for programs.
        reason: record
            .reason
            .map(|reason| reason.split_once(": ").map_or(reason.clone(), |(_, words)| words.to_owned())),
        found: record.found.map(|found| shown_lines(&found, 2_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_shows_the_answer_of_dns() {
        let record = DomainRecord {
            purpose: RecordPurpose::Spf,
            name: "example.org".to_owned(),
            value: "v=spf1 include:mail.example ~all".to_owned(),
            status: RecordStatus::Invalid,
            priority: None,
            reason: Some("value_mismatch: the record lacks include:mail.example".to_owned()),
            found: Some("v=spf1 \u{202e}-all".to_owned()),
        };
        let row = row(record);
        assert_eq!((row.kind, row.state, row.class), ("TXT", "wrong", "bad"));
        assert_eq!(row.reason.as_deref(), Some("the record lacks include:mail.example"));
        assert_eq!(row.found.as_deref(), Some("v=spf1 -all"));
    }
}
