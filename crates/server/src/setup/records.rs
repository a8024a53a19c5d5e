//! The needed DNS records: as a table, and in the formats of DNS tools.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::doctor::wanted::{CheckedRecord, RecordData, RecordState, is_same_use};

/// Time in seconds for which a resolver may cache a record.
const RECORD_TTL: u32 = 3600;

/// Format of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum RecordFormat {
    /// Lines for people, with the state of each record.
    Table,
    /// Zone file, which BIND loads and most providers import. It has all records.
    Zone,
    /// Commands of nsupdate (RFC 2136) that add the missing records.
    Nsupdate,
    /// Change batch of `aws route53 change-resource-record-sets` that adds the missing records.
    Route53,
}

/// Returns the names whose lookup failed, with their types. Their data may be published, so the formats for DNS tools have
/// them as comments or not at all.
pub(super) fn failed_lookups(records: &[CheckedRecord]) -> Vec<String> {
    let failed = records.iter().filter(|record| has_failed(record));
    let mut names: Vec<String> =
        failed.map(|record| format!("{} {}", record.wanted.name, record.wanted.kind())).collect();
    names.dedup();
    names
}

/// Returns whether the lookup of a record failed, whose data is known.
fn has_failed(record: &CheckedRecord) -> bool {
    record.state == RecordState::Unknown && record.wanted.data.is_some()
}

/// Returns the records in a format.
pub(super) fn formatted(format: RecordFormat, domain: &str, records: &[CheckedRecord]) -> String {
    match format {
        RecordFormat::Table => table(records),
        RecordFormat::Zone => zone(domain, records),
        RecordFormat::Nsupdate => nsupdate(records),
        RecordFormat::Route53 => route53(records),
    }
}

/// Returns a line per record: state, name, type and data.
pub(super) fn table(records: &[CheckedRecord]) -> String {
    let width = records.iter().map(|record| record.wanted.name.chars().count()).max().unwrap_or_default();
    let mut text = format!("{:7}  {:width$}  {:4}  DATA\n", "STATE", "NAME", "TYPE");
    for CheckedRecord { wanted, state, .. } in records {
        let data = wanted.data.as_ref().map_or_else(|| wanted.hint().to_owned(), RecordData::text);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:7}  {:width$}  {:4}  {data}", state.word(), wanted.name, wanted.kind());
    }
    text
}

/// Returns a zone file. A published text that the operator chose precedes the proposed one, so that an import changes
/// no policy.
fn zone(domain: &str, records: &[CheckedRecord]) -> String {
    let mut text = format!(
        "; The records that inboxd needs, for the zone of {domain} or a zone above it. SOA and NS are those of the zone:\n\
         ; NS records of {domain} in a zone above it would delegate the name.\n\
         $ORIGIN {domain}.\n\
         $TTL {RECORD_TTL}\n"
    );
    let is_within = |name: &str| name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    for record in records {
        let CheckedRecord { wanted, state, found, .. } = record;
        let name = &wanted.name;
        let Some(data) = &wanted.data else {
            let _ = writeln!(text, "; {name}. IN {} {}", wanted.kind(), wanted.hint());
            continue;
        };
        let is_chosen = *state == RecordState::Published && matches!(data, RecordData::Txt(_)) && !wanted.is_alone();
        let chosen = found.iter().find(|other| is_chosen && is_same_use(data, other));
        let line = format!("{name}. IN {} {}", data.kind(), chosen.unwrap_or(data).text());
        let comment = if has_failed(record) {
            "; not looked up: "
        } else if is_within(name) {
            ""
        } else {
            "; in another zone: "
        };
        let _ = writeln!(text, "{comment}{line}");
    }
    text
}

/// Returns commands of nsupdate.
fn nsupdate(records: &[CheckedRecord]) -> String {
    let mut text = "; The records that are missing, for `nsupdate -k KEYFILE`.\n".to_owned();
    let mut has_changes = false;
    for CheckedRecord { wanted, state, found, .. } in records {
        let (name, kind) = (&wanted.name, wanted.kind());
        match (&wanted.data, state) {
            (_, RecordState::Published) => {}
            (None, _) => {
                let _ = writeln!(text, "; {name}. {kind} {}", wanted.hint());
            }
            (Some(data), RecordState::Unknown) => {
                let _ = writeln!(text, "; not looked up: {name}. {kind} {}", data.text());
            }
            (Some(data), RecordState::Different) if !wanted.is_alone() => {
                let _ = writeln!(text, "; {name}. {kind} {} is needed: decide about {}", data.text(), texts(found));
            }
            (Some(data), _) => {
                has_changes = true;
                if *state == RecordState::Different {
                    let _ = writeln!(text, "update delete {name}. {kind}");
                }
                let _ = writeln!(text, "update add {name}. {RECORD_TTL} {kind} {}", data.text());
            }
        }
    }
    text.push_str(if has_changes { "send\n" } else { "; Nothing is to be added.\n" });
    text
}

fn texts(found: &[RecordData]) -> String {
    found.iter().map(RecordData::text).collect::<Vec<_>>().join(" and ")
}

/// Returns a change batch. An `UPSERT` replaces all records of a name and type, so it has the published ones too.
fn route53(records: &[CheckedRecord]) -> String {
    let mut sets: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for CheckedRecord { wanted, state, found, .. } in records {
        let is_change = match state {
            // Without a lookup, others could be replaced.
            RecordState::Published | RecordState::Unknown => false,
            RecordState::Different => wanted.is_alone(),
            RecordState::Missing => true,
        };
        let Some(data) = wanted.data.as_ref().filter(|_| is_change) else { continue };
        let values = sets.entry((wanted.name.as_str(), wanted.kind())).or_default();
        let others = if wanted.is_alone() { &[][..] } else { found.as_slice() };
        for value in others.iter().chain([data]).map(RecordData::route53_text) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    let changes: Vec<Value> = sets.into_iter().map(|((name, kind), values)| upsert(name, kind, &values)).collect();
    let batch = json!({"Comment": "The records that inboxd needs.", "Changes": changes});
    format!("{batch:#}\n")
}

fn upsert(name: &str, kind: &str, values: &[String]) -> Value {
    let values: Vec<Value> = values.iter().map(|value| json!({"Value": value})).collect();
    let set = json!({"Name": format!("{name}."), "Type": kind, "TTL": RECORD_TTL, "ResourceRecords": values});
    json!({"Action": "UPSERT", "ResourceRecordSet": set})
}
