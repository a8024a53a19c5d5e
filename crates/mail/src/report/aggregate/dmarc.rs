//! Aggregate report of DMARC: XML (RFC 7489, appendix C; RFC 9990).

use std::net::IpAddr;

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::Event;
use quick_xml::reader::Reader;

use super::sums::{MAX_TOTAL, RowSums};
use super::{AggregateReport, DmarcRow, MAX_CHARS, ReportRows, bounded, domain};

/// Maximum depth of elements.
const MAX_DEPTH: usize = 20;
/// Maximum number of events of the reader: 13,000 rows of 25 elements with their texts. Each costs processor time.
const MAX_EVENTS: usize = 1_000_000;
/// Maximum bytes of the text of an element.
const MAX_TEXT_BYTES: usize = 1024;
/// Actions of a receiver (RFC 7489, appendix C; RFC 9990 adds `pass`).
const DISPOSITIONS: [&str; 4] = ["none", "pass", "quarantine", "reject"];

/// Key of the messages of a row: source, disposition, alignment of DKIM and SPF.
type RowKey = (IpAddr, &'static str, bool, bool);

/// State of reading.
#[derive(Default)]
struct ReportReader {
    /// Names of the open elements.
    path: Vec<String>,
    text: String,
    reporter: String,
    report_id: String,
    domain: String,
    begin: Option<i64>,
    end: Option<i64>,
    row: RowFields,
    rows: RowSums<RowKey>,
}

/// Fields of the open row.
#[derive(Default)]
struct RowFields {
    source_ip: Option<IpAddr>,
    count: u64,
    disposition: Option<&'static str>,
    dkim_aligned: bool,
    spf_aligned: bool,
}

/// Reads a report; `None` if it is not one. A report that breaks off is none, because its counts are wrong.
pub(super) fn read(xml: &str) -> Option<AggregateReport> {
    let mut reader = Reader::from_str(xml);
    let mut report = ReportReader::default();
    let mut is_closed = false;
    for _ in 0..MAX_EVENTS {
        match reader.read_event().ok()? {
            Event::Start(start) => {
                if report.path.len() >= MAX_DEPTH {
                    return None;
                }
                report.path.push(local(start.name().into_inner()).to_owned());
                report.text.clear();
            }
            Event::End(_) => {
                report.close();
                report.path.pop();
                report.text.clear();
                is_closed = report.path.is_empty();
            }
            Event::Text(text) => report.append(&text.into_inner()),
            Event::CData(text) => report.append(&text.into_inner()),
            // Only the predefined entities: others are declared by the document.
            Event::GeneralRef(reference) => {
                if let Some(character) = reference.resolve_char_ref().ok().flatten() {
                    report.append(character.encode_utf8(&mut [0; 4]));
                } else if let Some(text) = resolve_xml_entity(&reference.into_inner()) {
                    report.append(text);
                }
            }
            Event::Eof => return if is_closed { report.finish() } else { None },
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    None
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn disposition(text: &str) -> Option<&'static str> {
    DISPOSITIONS.into_iter().find(|known| text.eq_ignore_ascii_case(known))
}

impl ReportReader {
    fn append(&mut self, text: &str) {
        if self.text.len() + text.len() <= MAX_TEXT_BYTES {
            self.text.push_str(text);
        }
    }

    /// Takes over the value of the element that ends.
    fn close(&mut self) {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let text = self.text.trim();
        match path.as_slice() {
            ["feedback", "report_metadata", "org_name"] => self.reporter = bounded(text, MAX_CHARS),
            ["feedback", "report_metadata", "report_id"] => self.report_id = bounded(text, MAX_CHARS),
            ["feedback", "report_metadata", "date_range", "begin"] => self.begin = text.parse().ok(),
            ["feedback", "report_metadata", "date_range", "end"] => self.end = text.parse().ok(),
            ["feedback", "policy_published", "domain"] => self.domain = domain(text),
            ["feedback", "record", "row", "source_ip"] => self.row.source_ip = text.parse().ok(),
            ["feedback", "record", "row", "count"] => self.row.count = text.parse().unwrap_or(0),
            ["feedback", "record", "row", "policy_evaluated", field] => match *field {
                "disposition" => self.row.disposition = disposition(text),
                "dkim" => self.row.dkim_aligned = text.eq_ignore_ascii_case("pass"),
                "spf" => self.row.spf_aligned = text.eq_ignore_ascii_case("pass"),
                _ => {}
            },
            ["feedback", "record"] => self.end_row(),
            _ => {}
        }
    }

    fn end_row(&mut self) {
        let RowFields { source_ip, count, disposition, dkim_aligned, spf_aligned } = std::mem::take(&mut self.row);
        let Some(source_ip) = source_ip else { return };
        let disposition = disposition.unwrap_or(DmarcRow::OTHER_DISPOSITION);
        self.rows.add((source_ip, disposition, dkim_aligned, spf_aligned), count);
    }

    fn finish(self) -> Option<AggregateReport> {
        let Self { reporter, report_id, domain, begin, end, rows, .. } = self;
        if domain.is_empty() || rows.total() > MAX_TOTAL {
            return None;
        }
        let (rows, omitted) = rows.into_largest();
        let row = |((source_ip, disposition, dkim_aligned, spf_aligned), count): (RowKey, u64)| DmarcRow {
            source_ip,
            count,
            disposition: disposition.to_owned(),
            dkim_aligned,
            spf_aligned,
        };
        let rows = ReportRows::Dmarc(rows.into_iter().map(row).collect());
        Some(AggregateReport { reporter, report_id, domain, begin: begin?, end: end?, rows, omitted })
    }
}
