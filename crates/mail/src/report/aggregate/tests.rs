#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::sums::{MAX_ROWS, MAX_TOTAL};
use super::{AggregateReport, AggregateReports, DmarcRow, MAX_CHARS, ReportRows, TlsRow, read_aggregate_reports};
use crate::{AttachmentPart, Composition, Disposition, compose};

/// Report in the form of RFC 8460, section 4.4.
const TLS: &str = r#"{"organization-name": "Company-X", "date-range": {"start-datetime": "2026-11-27T00:00:00Z",
    "end-datetime": "2026-11-27T23:59:59Z"}, "contact-info": "x@company-x.example", "report-id": "5065427c",
    "policies": [{"policy": {"policy-type": "sts", "policy-string": ["version: STSv1"], "policy-domain":
    "Mail.example.org", "mx-host": ["mail.example.org"]}, "summary": {"total-successful-session-count": 5326,
    "total-failure-session-count": 303}, "failure-details": [{"result-type": "certificate-expired",
    "sending-mta-ip": "2001:db8:abcd:0012::1", "receiving-mx-hostname": "mx1.mail.example.org",
    "failed-session-count": 100}, {"result-type": "success", "failed-session-count": 200}]}]}"#;

/// Report in the form of RFC 7489, appendix C.
fn dmarc(records: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<feedback><version>1.0</version><report_metadata><org_name>Receiver &amp; Co</org_name>\
         <email>noreply@receiver.example</email><report_id>42</report_id><date_range><begin>1795824000</begin>\
         <end>1795910399</end></date_range></report_metadata><policy_published><domain>Mail.Example.Org</domain>\
         <p>none</p></policy_published>{records}</feedback>"
    )
}

fn record(ip: &str, count: u64, dkim: &str, spf: &str) -> String {
    format!(
        "<record><row><source_ip>{ip}</source_ip><count>{count}</count><policy_evaluated><disposition>none</disposition>\
         <dkim>{dkim}</dkim><spf>{spf}</spf></policy_evaluated></row><identifiers><header_from>mail.example.org\
         </header_from></identifiers><auth_results><dkim><domain>x.example</domain><result>fail</result></dkim>\
         </auth_results></record>"
    )
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Returns a ZIP archive of one file (APPNOTE, sections 4.3.7, 4.3.12 and 4.3.16).
fn zip(content: &[u8]) -> Vec<u8> {
    let name = b"report.xml";
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    let packed = encoder.finish().unwrap();
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
    // Version, flags, method, time, checksum, sizes, lengths of name and further fields.
    let fields = [&[20u8, 0, 0, 0, 8, 0][..], &[0; 8], &length(&packed), &length(content), &[10, 0, 0, 0]].concat();
    let file = [&b"PK\x03\x04"[..], &fields, name, &packed].concat();
    let entry = [&b"PK\x01\x02\x14\0"[..], &fields, &[0; 14], name].concat();
    let end = [&b"PK\x05\x06"[..], &[0; 4], &[1, 0, 1, 0], &length(&entry), &length(&file), &[0; 2]].concat();
    [file, entry, end].concat()
}

/// Returns a message with a file.
fn mail(media: &str, file: &[u8]) -> Vec<u8> {
    let attachment = AttachmentPart {
        filename: Some("report".to_owned()),
        content_type: Some(media.to_owned()),
        disposition: Disposition::Attachment,
        content_id: None,
        content: file.to_vec(),
    };
    compose(&Composition {
        text: Some("A report.".to_owned()),
        attachments: vec![attachment],
        ..Composition::new("noreply@receiver.example".parse().unwrap(), "<1@receiver.example>".to_owned())
    })
    .unwrap()
}

fn one(raw: &[u8]) -> AggregateReport {
    let AggregateReports { mut reports, is_cut } = read_aggregate_reports(raw);
    assert!(!is_cut);
    assert_eq!(reports.len(), 1, "{reports:?}");
    reports.remove(0)
}

#[test]
fn dmarc_report_is_read_packed_or_not() {
    let rows = [record("192.0.2.1", 3, "pass", "fail"), record("2001:db8::1", 9, "fail", "pass")];
    let xml = dmarc(&[&rows[0], &rows[1], &rows[0]].map(String::as_str).concat());
    let row = |ip: &str, count, dkim_aligned, spf_aligned| DmarcRow {
        source_ip: ip.parse().unwrap(),
        count,
        disposition: "none".to_owned(),
        dkim_aligned,
        spf_aligned,
    };
    let expected = AggregateReport {
        reporter: "Receiver & Co".to_owned(),
        report_id: "42".to_owned(),
        domain: "mail.example.org".to_owned(),
        begin: 1_795_824_000,
        end: 1_795_910_399,
        rows: ReportRows::Dmarc(vec![row("2001:db8::1", 9, false, true), row("192.0.2.1", 6, true, false)]),
        omitted: 0,
    };
    for (media, file) in [
        ("application/gzip", gzip(xml.as_bytes())),
        ("application/octet-stream", gzip(xml.as_bytes())),
        ("application/zip", zip(xml.as_bytes())),
        ("text/xml", xml.clone().into_bytes()),
    ] {
        assert_eq!(one(&mail(media, &file)), expected, "{media}");
    }
    // The namespace of RFC 9990, with a prefix.
    let later = xml.replace("<feedback>", "<d:feedback xmlns:d=\"urn:ietf:params:xml:ns:dmarc-2.0\">");
    let later = later.replace("</feedback>", "</d:feedback>");
    assert_eq!(one(&mail("application/gzip", &gzip(later.as_bytes()))), expected);
}

#[test]
fn tls_report_has_rows_of_sessions() {
    let row = |result: &str, server: &str, count| TlsRow {
        policy: "sts".to_owned(),
        result: result.to_owned(),
        server: server.to_owned(),
        count,
    };
    // A failure with the name of success is a failure.
    let expected = vec![
        row(TlsRow::SUCCESS, "", 5326),
        row("unspecified-failure", "", 203),
        row("certificate-expired", "mx1.mail.example.org", 100),
    ];
    for (media, file) in
        [("application/tlsrpt+gzip", gzip(TLS.as_bytes())), ("application/tlsrpt+json", TLS.as_bytes().to_vec())]
    {
        let report = one(&mail(media, &file));
        assert_eq!((report.domain.as_str(), report.reporter.as_str()), ("mail.example.org", "Company-X"));
        assert_eq!(report.rows, ReportRows::Tls(expected.clone()), "{media}");
    }
}

#[test]
fn packed_bombs_are_not_read() {
    // Eleven megabytes unpacked, of a dozen kilobytes.
    let bomb = dmarc(&" ".repeat(11 * 1024 * 1024));
    for file in [gzip(bomb.as_bytes()), zip(bomb.as_bytes())] {
        assert!(file.len() < 20_000);
        assert!(read_aggregate_reports(&mail("application/gzip", &file)).reports.is_empty());
    }
    // Each member of a gzip file takes time, even an empty one.
    let report = dmarc("");
    let (head, tail) = report.split_at(report.len() / 2);
    let members = |count| [gzip(head.as_bytes()), gzip(b"").repeat(count), gzip(tail.as_bytes())].concat();
    assert_eq!(read_aggregate_reports(&mail("application/gzip", &members(900))).reports.len(), 1);
    assert!(read_aggregate_reports(&mail("application/gzip", &members(1000))).reports.is_empty());
    // A file in a file is not unpacked.
    let nested = gzip(&gzip(dmarc("").as_bytes()));
    assert!(read_aggregate_reports(&mail("application/gzip", &nested)).reports.is_empty());
}

#[test]
fn tls_report_of_empty_elements_has_one_row() {
    // A packed file of a few kilobytes unpacks to as many elements as fit.
    let report = |elements: &str, bytes: usize| {
        let failures = vec![elements; bytes / (elements.len() + 1)].join(",");
        let policy = format!("{{\"policy-type\": \"{}\", \"policy-domain\": \"example.org\"}}", "x".repeat(100_000));
        let json = TLS.split_once("\"policies\"").unwrap().0.to_owned()
            + &format!("\"policies\": [{{\"policy\": {policy}, \"failure-details\": [{failures}], \"summary\":")
            + "{\"total-failure-session-count\": 7}}]}";
        mail("application/tlsrpt+gzip", &gzip(json.as_bytes()))
    };
    let row = |result: &str, count| TlsRow {
        policy: TlsRow::OTHER_POLICY.to_owned(),
        result: result.to_owned(),
        server: String::new(),
        count,
    };
    for elements in ["{}", "{\"failed-session-count\":0}", "{\"failed-session-count\":null,\"result-type\":null}"] {
        let read = one(&report(elements, 900_000));
        assert_eq!(read.rows, ReportRows::Tls(vec![row("unspecified-failure", 7)]), "{elements}");
        assert!(read_aggregate_reports(&report(elements, 10_000_000)).reports.is_empty(), "{elements}");
    }
    // Equal failures are one row.
    let equal = one(&report("{\"failed-session-count\":2,\"result-type\":\"a\"}", 500_000));
    assert!(matches!(&equal.rows, ReportRows::Tls(rows) if rows.len() == 1 && rows[0].count > 10_000), "{equal:?}");
}

#[test]
fn tls_report_may_have_null_for_optional_fields() {
    let nulls = TLS.replace("\"5065427c\"", "null").replace("\"Company-X\"", "null").replace("\"sts\"", "null");
    let report = one(&mail("application/tlsrpt+json", nulls.as_bytes()));
    assert_eq!((report.reporter.as_str(), report.report_id.as_str()), ("", ""));
    assert!(
        matches!(&report.rows, ReportRows::Tls(rows) if rows.iter().all(|row| row.policy == "other")),
        "{report:?}"
    );
}

#[test]
fn tls_report_beyond_ten_domains_is_cut() {
    let policy = |number: usize| {
        format!(
            "{{\"policy\": {{\"policy-type\": \"tlsa\", \"policy-domain\": \"{number}.example.org\"}}, \"summary\": \
             {{\"total-successful-session-count\": 1}}, \"failure-details\": null}}"
        )
    };
    for (number, is_cut) in [(10, false), (11, true)] {
        let policies: Vec<String> = (0..number).map(policy).collect();
        let json = format!("{}\"policies\": [{}]}}", TLS.split_once("\"policies\"").unwrap().0, policies.join(","));
        let read = read_aggregate_reports(&mail("application/tlsrpt+json", json.as_bytes()));
        assert_eq!((read.reports.len(), read.is_cut), (10, is_cut));
    }
}

#[test]
fn all_files_share_one_limit() {
    // Each is no report and fits alone; the report is in the fourth file.
    let file = |content: &[u8]| {
        let parts = ["Content-Type: application/xml", "Content-Transfer-Encoding: 8bit", ""].join("\r\n");
        format!("--b\r\n{parts}\r\n{}\r\n", String::from_utf8_lossy(content))
    };
    let raw = |bytes: usize| {
        let junk = file(format!("<a>{}</a>", "x".repeat(bytes)).as_bytes());
        let report = file(dmarc("").as_bytes());
        let head = "From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n";
        format!("{head}{junk}{junk}{junk}{report}--b--\r\n").into_bytes()
    };
    assert_eq!(read_aggregate_reports(&raw(3 * 1024 * 1024)).reports.len(), 1);
    assert!(read_aggregate_reports(&raw(4 * 1024 * 1024)).reports.is_empty());
}

#[test]
fn entities_of_document_are_not_read() {
    let entities = dmarc(&record("192.0.2.1", 1, "pass", "pass")).replace(
        "<feedback>",
        "<!DOCTYPE feedback [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]>\
         <feedback>",
    );
    let entities = entities.replace("Receiver &amp; Co", "&b;&f;Receiver\u{1b}[2J");
    assert_eq!(one(&mail("text/xml", entities.as_bytes())).reporter, "Receiver[2J");
}

#[test]
fn rows_and_counts_are_bounded() {
    let rows: String = (0..=u16::try_from(MAX_ROWS).unwrap())
        .map(|number| record(&format!("10.0.{}.{}", number / 256, number % 256), 2, "pass", "pass"))
        .collect();
    let cut = one(&mail("application/gzip", &gzip(dmarc(&rows).as_bytes())));
    assert!(matches!(&cut.rows, ReportRows::Dmarc(rows) if rows.len() == MAX_ROWS));
    assert_eq!(cut.omitted, 2);
    for (count, is_read) in [(MAX_TOTAL - 1, true), (MAX_TOTAL, false), (u64::MAX, false)] {
        let rows = [record("192.0.2.1", count, "pass", "pass"), record("192.0.2.1", 1, "pass", "pass")].concat();
        let found = read_aggregate_reports(&mail("text/xml", dmarc(&rows).as_bytes()));
        assert_eq!(found.reports.len(), usize::from(is_read), "{count}");
    }
}

#[test]
fn report_of_too_many_elements_is_no_report() {
    for (elements, is_read) in [(1_000, true), (500_000, false)] {
        let records = record("192.0.2.1", 1, "pass", "pass") + &"<a></a>".repeat(elements);
        let found = read_aggregate_reports(&mail("application/gzip", &gzip(dmarc(&records).as_bytes())));
        assert_eq!(found.reports.len(), usize::from(is_read), "{elements}");
    }
}

#[test]
fn broken_report_is_no_report() {
    for broken in [
        dmarc("").replace("</feedback>", ""),
        dmarc(&"<a>".repeat(100)),
        dmarc("").replace("Mail.Example.Org", ""),
        dmarc("").replace("Mail.Example.Org", "mail example.org"),
        dmarc("").replace("1795824000", "yesterday"),
        "{\"policies\": []}".to_owned(),
        "[".repeat(100_000),
        "<html><body>Hello</body></html>".to_owned(),
    ] {
        assert!(read_aggregate_reports(&mail("text/xml", broken.as_bytes())).reports.is_empty(), "{broken:.200}");
    }
    assert!(read_aggregate_reports(b"Subject: no report\r\n\r\nHello\r\n").reports.is_empty());
}

/// Replaces bytes at a place.
fn changed(mut content: Vec<u8>, place: Index, bytes: &[u8]) -> Vec<u8> {
    let start = place.index(content.len());
    let end = (start + bytes.len()).min(content.len());
    content.splice(start..end, bytes.iter().copied());
    content
}

fn require_bounds(report: &AggregateReport) {
    let mut texts = vec![(&report.reporter, MAX_CHARS), (&report.report_id, MAX_CHARS), (&report.domain, 253)];
    match &report.rows {
        ReportRows::Dmarc(rows) => {
            assert!(rows.len() <= MAX_ROWS);
            let words = ["none", "pass", "quarantine", "reject", "other"];
            assert!(rows.iter().all(|row| words.contains(&row.disposition.as_str())));
        }
        ReportRows::Tls(rows) => {
            assert!(rows.len() <= MAX_ROWS);
            let words = ["sts", "tlsa", "no-policy-found", "other"];
            assert!(rows.iter().all(|row| words.contains(&row.policy.as_str())));
            texts.extend(rows.iter().flat_map(|row| [(&row.result, 64), (&row.server, 255)]));
        }
    }
    for (text, max_chars) in texts {
        assert!(text.chars().count() <= max_chars && !text.contains(char::is_control), "{text:?}");
    }
    assert!(!report.domain.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_report_is_read_within_bounds(
        is_tls in any::<bool>(),
        packing in 0..3,
        places in any::<(Index, Index)>(),
        bytes in vec(any::<u8>(), 0..40),
        packed_bytes in vec(any::<u8>(), 0..4),
    ) {
        let xml = dmarc(&record("192.0.2.1", 3, "pass", "fail"));
        let content = if is_tls { TLS } else { &xml };
        let content = changed(content.as_bytes().to_vec(), places.0, &bytes);
        let file = match packing {
            0 => content,
            1 => gzip(&content),
            _ => zip(&content),
        };
        let file = changed(file, places.1, &packed_bytes);
        for report in read_aggregate_reports(&mail("application/octet-stream", &file)).reports {
            require_bounds(&report);
        }
    }
}
