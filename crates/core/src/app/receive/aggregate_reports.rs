//! Receipt of aggregate reports (DMARC, SMTP TLS) at their addresses.

use inboxd_mail::{AggregateReport, base_domain};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::ReadMail;
use crate::app::App;
use crate::app::contention::retried;
use crate::model::mail_report::{MailReport, ReceivedReport, ReportKind, ReportOutcome};
use crate::model::{DomainName, OrganizationId};
use crate::ports::{Evidence, StoreError};
use crate::rules::aggregate_reports::{identity, report_sender};
use crate::rules::networks::customer_network_of;

/// Number of parent domains that are looked up.
const MAX_PARENTS: usize = 4;
/// Maximum time by which the end of the reported time may lie ahead: clocks of reporters differ.
const MAX_AHEAD: Duration = Duration::DAY;
/// Longest reported time; reports are about a day, seldom about a week.
const MAX_SPAN: Duration = Duration::days(31);

/// Stores the reports of a mail to the address of a kind, in one unit of work. Returns the outcome of each.
///
/// Reports about domains of others are not stored, because anyone can invent them.
pub(super) async fn store(
    app: &App,
    mail: &ReadMail,
    kind: ReportKind,
    evidence: Option<&Evidence>,
) -> Result<Vec<ReceivedReport>, StoreError> {
    if mail.reports.reports.is_empty() {
        return Ok(vec![ReceivedReport { kind, outcome: ReportOutcome::Unreadable }]);
    }
    let (mut reports, mut received) = (Vec::new(), Vec::new());
    for report in &mail.reports.reports {
        match accepted(app, mail, report, evidence).await? {
            Ok(report) => reports.push(report),
            Err(outcome) => received.push(ReceivedReport { kind: ReportKind::of(report), outcome }),
        }
    }
    if mail.reports.is_cut && !all_foreign(&received, reports.len()) {
        received.push(ReceivedReport { kind: ReportKind::Tls, outcome: ReportOutcome::Limited });
    }
    if !reports.is_empty() {
        let is_contention = |error: &StoreError| *error == StoreError::Contention;
        received.extend(retried(is_contention, || store_all(app, &reports)).await?);
    }
    Ok(received)
}

/// Returns whether all reports of a mail are about domains of others; `others` is the number of those with no outcome yet.
pub(super) fn all_foreign(received: &[ReceivedReport], others: usize) -> bool {
    let is_foreign = |received: &ReceivedReport| received.outcome == ReportOutcome::Foreign;
    others == 0 && !received.is_empty() && received.iter().all(is_foreign)
}

async fn store_all(app: &App, reports: &[MailReport]) -> Result<Vec<ReceivedReport>, StoreError> {
    let mut tx = app.store.begin().await?;
    let outcomes = tx.mail_reports().store(reports, app.settings.report_limits).await?;
    tx.commit().await?;
    let received = |(report, outcome): (&MailReport, ReportOutcome)| ReceivedReport {
        kind: ReportKind::of(&report.report),
        outcome,
    };
    Ok(reports.iter().zip(outcomes).map(received).collect())
}

/// Returns the report to store, or the outcome of one that is not stored.
async fn accepted(
    app: &App,
    mail: &ReadMail,
    report: &AggregateReport,
    evidence: Option<&Evidence>,
) -> Result<Result<MailReport, ReportOutcome>, StoreError> {
    let now = app.clock.now();
    let Some(owner) = owner(app, report).await? else { return Ok(Err(ReportOutcome::Foreign)) };
    if !is_current(report, now, app.settings.report_retention) {
        return Ok(Err(ReportOutcome::Outdated));
    }
    let sender = match report_sender(ReportKind::of(report), evidence) {
        Ok(sender) => sender,
        Err(outcome) => return Ok(Err(outcome)),
    };
    let client = mail.mail.client.as_ref();
    let network = || client.map_or_else(|| "inside".to_owned(), |client| customer_network_of(client.ip));
    Ok(Ok(MailReport {
        mail_report_id: app.mint::<Uuid>(now),
        digest: identity(report, sender.as_deref(), mail.digest),
        received_at: now,
        share: sender.as_deref().map_or_else(network, |sender| base_domain(sender).to_owned()),
        organization_id: owner.organization_id,
        base_domain: owner.name,
        sender,
        report: report.clone(),
    }))
}

/// Returns whether the reported time is a time span that neither lies ahead nor is older than stored reports may be.
fn is_current(report: &AggregateReport, now: OffsetDateTime, retention: Duration) -> bool {
    let AggregateReport { begin, end, .. } = *report;
    let (oldest, newest) = (now.saturating_sub(retention), now.saturating_add(MAX_AHEAD));
    let is_span = (0..=MAX_SPAN.whole_seconds()).contains(&end.saturating_sub(begin));
    is_span && (oldest.unix_timestamp()..=newest.unix_timestamp()).contains(&end)
}

/// Owner of a domain.
struct DomainOwner {
    /// The customer; `None` for the service.
    organization_id: Option<OrganizationId>,
    /// The domain of the service, or the proven one.
    name: String,
}

/// Returns the owner of the reported domain; `None` for a foreign domain.
async fn owner(app: &App, report: &AggregateReport) -> Result<Option<DomainOwner>, StoreError> {
    let domain = DomainName::stored(report.domain.clone());
    let hosted = app.settings.hosted_domains().into_iter().filter(|own| domain.is_within(own));
    if let Some(own) = hosted.max_by_key(|own| own.len()) {
        return Ok(Some(DomainOwner { organization_id: None, name: own.to_owned() }));
    }
    for name in domain.with_parents().into_iter().take(MAX_PARENTS) {
        if let Some(proven) = app.store.proven_domain(name.as_str()).await? {
            let name = name.as_str().to_owned();
            return Ok(Some(DomainOwner { organization_id: Some(proven.organization_id), name }));
        }
    }
    Ok(None)
}
