//! `inboxd admin reports`: received DMARC and TLS reports.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inboxd_testkit::{DnsServer, TestServer};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime, Time};

use crate::authentication::dkimpy::Key;
use crate::monitoring::{observed, samples, scrape};
use crate::support::options;

const DOMAIN: &str = "mail.example.org";

/// Returns the first second of yesterday.
#[expect(clippy::disallowed_methods, reason = "the server under test has the real time")]
fn yesterday() -> OffsetDateTime {
    (OffsetDateTime::from(SystemTime::now()) - Duration::DAY).replace_time(Time::MIDNIGHT)
}

/// Returns a DMARC report about yesterday with an id and rows of source, messages, SPF and DKIM.
fn dmarc(domain: &str, id: &str, rows: &[(&str, u32, &str, &str)]) -> String {
    let row = |(ip, count, spf, dkim): &(&str, u32, &str, &str)| {
        format!(
            "<record><row><source_ip>{ip}</source_ip><count>{count}</count><policy_evaluated><disposition>quarantine\
             </disposition><dkim>{dkim}</dkim><spf>{spf}</spf></policy_evaluated></row></record>"
        )
    };
    let rows = rows.iter().map(row).collect::<Vec<String>>().concat();
    let begin = yesterday().unix_timestamp();
    let end = begin + 86_399;
    format!(
        "<feedback><report_metadata><org_name>Receiver</org_name><report_id>{id}</report_id><date_range><begin>{begin}\
         </begin><end>{end}</end></date_range></report_metadata><policy_published><domain>{domain}</domain>\
         </policy_published>{rows}</feedback>"
    )
}

/// Returns a TLS report about yesterday.
fn tls() -> String {
    let day = yesterday().date();
    json!({
        "organization-name": "Company-X", "report-id": "1",
        "date-range": {"start-datetime": format!("{day}T00:00:00Z"), "end-datetime": format!("{day}T23:59:59Z")},
        "policies": [{
            "policy": {"policy-type": "sts", "policy-domain": "signup.mail.example.org"},
            "summary": {"total-successful-session-count": 12, "total-failure-session-count": 1},
            "failure-details": [{
                "result-type": "certificate-expired", "receiving-mx-hostname": "mail.example.org",
                "failed-session-count": 1,
            }],
        }],
    })
    .to_string()
}

fn gzip(content: &str) -> Vec<u8> {
    let mut child = Command::new("gzip").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(content.as_bytes()).unwrap();
    child.wait_with_output().unwrap().stdout
}

/// Returns a message that is a file.
fn mail(subject: &str, media: &str, file: &[u8]) -> Vec<u8> {
    let lines: Vec<String> = file.chunks(57).map(|line| STANDARD.encode(line)).collect();
    format!(
        "From: reports@receiver.example\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\nContent-Type: {media}\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n{}\r\n",
        lines.join("\r\n")
    )
    .into_bytes()
}

async fn deliver(server: &TestServer, to: &str, mail: &[u8]) {
    server.deliver("reports@receiver.example", &[to], mail).await.require_code(250, "2");
}

async fn reports(server: &TestServer, arguments: &[&str]) -> String {
    let output = server.command(&[&["admin", "reports"][..], arguments].concat()).await;
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Requires the number of counted reports of a kind with an outcome.
async fn require_count(server: &TestServer, kind: &str, outcome: &str, count: f64) {
    let text = scrape(server).await;
    let (kind_label, outcome_label) = (format!("kind=\"{kind}\""), format!("outcome=\"{outcome}\""));
    let found = samples::sum(&text, "inboxd_aggregate_reports_total", &[&kind_label, &outcome_label]);
    assert!((found - count).abs() < 0.5, "{kind} {outcome}: {found}");
}

#[tokio::test]
async fn received_reports_are_summed_by_domain() {
    let dns = DnsServer::start().await;
    // The client of the test is authenticated by SPF, and TLS reports by DKIM.
    dns.txt("receiver.example", "v=spf1 ip4:127.0.0.1 -all");
    let key = Key::rsa(2048);
    dns.txt("k1._domainkey.receiver.example", &key.record);
    let server = observed().dns(&dns).set("INBOXD_DOMAIN", DOMAIN).start().await;
    assert!(reports(&server, &[]).await.starts_with("no reports"));
    let rows = [("192.0.2.25", 40, "pass", "fail"), ("198.51.100.9", 2, "fail", "fail")];
    let first = mail("Report 1", "application/gzip", &gzip(&dmarc(DOMAIN, "1", &rows)));
    deliver(&server, "dmarc-reports@mail.example.org", &first).await;
    // A client that lost the reply sends the message again.
    deliver(&server, "dmarc-reports@mail.example.org", &first).await;
    // The same report in another message.
    let again = mail("Report again", "text/xml", dmarc(DOMAIN, "1", &rows).as_bytes());
    deliver(&server, "dmarc-reports@mail.example.org", &again).await;
    let second = mail("Report 2", "text/xml", dmarc(DOMAIN, "2", &rows[..1]).as_bytes());
    deliver(&server, "DMARC-Reports@mail.example.org", &second).await;
    let unsigned = mail("TLS", "application/tlsrpt+gzip", &gzip(&tls()));
    deliver(&server, "tls-reports@mail.example.org", &unsigned).await;
    deliver(&server, "tls-reports@mail.example.org", &key.sign("receiver.example", "k1", &unsigned)).await;

    let shown = reports(&server, &[]).await;
    let day = yesterday().date();
    for words in [
        &*format!("mail.example.org: DMARC from {day} to {day}: 82 messages, 80 pass, 2 fail\n"),
        "  Receiver (receiver.example)\n   MESSAGES  SPF   DKIM  DISPOSITION  SOURCE\n\
         \x20         2  fail  fail  quarantine   198.51.100.9\n\
         \x20        80  pass  fail  quarantine   192.0.2.25\n",
        &*format!("signup.mail.example.org: TLS from {day} to {day}: 13 sessions, 12 succeeded, 1 failed\n"),
        "          1  sts              certificate-expired         mail.example.org\n\
         \x20        12  sts              success\n",
    ] {
        assert!(shown.contains(words), "{words:?}\n{shown}");
    }
    let tls = reports(&server, &["--kind", "tls", "--days", "1"]).await;
    assert!(tls.contains("TLS from") && !tls.contains("DMARC from"), "{tls}");
    assert!(reports(&server, &["--domain", "example.org"]).await.starts_with("no reports"));

    let line = reports(&server, &["--json", "--domain", "signup.mail.example.org."]).await;
    let report: Value = serde_json::from_str(line.trim()).unwrap();
    assert_eq!((&report["kind"], &report["begin"]), (&"tls".into(), &format!("{day}T00:00:00Z").into()), "{report:#}");
    let failure = json!({"policy": "sts", "result": "certificate-expired", "server": "mail.example.org", "count": 1});
    assert_eq!(report["rows"][1], failure, "{report:#}");
    let id = report["id"].as_str().unwrap();
    assert!(shown.contains(&format!("          1  {id}  Company-X (receiver.example)\n")), "{id}\n{shown}");
    let whole: Value = serde_json::from_str(&reports(&server, &["show", id]).await).unwrap();
    assert_eq!(whole, report);
    let unknown = server.command(&["admin", "reports", "show", "00000000-0000-0000-0000-000000000000"]).await;
    assert!(!unknown.status.success());
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no such report"), "{unknown:?}");

    for (kind, outcome, count) in
        [("dmarc", "stored", 2.0), ("dmarc", "duplicate", 2.0), ("tls", "stored", 1.0), ("tls", "unauthenticated", 1.0)]
    {
        require_count(&server, kind, outcome, count).await;
    }
}

#[tokio::test]
async fn unreadable_mail_is_held_for_operator_and_useless_reports_are_not_stored() {
    let dns = DnsServer::start().await;
    // A network has an eighth of it: one report.
    let server =
        observed().dns(&dns).set("INBOXD_DOMAIN", DOMAIN).set("INBOXD_MAX_DAILY_MAIL_REPORTS", "8").start().await;
    let row = [("192.0.2.1", 1, "pass", "pass")];
    let (own, foreign) = (dmarc(DOMAIN, "1", &row), dmarc("example.com", "1", &row));
    let foreign = mail("Foreign", "text/xml", foreign.as_bytes());
    let reply = server.deliver("person@example.net", &["dmarc-reports@mail.example.org"], &foreign).await;
    reply.require_code(550, "5.7.1");
    let bomb = gzip(&" ".repeat(11 * 1024 * 1024));
    for (subject, file) in [("Bomb", bomb.as_slice()), ("Junk", &b"<a>"[..]), ("First", own.as_bytes())] {
        deliver(&server, "dmarc-reports@mail.example.org", &mail(subject, "text/xml", file)).await;
    }
    let second = mail("Second", "text/xml", dmarc(DOMAIN, "2", &row).as_bytes());
    deliver(&server, "dmarc-reports@mail.example.org", &second).await;
    assert_eq!(reports(&server, &["--json"]).await, "", "anyone can send a report without an authenticated sender");
    assert_eq!(reports(&server, &["--json", "--unauthenticated"]).await.lines().count(), 1);
    let held = server.command(&["admin", "postmaster", "list"]).await;
    let held = String::from_utf8(held.stdout).unwrap();
    let is_held = ["Foreign", "Bomb", "Junk", "First", "Second"].map(|subject| held.contains(subject));
    assert_eq!(is_held, [false, true, true, false, false], "{held}");
    for (outcome, count) in [("foreign", 1.0), ("unreadable", 2.0), ("stored", 1.0), ("limited", 1.0)] {
        require_count(&server, "dmarc", outcome, count).await;
    }
    // Nobody else gets these addresses.
    let sign_up = json!({"human_email": "a@example.net", "username": "dmarc-reports"});
    assert_eq!(server.http().post("/v0/agent/sign-up", sign_up).await.bad_fields(), ["username"]);
}

#[tokio::test]
async fn hostile_names_show_no_control_or_hidden_characters() {
    let server = options().set("INBOXD_DOMAIN", DOMAIN).start().await;
    let hostile = "Evil\u{1b}[2J\u{9b}\u{202e}";
    let xml = dmarc(DOMAIN, "1", &[("192.0.2.1", 1, "pass", "pass")]).replace("Receiver", hostile);
    deliver(&server, "dmarc-reports@signup.mail.example.org", &mail("Report", "text/xml", xml.as_bytes())).await;
    assert!(reports(&server, &[]).await.starts_with("no reports"));
    let shown = reports(&server, &["--unauthenticated"]).await;
    assert!(shown.contains("mail.example.org: DMARC, not authenticated from "), "{shown:?}");
    assert!(shown.contains("Evil[2J (not authenticated)\n"), "{shown:?}");
    for text in [shown, reports(&server, &["--json", "--unauthenticated"]).await] {
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{text:?}");
    }
}
