//! DNS records that the service needs, and their state in DNS.

use std::net::IpAddr;

use futures_util::future::join_all;
use inboxd_core::model::{DkimKey, DomainRecord, KeyState};
use inboxd_core::ports::{Dns as _, Lookup};
use inboxd_core::rules::domains::mta_sts;
use inboxd_core::rules::domains::name::is_local;
use inboxd_core::rules::domains::records::{PREFERENCE, SELECTOR, key_record};
use inboxd_core::rules::domains::report_addresses::{self, DMARC_REPORTS, TLS_REPORTS};
use inboxd_core::rules::domains::signing_domain::signing_domains;
use inboxd_core::rules::domains::zone::{octal_quoted_strings, quoted_strings};
use inboxd_smtp::dns::DnsResolver;

use super::Finding;
use super::finding::Level;
use super::records::{self, Severity};
use crate::config::{Config, Delivery};

/// Data of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecordData {
    /// Address of a host: A or AAAA.
    Address(IpAddr),
    /// Host that receives mail.
    Mx(String),
    /// Text.
    Txt(String),
}

impl RecordData {
    /// Returns the record type.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Address(IpAddr::V4(_)) => "A",
            Self::Address(IpAddr::V6(_)) => "AAAA",
            Self::Mx(_) => "MX",
            Self::Txt(_) => "TXT",
        }
    }

    /// Returns the data as in a zone file (RFC 1035, section 5).
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Address(address) => address.to_string(),
            Self::Mx(host) => format!("{PREFERENCE} {host}."),
            Self::Txt(text) => quoted_strings(text),
        }
    }

    /// Returns the data as Amazon Route 53 reads it: escapes in a text are octal.
    pub(crate) fn route53_text(&self) -> String {
        match self {
            Self::Txt(text) => octal_quoted_strings(text),
            other => other.text(),
        }
    }
}

/// Purpose of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Address of the mail server.
    MailHost,
    /// Address of the API where it has a name of its own.
    ApiHost,
    /// Address of the host of an MTA-STS policy.
    PolicyHost,
    Mx,
    Spf,
    Dmarc,
    /// Public key; whether it signs already.
    Dkim(bool),
    /// Announcement of an MTA-STS policy.
    Policy,
    TlsReports,
    /// Permission for other domains to name the address of DMARC reports.
    ReportPermission,
}

/// Record that the service needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WantedRecord {
    /// Full name, without a final dot.
    pub(crate) name: String,
    /// Data; `None` while it is unknown.
    pub(crate) data: Option<RecordData>,
    purpose: Purpose,
    /// Domain that the record is about.
    domain: String,
}

impl WantedRecord {
    fn new(purpose: Purpose, domain: &str, name: String, data: Option<RecordData>) -> Self {
        Self { name, data, purpose, domain: domain.to_owned() }
    }

    /// Returns the record type.
    pub(crate) fn kind(&self) -> &'static str {
        match (&self.data, self.purpose) {
            (Some(data), _) => data.kind(),
            (None, Purpose::Dkim(_) | Purpose::Spf) => "TXT",
            (None, _) => "A",
        }
    }

    /// Returns what to do where the data is unknown.
    pub(crate) fn hint(&self) -> &'static str {
        match self.purpose {
            Purpose::Dkim(_) => "(created by the first `inboxd serve`)",
            Purpose::Spf => "(v=spf1 with the include that your relay names)",
            _ => "(the public address of this service: --address)",
        }
    }

    /// Returns whether other records of the same name and type are of no use, so that this one may replace them.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(self.purpose, Purpose::Dkim(_) | Purpose::Policy)
    }
}

/// State of a record in DNS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordState {
    /// It is published.
    Published,
    /// It is missing.
    Missing,
    /// Another value is published.
    Different,
    /// The lookup failed, or the value to publish is unknown.
    Unknown,
}

impl RecordState {
    /// Returns the word for the table.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Published => "ok",
            Self::Missing => "missing",
            Self::Different => "differs",
            Self::Unknown => "unknown",
        }
    }
}

/// Record after its lookup.
#[derive(Debug, Clone)]
pub(crate) struct CheckedRecord {
    /// The record.
    pub(crate) wanted: WantedRecord,
    /// State.
    pub(crate) state: RecordState,
    /// Published data of the same name and type.
    pub(crate) found: Vec<RecordData>,
    /// Result for the operator.
    pub(crate) finding: Finding,
}

/// Returns the records of the service domains. Without `addresses`, those of the hosts are unknown.
pub(crate) fn records(config: &Config, keys: &[DkimKey], addresses: &[IpAddr]) -> Vec<WantedRecord> {
    let mut wanted = hosts(Purpose::MailHost, &config.domain, addresses);
    let base_host = config.base_host();
    if let Some(host) = base_host.filter(|host| *host != config.domain && !is_local(host)) {
        wanted.extend(hosts(Purpose::ApiHost, &host, addresses));
    }
    for domain in config.mail_domains() {
        wanted.extend(of_domain(config, domain));
    }
    let policy = mta_sts::record(&mta_sts::policy(config.tls.mta_sts, &config.domain));
    for host in config.policy_hosts() {
        let domain = host.strip_prefix("mta-sts.").unwrap_or(&host);
        wanted.extend(hosts(Purpose::PolicyHost, &host, addresses));
        let data = Some(RecordData::Txt(policy.clone()));
        wanted.push(WantedRecord::new(Purpose::Policy, domain, format!("_mta-sts.{domain}"), data));
    }
    let (name, value) = report_addresses::permission(&config.domain);
    let data = Some(RecordData::Txt(value.to_owned()));
    wanted.push(WantedRecord::new(Purpose::ReportPermission, &config.domain, name, data));
    for name in signing_domains(&config.domain, &config.signup_domain) {
        wanted.push(dkim(name, keys));
    }
    wanted
}

/// Returns the records that `inboxd doctor` checks: another check has the address of the mail server.
pub(super) fn doctor_records(config: &Config, keys: &[DkimKey]) -> Vec<WantedRecord> {
    let mut wanted = records(config, keys, &[]);
    wanted.retain(|record| record.purpose != Purpose::MailHost);
    wanted
}

fn hosts(purpose: Purpose, host: &str, addresses: &[IpAddr]) -> Vec<WantedRecord> {
    let of = |data| WantedRecord::new(purpose, host, host.to_owned(), data);
    if addresses.is_empty() {
        return vec![of(None)];
    }
    addresses.iter().map(|address| of(Some(RecordData::Address(*address)))).collect()
}

fn of_domain(config: &Config, domain: &str) -> Vec<WantedRecord> {
    let text =
        |purpose, name: String, text: String| WantedRecord::new(purpose, domain, name, Some(RecordData::Txt(text)));
    let reports = |address: &str| format!("rua=mailto:{address}@{}", config.domain);
    let mx = Some(RecordData::Mx(config.domain.clone()));
    // The hosts of a relay send, and its operator alone knows them.
    let is_relayed = matches!(config.delivery, Delivery::Relay(_));
    let spf = (!is_relayed).then(|| RecordData::Txt("v=spf1 mx -all".to_owned()));
    let mut wanted = vec![
        WantedRecord::new(Purpose::Mx, domain, domain.to_owned(), mx),
        WantedRecord::new(Purpose::Spf, domain, domain.to_owned(), spf),
    ];
    // A policy also covers subdomains (RFC 7489, section 6.6.3).
    if !domain.ends_with(&format!(".{}", config.domain)) {
        wanted.push(text(
            Purpose::Dmarc,
            format!("_dmarc.{domain}"),
            format!("v=DMARC1; p=none; {}", reports(DMARC_REPORTS)),
        ));
    }
    wanted.push(text(
        Purpose::TlsReports,
        format!("_smtp._tls.{domain}"),
        format!("v=TLSRPTv1; {}", reports(TLS_REPORTS)),
    ));
    wanted
}

fn dkim(name: &str, keys: &[DkimKey]) -> WantedRecord {
    let in_state = |state| keys.iter().find(|key| key.name == name && key.state == state);
    // Before the first rotation the next key waits for its record.
    let key = in_state(KeyState::Active).or_else(|| in_state(KeyState::Next));
    let purpose = Purpose::Dkim(key.is_some_and(|key| key.state == KeyState::Active));
    match key.map(|key| key_record(name, &key.selector, &key.public_key)) {
        Some(record) => WantedRecord::new(purpose, name, record.name, Some(RecordData::Txt(record.value))),
        None => WantedRecord::new(purpose, name, format!("{SELECTOR}._domainkey.{name}"), None),
    }
}

/// Looks records up.
pub(crate) async fn check(config: &Config, resolver: &DnsResolver, wanted: Vec<WantedRecord>) -> Vec<CheckedRecord> {
    join_all(wanted.into_iter().map(|record| check_one(config, resolver, record))).await
}

async fn check_one(config: &Config, resolver: &DnsResolver, wanted: WantedRecord) -> CheckedRecord {
    let WantedRecord { name, domain, purpose, .. } = &wanted;
    let (finding, answer) = match (purpose, &wanted.data) {
        (Purpose::MailHost | Purpose::ApiHost | Purpose::PolicyHost, data) => {
            let answer = resolver.addresses(name).await;
            let finding = host(*purpose, name, data.as_ref(), &answer);
            let is_same_kind = |address: &IpAddr| RecordData::Address(*address).kind() == wanted.kind();
            (finding, map(answer, |address| is_same_kind(&address).then_some(RecordData::Address(address))))
        }
        (Purpose::Mx, _) => {
            let answer = resolver.mx(name).await;
            let finding = records::mx(domain, &config.domain, answer.clone(), resolver).await;
            (finding, map(answer, |mx| Some(RecordData::Mx(mx.host))))
        }
        (Purpose::Dkim(_), None) => (records::dkim(domain, None, false, Lookup::Absent), Lookup::Absent),
        (_, data) => {
            let value = match data {
                Some(RecordData::Txt(text)) => text.as_str(),
                _ => "",
            };
            let answer = resolver.txt(name).await;
            let finding = text(config, &wanted, value, answer.clone());
            (finding, map(answer, |text| Some(RecordData::Txt(text))))
        }
    };
    let state = state(&wanted, &finding, &answer);
    let found = if let Lookup::Found(found) = answer { found } else { Vec::new() };
    CheckedRecord { wanted, state, found, finding }
}

fn map<T, U>(answer: Lookup<T>, convert: impl Fn(T) -> Option<U>) -> Lookup<U> {
    match answer {
        Lookup::Found(found) => Lookup::Found(found.into_iter().filter_map(convert).collect()),
        Lookup::Absent => Lookup::Absent,
        Lookup::Failed(why) => Lookup::Failed(why),
    }
}

fn host(purpose: Purpose, name: &str, data: Option<&RecordData>, answer: &Lookup<IpAddr>) -> Finding {
    let check = match purpose {
        Purpose::PolicyHost => "MTA-STS",
        Purpose::ApiHost => "API host",
        _ => "address",
    };
    let severity = if purpose == Purpose::MailHost { Severity::Grave } else { Severity::Minor };
    let address = match data {
        Some(RecordData::Address(address)) => Some(*address),
        _ => None,
    };
    records::host(check, name, address, answer, severity)
}

/// Evaluates a TXT record.
fn text(config: &Config, wanted: &WantedRecord, value: &str, answer: Lookup<String>) -> Finding {
    let domain = &wanted.domain;
    match wanted.purpose {
        Purpose::Spf => {
            // SPF is irrelevant while no mail leaves.
            let is_captured = config.delivery == Delivery::Capture;
            let example = wanted.data.is_some().then_some("v=spf1 mx -all");
            records::spf(domain, answer, example, if is_captured { Severity::Minor } else { Severity::Grave })
        }
        Purpose::Dkim(signs) => {
            let record: DomainRecord = key_record_of(wanted, value);
            records::dkim(domain, Some(record), signs, answer)
        }
        Purpose::Policy => records::policy_record(domain, value, answer),
        Purpose::TlsReports => records::tls_reports(domain, value, answer),
        Purpose::ReportPermission => records::report_permission(&wanted.name, value, &answer),
        _ => records::dmarc(domain, value, answer),
    }
}

fn key_record_of(wanted: &WantedRecord, value: &str) -> DomainRecord {
    let record = key_record(&wanted.domain, "", "");
    DomainRecord { name: wanted.name.clone(), value: value.to_owned(), ..record }
}

fn state(wanted: &WantedRecord, finding: &Finding, answer: &Lookup<RecordData>) -> RecordState {
    // An optional record may be absent.
    if finding.level == Level::Ok && !matches!(answer, Lookup::Absent) {
        return RecordState::Published;
    }
    match (answer, &wanted.data) {
        (Lookup::Failed(_), _) | (_, None) => RecordState::Unknown,
        (Lookup::Absent, _) => RecordState::Missing,
        (Lookup::Found(found), Some(data)) => {
            if found.iter().any(|other| is_same_use(data, other)) {
                RecordState::Different
            } else {
                RecordState::Missing
            }
        }
    }
}

/// Returns whether two records of a type have the same use: texts begin with the same version.
pub(crate) fn is_same_use(one: &RecordData, other: &RecordData) -> bool {
    let version = |text: &str| text.trim_start().split([' ', ';']).next().unwrap_or_default().to_ascii_lowercase();
    match (one, other) {
        (RecordData::Txt(one), RecordData::Txt(other)) => version(one) == version(other),
        _ => true,
    }
}
