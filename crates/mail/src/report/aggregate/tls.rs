//! SMTP TLS report: JSON (RFC 8460, section 4).
//!
//! Policies and failures are summed while they are read: a small packed file can have hundreds of thousands of them.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::sums::{MAX_TOTAL, RowSums};
use super::{AggregateReport, AggregateReports, MAX_CHARS, MAX_DOMAINS, ReportRows, TlsRow, bounded, domain};

/// Result of failures without a type.
const UNSPECIFIED_FAILURE: &str = "unspecified-failure";
/// Policy types (RFC 8460, section 4.2).
const POLICY_TYPES: [&str; 3] = ["sts", "tlsa", "no-policy-found"];
/// Maximum characters of the type of a failure.
const MAX_RESULT_CHARS: usize = 64;
/// Maximum characters of the name of a mail server.
const MAX_SERVER_CHARS: usize = 255;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::struct_field_names, reason = "the names of RFC 8460, section 4.4")]
struct Report {
    organization_name: Option<String>,
    date_range: DateRange,
    report_id: Option<String>,
    policies: Summed<PolicySums>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct DateRange {
    start_datetime: String,
    end_datetime: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct PolicyResult {
    policy: Policy,
    summary: Option<Summary>,
    failure_details: Option<Summed<FailureSums>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Policy {
    policy_type: Option<String>,
    policy_domain: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
struct Summary {
    total_successful_session_count: Option<u64>,
    total_failure_session_count: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct FailureDetails {
    result_type: Option<String>,
    receiving_mx_hostname: Option<String>,
    failed_session_count: Option<u64>,
}

/// Accumulator of the elements of an array.
trait ElementSums: Default {
    type Element;

    fn add(&mut self, element: Self::Element);
}

/// Array that is read element by element into its sums.
struct Summed<S>(S);

impl<'de, S: ElementSums> Deserialize<'de> for Summed<S>
where
    S::Element: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(SumVisitor::<S>(PhantomData)).map(Self)
    }
}

struct SumVisitor<S>(PhantomData<S>);

impl<'de, S: ElementSums> Visitor<'de> for SumVisitor<S>
where
    S::Element: Deserialize<'de>,
{
    type Value = S;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<S, A::Error> {
        let mut sums = S::default();
        while let Some(element) = elements.next_element::<S::Element>()? {
            sums.add(element);
        }
        Ok(sums)
    }
}

/// Failed sessions by result and mail server.
#[derive(Default)]
struct FailureSums(RowSums<(String, String)>);

impl ElementSums for FailureSums {
    type Element = FailureDetails;

    fn add(&mut self, FailureDetails { result_type, receiving_mx_hostname, failed_session_count }: FailureDetails) {
        let Some(count) = failed_session_count.filter(|count| *count > 0) else { return };
        let result = match bounded(result_type.as_deref().unwrap_or_default(), MAX_RESULT_CHARS) {
            // A failure with the name of success is a failure.
            result if result.is_empty() || result == TlsRow::SUCCESS => UNSPECIFIED_FAILURE.to_owned(),
            result => result,
        };
        let server = bounded(receiving_mx_hostname.as_deref().unwrap_or_default(), MAX_SERVER_CHARS);
        self.0.add((result, server), count);
    }
}

/// Policy, result and mail server of sessions.
type RowKey = (&'static str, String, String);

/// Sessions by domain.
#[derive(Default)]
struct PolicySums {
    domains: Vec<(String, RowSums<RowKey>)>,
    /// Whether further domains are left out.
    is_cut: bool,
}

impl ElementSums for PolicySums {
    type Element = PolicyResult;

    fn add(&mut self, PolicyResult { policy, summary, failure_details }: PolicyResult) {
        let domain = domain(&policy.policy_domain);
        if domain.is_empty() {
            return;
        }
        let place = match self.domains.iter().position(|(known, _)| *known == domain) {
            Some(place) => place,
            None if self.domains.len() >= MAX_DOMAINS => {
                self.is_cut = true;
                return;
            }
            None => {
                self.domains.push((domain, RowSums::default()));
                self.domains.len() - 1
            }
        };
        let Some((_, rows)) = self.domains.get_mut(place) else { return };
        let policy = policy_type(policy.policy_type.as_deref().unwrap_or_default());
        let Summary { total_successful_session_count: successes, total_failure_session_count: failures } =
            summary.unwrap_or_default();
        let details = failure_details.map(|Summed(FailureSums(details))| details).unwrap_or_default();
        let unexplained = failures.unwrap_or_default().saturating_sub(details.total());
        rows.add((policy, TlsRow::SUCCESS.to_owned(), String::new()), successes.unwrap_or_default());
        rows.add((policy, UNSPECIFIED_FAILURE.to_owned(), String::new()), unexplained);
        rows.add_all(details, |(result, server)| (policy, result, server));
    }
}

fn policy_type(text: &str) -> &'static str {
    POLICY_TYPES.into_iter().find(|known| text.eq_ignore_ascii_case(known)).unwrap_or(TlsRow::OTHER_POLICY)
}

/// Reads a report, one for each domain; none if it is not one.
pub(super) fn read(json: &str) -> AggregateReports {
    let Ok(Report { organization_name, date_range, report_id, policies: Summed(policies) }) =
        serde_json::from_str(json)
    else {
        return AggregateReports::default();
    };
    let Some((begin, end)) = seconds(&date_range.start_datetime).zip(seconds(&date_range.end_datetime)) else {
        return AggregateReports::default();
    };
    let text = |text: Option<&str>| bounded(text.unwrap_or_default(), MAX_CHARS);
    let report = |(domain, sums): (String, RowSums<RowKey>)| {
        let (rows, omitted) = sums.into_largest();
        let row = |((policy, result, server), count): (RowKey, u64)| TlsRow {
            policy: policy.to_owned(),
            result,
            server,
            count,
        };
        AggregateReport {
            reporter: text(organization_name.as_deref()),
            report_id: text(report_id.as_deref()),
            domain,
            begin,
            end,
            rows: ReportRows::Tls(rows.into_iter().map(row).collect()),
            omitted,
        }
    };
    let plausible = policies.domains.into_iter().filter(|(_, sums)| sums.total() <= MAX_TOTAL);
    AggregateReports { reports: plausible.map(report).collect(), is_cut: policies.is_cut }
}

fn seconds(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second)
}
