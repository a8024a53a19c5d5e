//! Aggregate reports of other mail servers, for the operator. Strangers wrote them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::IpAddr;

use inboxd_core::app::App;
use inboxd_core::model::OrganizationId;
use inboxd_core::model::mail_report::{MailReport, MailReportFilter, ReportKind};
use inboxd_mail::{AggregateReport, ReportRows, TlsRow};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::postmaster::without_controls;
use super::print;
use super::trace::rfc3339;
use crate::failure::{ErrorContext, Failure};

/// Maximum number of reports that one call reads: the maximum of `INBOXD_MAX_MAIL_REPORTS`.
const MAX_REPORTS: u32 = 100_000;
/// Maximum number of lines of a table.
const MAX_LINES: usize = 50;
/// Maximum number of summaries.
const MAX_SUMMARIES: usize = 100;

/// Options of the command.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ReportOptions {
    #[command(subcommand)]
    command: Option<ReportCommand>,
    /// Only reports received within this number of days.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: u32,
    /// Only reports about this domain; those about its subdomains too if it is a domain of the service or of a customer.
    #[arg(long)]
    domain: Option<String>,
    /// Only reports of this kind: `dmarc` or `tls`.
    #[arg(long, value_parser = parse_kind)]
    kind: Option<ReportKind>,
    /// Also reports whose sender is not authenticated: anyone can send them.
    #[arg(long)]
    unauthenticated: bool,
    /// Print a JSON object per report.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum ReportCommand {
    /// Print one whole report as JSON.
    Show {
        /// Id of the report.
        id: Uuid,
    },
}

fn parse_kind(text: &str) -> Result<ReportKind, String> {
    ReportKind::named(text).ok_or_else(|| "is neither dmarc nor tls".to_owned())
}

/// Messages or sessions with the same results, summed over reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ReportedResult {
    Dmarc { source_ip: IpAddr, disposition: String, spf_aligned: bool, dkim_aligned: bool },
    Tls { policy: String, result: String, server: String },
}

/// Reports that are summed: about a domain, of an organization, of a kind, and of senders that are authenticated or not.
type SummaryKey<'r> = (&'r str, Option<OrganizationId>, ReportKind, bool);

/// Prints one report, all reports as JSON, or their sums by domain and kind.
pub(crate) async fn show(app: &App, options: ReportOptions) -> Result<(), Failure> {
    let ReportOptions { command, days, domain, kind, unauthenticated, json } = options;
    if let Some(ReportCommand::Show { id }) = command {
        return show_one(app, id).await;
    }
    let filter = MailReportFilter {
        domain: domain.map(|domain| domain.trim_end_matches('.').to_ascii_lowercase()),
        kind,
        includes_unauthenticated: unauthenticated,
        since: app.clock.now() - Duration::days(days.into()),
        limit: MAX_REPORTS,
    };
    let reports = app.store.mail_reports(&filter).await.context("cannot read the reports")?;
    if json {
        for report in &reports {
            print(&format!("{}\n", without_controls(&json_of(report).to_string(), &[])))?;
        }
        return Ok(());
    }
    if reports.is_empty() {
        return print(
            "no reports; `--days 90` looks further back, `--unauthenticated` adds those of unknown senders, and \
             docs/going-live.md says how to get them\n",
        );
    }
    let mut groups: BTreeMap<SummaryKey<'_>, Vec<&MailReport>> = BTreeMap::new();
    for report in &reports {
        let MailReport { base_domain, organization_id, sender, .. } = report;
        let key = (base_domain.as_str(), *organization_id, ReportKind::of(&report.report), sender.is_none());
        groups.entry(key).or_default().push(report);
    }
    let further = groups.len().saturating_sub(MAX_SUMMARIES);
    for (key, reports) in groups.into_iter().take(MAX_SUMMARIES) {
        print(&without_controls(&summary(key, &reports), &['\n']))?;
    }
    if further > 0 {
        print(&format!("and {further} more summaries; `--domain` and `--kind` select one\n"))?;
    }
    Ok(())
}

async fn show_one(app: &App, id: Uuid) -> Result<(), Failure> {
    let report = app.store.mail_report(id).await.context("cannot read the report")?;
    let report = report.ok_or_else(|| {
        Failure::new(format!("no such report: {id}; `inboxd admin reports` shows the last report of each reporter"))
    })?;
    print(&without_controls(&format!("{:#}\n", json_of(&report)), &['\n']))
}

/// Returns the lines of reports that are summed, newest first.
fn summary((domain, owner, kind, is_unauthenticated): SummaryKey<'_>, reports: &[&MailReport]) -> String {
    let (results, omitted) = sums(reports);
    let sum = |is_success: bool| {
        let counts = results.iter().filter(|(result, _)| result.is_success() == is_success).map(|(_, count)| *count);
        counts.fold(0, u64::saturating_add)
    };
    let (passed, failed) = (sum(true), sum(false));
    let total = passed.saturating_add(failed);
    let begin = reports.iter().map(|report| report.report.begin).min().unwrap_or_default();
    let end = reports.iter().map(|report| report.report.end).max().unwrap_or_default();
    let mark = if is_unauthenticated { ", not authenticated" } else { "" };
    let owner = owner.map(|organization_id| format!(" of {organization_id}")).unwrap_or_default();
    let (name, counts, columns) = match kind {
        ReportKind::Dmarc => (
            "DMARC",
            format!("{total} messages, {passed} pass, {failed} fail"),
            "   MESSAGES  SPF   DKIM  DISPOSITION  SOURCE\n",
        ),
        ReportKind::Tls => (
            "TLS",
            format!("{total} sessions, {passed} succeeded, {failed} failed"),
            "   SESSIONS  POLICY           RESULT                      SERVER\n",
        ),
    };
    let mut text = format!("{domain}{owner}: {name}{mark} from {} to {}: {counts}\n", day(begin), day(end));
    text.push_str("    REPORTS  LAST REPORT                           REPORTER\n");
    add_lines(&mut text, &reporters(reports));
    text.push_str(columns);
    add_lines(&mut text, &results.iter().map(|(result, count)| result.line(*count)).collect::<Vec<_>>());
    if omitted > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {omitted:>9}  in further rows, which are not stored");
    }
    text
}

/// Returns the sums of equal results, failures first, and the count of the rows that are not stored.
fn sums(reports: &[&MailReport]) -> (Vec<(ReportedResult, u64)>, u64) {
    let (mut sums, mut omitted) = (BTreeMap::<ReportedResult, u64>::new(), 0u64);
    for AggregateReport { rows, omitted: others, .. } in reports.iter().map(|report| &report.report) {
        omitted = omitted.saturating_add(*others);
        for (result, count) in results(rows) {
            let sum = sums.entry(result).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    let mut sums: Vec<(ReportedResult, u64)> = sums.into_iter().collect();
    sums.sort_by_key(|(result, count)| (result.is_success(), Reverse(*count)));
    (sums, omitted)
}

fn results(rows: &ReportRows) -> Vec<(ReportedResult, u64)> {
    match rows {
        ReportRows::Dmarc(rows) => rows
            .iter()
            .map(|row| {
                let result = ReportedResult::Dmarc {
                    source_ip: row.source_ip,
                    disposition: row.disposition.clone(),
                    spf_aligned: row.spf_aligned,
                    dkim_aligned: row.dkim_aligned,
                };
                (result, row.count)
            })
            .collect(),
        ReportRows::Tls(rows) => rows
            .iter()
            .map(|row| {
                let [policy, result, server] = [&row.policy, &row.result, &row.server].map(String::clone);
                (ReportedResult::Tls { policy, result, server }, row.count)
            })
            .collect(),
    }
}

impl ReportedResult {
    fn is_success(&self) -> bool {
        match self {
            Self::Dmarc { spf_aligned, dkim_aligned, .. } => *spf_aligned || *dkim_aligned,
            Self::Tls { result, .. } => result == TlsRow::SUCCESS,
        }
    }

    fn line(&self, count: u64) -> String {
        let word = |is_aligned: bool| if is_aligned { "pass" } else { "fail" };
        match self {
            Self::Dmarc { source_ip, disposition, spf_aligned, dkim_aligned } => {
                let (spf, dkim) = (word(*spf_aligned), word(*dkim_aligned));
                format!("  {count:>9}  {spf}  {dkim}  {disposition:11}  {source_ip}")
            }
            Self::Tls { policy, result, server } => format!("  {count:>9}  {policy:15}  {result:26}  {server}"),
        }
    }
}

/// Returns a line for each reporting organization, with the domain that authenticates it and its last report.
fn reporters(reports: &[&MailReport]) -> Vec<String> {
    let mut reporters: BTreeMap<String, (usize, Uuid)> = BTreeMap::new();
    for MailReport { mail_report_id, sender, report, .. } in reports {
        let reporter = format!("{} ({})", report.reporter, sender.as_deref().unwrap_or("not authenticated"));
        reporters.entry(reporter).or_insert((0, *mail_report_id)).0 += 1;
    }
    reporters.into_iter().map(|(reporter, (number, last))| format!("  {number:>9}  {last}  {reporter}")).collect()
}

fn add_lines(text: &mut String, lines: &[String]) {
    for line in lines.iter().take(MAX_LINES) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if lines.len() > MAX_LINES {
        let _ = writeln!(text, "             and {} more lines; `--json` prints all reports", lines.len() - MAX_LINES);
    }
}

/// Returns the day of a time in Unix seconds.
fn day(seconds: i64) -> String {
    OffsetDateTime::from_unix_timestamp(seconds).map_or_else(|_| "unknown".to_owned(), |at| at.date().to_string())
}

fn json_of(report: &MailReport) -> Value {
    let time = |seconds| OffsetDateTime::from_unix_timestamp(seconds).ok().map(rfc3339);
    let AggregateReport { reporter, report_id, domain, begin, end, rows, omitted } = &report.report;
    let rows = match rows {
        ReportRows::Dmarc(rows) => json!(rows),
        ReportRows::Tls(rows) => json!(rows),
    };
    json!({
        "id": report.mail_report_id.to_string(), "kind": ReportKind::of(&report.report).as_str(), "domain": domain,
        "base_domain": report.base_domain, "organization_id": report.organization_id.map(|id| id.to_string()),
        "reporter": reporter,
        "authenticated_domain": report.sender, "report_id": report_id, "begin": time(*begin), "end": time(*end),
        "received_at": rfc3339(report.received_at), "rows": rows, "omitted": omitted,
    })
}
