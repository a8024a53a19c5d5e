//! Mail to return paths, to the addresses of aggregate reports and to the operator, which becomes no message.

use inboxd_mail::BounceReport;

use super::targets::MailTargets;
use super::{Arrived, NotReceived, ReadMail, aggregate_reports, postmaster, recipient};
use crate::app::{App, reports};
use crate::model::mail_report::ReportOutcome;
use crate::ports::Evidence;
use crate::rules::reports::authenticated_domains;

/// Stores the reports of a mail, and holds it for the operator if it is a recipient. Mail to the address of aggregate
/// reports without a readable one goes to the inbox of the postmaster, which is added to the targets, or is held.
///
/// A report that was already accepted has no effect again, so this comes before messages are stored. If this or a later
/// step fails, the client sends the mail again, and no inbox receives it twice.
///
/// # Errors
/// [`NotReceived::ForeignReports`] if the mail has reports alone, all about domains of others; [`NotReceived::Store`].
pub(super) async fn store_reports(
    app: &App,
    mail: &ReadMail,
    targets: &mut MailTargets,
    report: Option<&BounceReport>,
    evidence: Option<&Evidence>,
) -> Result<Arrived, NotReceived> {
    let authenticated = evidence.map(authenticated_domains).unwrap_or_default();
    let returned = reports::take(app, &targets.outgoing, report, &authenticated).await?;
    let aggregate = match &targets.reports {
        Some((kind, _)) => aggregate_reports::store(app, mail, *kind, evidence).await?,
        None => Vec::new(),
    };
    let is_for_reports_alone = targets.inboxes.is_empty() && targets.operator.is_none() && targets.outgoing.is_empty();
    if is_for_reports_alone && aggregate_reports::all_foreign(&aggregate, 0) {
        return Err(NotReceived::ForeignReports(aggregate));
    }
    // Mail without a readable report may be a question to the operator.
    let is_unreadable = aggregate.iter().any(|received| received.outcome == ReportOutcome::Unreadable);
    if let Some((_, address)) = targets.reports.take().filter(|_| is_unreadable && targets.operator.is_none()) {
        match recipient::postmaster_inbox(app, &address).await? {
            Some(inbox) => targets.inboxes.extend([inbox]),
            None => targets.operator = Some(address),
        }
    }
    // A mail that is sent again is held once.
    if let Some(operator) = &targets.operator {
        postmaster::hold(app, mail, operator).await?;
    }
    Ok(Arrived { messages: Vec::new(), returned, aggregate, is_held: targets.operator.is_some() })
}
