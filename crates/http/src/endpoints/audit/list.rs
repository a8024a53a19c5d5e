//! `GET /v0/audit`

use actix_web::HttpResponse;
use actix_web::http::header::ACCEPT;
use bytes::Bytes;
use futures_util::stream;
use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::app::audit::{self, AuditFilter};
use inboxd_core::model::permissions::AuditRead;
use inboxd_core::model::{AuditAction, AuditFacts, AuditedResource, PageRequest};
use inboxd_core::rules::authorization::AuthorizedCaller;
use serde_json::Value;
use time::OffsetDateTime;

use crate::authorized::Authorized;
use crate::error::ApiError;
use crate::query::formats::{choice, date_time, text};
use crate::query::{OrderParams, PageParams, QueryReader, query_params};
use crate::views::time::format_time;
use crate::views::{AuditEntryView, AuditList};

query_params! {
    /// Filters of the audit log.
    pub(crate) struct AuditParams {
        /// Only changes by this member or API key, or by `operator`, `payment_provider`, `oauth_client` or `service`.
        actor_id: Option<String> = text(),
        /// Only changes of this kind, such as `api_key.created`.
        action: Option<AuditAction> = choice(AuditAction::ALL.iter().map(|action| (action.as_str(), *action))),
        /// Only changes of this kind of resource, such as `webhook`.
        resource_type: Option<AuditedResource> = choice(AuditedResource::ALL.iter().map(|kind| (kind.as_str(), *kind))),
        /// Only changes of the resource with this id; a list entry is named by its address or domain.
        resource_id: Option<String> = text(),
        /// Only changes at or after this time.
        start: Option<OffsetDateTime> = date_time(),
        /// Only changes before this time.
        end: Option<OffsetDateTime> = date_time(),
    }
}

/// Media type of an export in `Accept`.
const JSON_LINES: &str = "application/jsonl";

#[utoipa::path(
    get,
    path = "/v0/audit",
    operation_id = "list_audit",
    tag = "Audit",
    summary = "List audit log",
    description = "Lists who changed API keys, connections, members, lists, policies, domains, webhooks and the organization, and who approved held messages, newest first. Every filter must match. With `Accept: application/jsonl` the response is all matching entries, a JSON object per line; the export itself is recorded.",
    params(AuditParams, PageParams, OrderParams),
    responses((status = 200, description = "A page of the log", content(
        (AuditList = "application/json"),
        (String = "application/jsonl")
    )))
)]
pub(crate) async fn handle(call: Authorized<AuditRead>) -> Result<HttpResponse, ApiError> {
    let mut query = call.query();
    let filter = filter(&mut query);
    let direction = query.direction();
    let is_export = wants_lines(&call);
    let paging = query.page(&call, direction)?;
    let filter = AuditFilter { page: paging.request.clone(), ..filter };
    if !is_export {
        let page = audit::list(call.app(), &call.caller, filter).await?;
        return Ok(HttpResponse::Ok().json(AuditList::new(page, &paging)));
    }
    audit::record_export(call.app(), &call.caller, facts(&filter)).await?;
    call.rest();
    let (app, (_, caller)) = (call.app().clone(), call.into_parts());
    Ok(HttpResponse::Ok().content_type(JSON_LINES).streaming(lines(app, caller, filter)))
}

/// Returns whether the caller accepts JSON lines only; a caller that also accepts JSON receives a page.
fn wants_lines(call: &Authorized<AuditRead>) -> bool {
    let accept = call.request().headers().get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    accept.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(JSON_LINES))
}

/// Reads the filter of the log.
pub(crate) fn filter(query: &mut QueryReader) -> AuditFilter {
    let AuditParams { actor_id, action, resource_type, resource_id, start, end } = AuditParams::read(query);
    AuditFilter { actor_id, action, resource_type, resource_id, start, end, page: PageRequest::default() }
}

/// Returns a filter as the facts of an export.
fn facts(filter: &AuditFilter) -> AuditFacts {
    let fields = [
        ("actor_id", filter.actor_id.clone()),
        ("action", filter.action.map(|action| action.as_str().to_owned())),
        ("resource_type", filter.resource_type.map(|resource| resource.as_str().to_owned())),
        ("resource_id", filter.resource_id.clone()),
        ("start", filter.start.map(format_time)),
        ("end", filter.end.map(format_time)),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?)))).collect()
}

/// State of an export.
struct Export {
    app: App,
    caller: AuthorizedCaller<AuditRead>,
    /// Filter with the next page; `None` after the last one.
    next: Option<AuditFilter>,
}

/// Returns the lines of all pages, a page at a time. An export that fails breaks off, so that no part passes for the whole.
fn lines(
    app: App,
    caller: AuthorizedCaller<AuditRead>,
    filter: AuditFilter,
) -> impl stream::Stream<Item = Result<Bytes, Error>> {
    let page = PageRequest { limit: PageRequest::MAX_LIMIT, after: None, ..filter.page };
    let export = Export { app, caller, next: Some(AuditFilter { page, ..filter }) };
    stream::try_unfold(export, async |export| {
        let Export { app, caller, next } = export;
        let Some(mut filter) = next else { return Ok(None) };
        let page = audit::list(&app, &caller, filter.clone()).await?;
        let mut text = Vec::new();
        for entry in page.items {
            serde_json::to_writer(&mut text, &AuditEntryView::from(entry))
                .map_err(|error| Error::Internal(error.to_string()))?;
            text.push(b'\n');
        }
        filter.page.after = page.next;
        let next = filter.page.after.is_some().then_some(filter);
        Ok(Some((Bytes::from(text), Export { app, caller, next })))
    })
}
