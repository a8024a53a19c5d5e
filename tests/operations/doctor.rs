//! `inboxd doctor`: checks of database, ports, DNS records and clock, each with a remedy.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Output};

use inboxd_testkit::{DnsServer, Reaction, SignedDns, WebhookReceiver, database, empty_database};

use crate::support::options;

const DOMAIN: &str = "mail.example.org";
const SIGNUP: &str = "signup.mail.example.org";

/// Runs the command on free ports with a separate database and these variables.
async fn doctor(variables: &[(&str, &str)]) -> Output {
    let database = database().await;
    let mut all = vec![("INBOXD_DATABASE_URL".to_owned(), database.url())];
    all.extend(variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
    tokio::task::spawn_blocking(move || run(&all)).await.unwrap()
}

fn run(variables: &[(String, String)]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_inboxd"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("INBOXD_")) {
        command.env_remove(name);
    }
    command
        .arg("doctor")
        .env("INBOXD_DATA_DIR", folder.path().join("data"))
        .env("INBOXD_HTTP_ADDR", "127.0.0.1:0")
        .env("INBOXD_SMTP_ADDR", "127.0.0.1:0")
        .envs(variables.iter().cloned());
    let output = command.output().unwrap();
    assert!(!folder.path().join("data").exists(), "a folder was created");
    output
}

/// Returns the line of a check; lines start with severity and subject.
#[track_caller]
fn check_lines(output: &Output, check: &str) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    for line in text.lines() {
        let level = line.split(' ').next().unwrap();
        assert!(["ok", "warn", "fail"].contains(&level), "{line}");
        // Errors of the database itself end with their remedy.
        let remedies = ["To mend: ", "set INBOXD_DATABASE_URL", "run that version of inboxd"];
        assert_eq!(level != "ok", remedies.iter().any(|remedy| line.contains(remedy)), "{line}");
    }
    text.lines().filter(|line| line[6..].starts_with(check)).map(str::to_owned).collect()
}

#[track_caller]
fn assert_check(output: &Output, check: &str, expected: &[(&str, &str)]) {
    let said = check_lines(output, check);
    assert_eq!(said.len(), expected.len(), "{check}: {output:?}");
    for (line, (level, words)) in said.iter().zip(expected) {
        assert!(line.starts_with(level) && line.contains(words), "{level} {words:?}: {line}");
    }
    let is_failure = output.stdout.starts_with(b"fail") || String::from_utf8_lossy(&output.stdout).contains("\nfail");
    assert_eq!(output.status.success(), !is_failure, "the exit status reports it too: {output:?}");
}

/// Publishes the records of the service domains.
fn publish(dns: &DnsServer) {
    dns.host(DOMAIN, Ipv4Addr::LOCALHOST.into());
    for domain in [DOMAIN, SIGNUP] {
        dns.mx(domain, 10, DOMAIN);
        dns.txt(domain, "v=spf1 mx -all");
    }
    dns.txt(&format!("_dmarc.{DOMAIN}"), "v=DMARC1; p=reject");
}

fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[tokio::test]
async fn doctor_passes_for_running_service() {
    let dns = DnsServer::start().await;
    publish(&dns);
    let (http, smtp) = (free_address(), free_address());
    let mut server = options()
        .embedded_database()
        .dns(&dns)
        .set("INBOXD_DOMAIN", DOMAIN)
        .set("INBOXD_HTTP_ADDR", &http)
        .set("INBOXD_SMTP_ADDR", &smtp)
        .start()
        .await;
    let output = server.command(&["doctor"]).await;
    assert_check(&output, "database", &[("ok", "at the schema of this version")]);
    assert_check(&output, "clock", &[("ok", "agrees with that of the database")]);
    assert_check(&output, "HTTP port", &[("ok", &format!("inboxd answers on {http}"))]);
    let reached = [("ok", &*format!("inboxd answers on {smtp}")), ("warn", "set INBOXD_SMTP_ADDR to 0.0.0.0:25")];
    assert_check(&output, "SMTP port", &reached);
    assert_check(&output, "OAuth", &[("ok", &format!("clients find http://{http}/mcp"))]);
    assert_check(&output, "resolver", &[("ok", "answers")]);
    assert_check(&output, "MX", &[("ok", DOMAIN), ("ok", SIGNUP)]);
    assert_check(&output, "SPF", &[("ok", DOMAIN), ("ok", SIGNUP)]);
    assert_check(&output, "DMARC", &[("ok", "p=reject")]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    // After the stop its ports are free and its database still exists.
    server.terminate().await;
    let output = server.command(&["doctor"]).await;
    assert_check(&output, "database", &[("ok", "at the schema of this version")]);
    assert_check(&output, "HTTP port", &[("ok", "is free")]);
    assert_check(&output, "OAuth", &[("warn", "start inboxd serve")]);
}

#[tokio::test]
async fn doctor_checks_ports_behind_proxies() {
    let base = ("INBOXD_BASE_URL", "https://mail.example.org");
    assert_check(&doctor(&[]).await, "proxies", &[]);
    assert_check(&doctor(&[base]).await, "proxies", &[("warn", "set INBOXD_TRUSTED_PROXIES")]);
    let trusted = ("INBOXD_TRUSTED_PROXIES", "127.0.0.1,10.0.0.0/8");
    assert_check(&doctor(&[base, trusted]).await, "proxies", &[("ok", "127.0.0.1/32, 10.0.0.0/8")]);
    let (http, smtp) = (free_address(), free_address());
    let server = options()
        .set("INBOXD_HTTP_ADDR", format!("{http}?proxy=required"))
        .set("INBOXD_SMTP_ADDR", format!("{smtp}?proxy=required"))
        .set("INBOXD_TRUSTED_PROXIES", "127.0.0.1")
        .start()
        .await;
    let output = server.command(&["doctor"]).await;
    assert_check(&output, "HTTP port", &[("ok", &format!("inboxd answers on {http}"))]);
    assert_check(&output, "SMTP port", &[("ok", &format!("inboxd answers on {smtp}"))]);
    let other = ("INBOXD_TRUSTED_PROXIES", "10.0.0.0/8");
    let output = doctor(&[("INBOXD_HTTP_ADDR", &format!("{http}?proxy=required")), other]).await;
    assert_check(&output, "HTTP port", &[("warn", "answers proxies only")]);
}

#[tokio::test]
async fn missing_database_fails_without_password_in_output() {
    let url = "postgres://nobody:secret@127.0.0.1:1/nothing";
    let output = doctor(&[("INBOXD_DATABASE_URL", url)]).await;
    assert_check(&output, "database", &[("fail", "set INBOXD_DATABASE_URL")]);
    assert_check(&output, "clock", &[("ok", "no other clock")]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("secret"), "{output:?}");
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(line.starts_with("inboxd: 1 of ") && line.ends_with(" checks failed\n"), "{line}");
}

#[tokio::test]
async fn empty_database_is_reported_without_migration() {
    let database = empty_database().await;
    let url = database.url();
    for _ in 0..2 {
        let output = doctor(&[("INBOXD_DATABASE_URL", &url)]).await;
        // Test databases are not durable.
        assert_check(&output, "database", &[("ok", "it is empty"), ("warn", "fsync")]);
        assert!(output.status.success(), "the server will migrate it: {output:?}");
    }
}

#[tokio::test]
async fn foreign_schema_is_reported() {
    let database = database().await;
    database.execute("INSERT INTO schema_migrations (name) VALUES ('00000000009999_later')").await;
    let output = doctor(&[("INBOXD_DATABASE_URL", &database.url())]).await;
    let later = "it has the schema of a later version (00000000009999_later); run that version of inboxd";
    assert_check(&output, "database", &[("fail", later), ("warn", "fsync")]);
    // As the builds before the first release left it.
    database
        .execute("UPDATE schema_migrations SET name = '00000000000001_foundation' WHERE name < '00000000000002'")
        .await;
    database
        .execute("UPDATE schema_migrations SET name = '00000000000091_outgoing_shares' WHERE name LIKE '%_later'")
        .await;
    let output = doctor(&[("INBOXD_DATABASE_URL", &database.url())]).await;
    let unreleased = "it was made by a build before the first release, and no version migrates it: export the mail";
    assert_check(&output, "database", &[("fail", unreleased), ("warn", "fsync")]);
}

#[tokio::test]
async fn doctor_without_database_checks_that_one_can_be_created() {
    let dns = DnsServer::start().await;
    let output = doctor(&[("INBOXD_DATABASE_URL", ""), ("INBOXD_DNS_ADDR", &dns.address().to_string())]).await;
    assert_check(&output, "database", &[("ok", "can be started")]);
    assert_check(&output, "resolver", &[("ok", "answers")]);
    assert_check(&output, "domain", &[("warn", "set INBOXD_DOMAIN")]);
    assert!(output.status.success(), "the requirements of a first start are met: {output:?}");
}

#[tokio::test]
async fn unavailable_port_fails_with_its_variable() {
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = stranger.local_addr().unwrap().to_string();
    std::thread::spawn(move || stranger.incoming().for_each(drop));
    let output = doctor(&[("INBOXD_HTTP_ADDR", &taken), ("INBOXD_SMTP_ADDR", "192.0.2.1:25")]).await;
    assert_check(&output, "HTTP port", &[("fail", "another program. To mend: end it, or set INBOXD_HTTP_ADDR")]);
    assert_check(
        &output,
        "SMTP port",
        &[("fail", "does not have the address 192.0.2.1. To mend: set INBOXD_SMTP_ADDR")],
    );
    let output = doctor(&[("INBOXD_SMTP_ADDR", &taken), ("INBOXD_ROLES", "smtp")]).await;
    assert_check(&output, "SMTP port", &[("fail", "another program")]);
    assert_check(&output, "HTTP port", &[]);
}

#[tokio::test]
async fn scanner_is_asked_and_its_failure_is_a_warning() {
    let body = r#"{"findings": []}"#;
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let scanner = WebhookReceiver::start_with(move |_| Reaction::Bytes(answer.clone().into_bytes())).await;
    let output = doctor(&[("INBOXD_SCANNER_URL", &scanner.url())]).await;
    assert_check(&output, "scanner", &[("ok", "of 1000 ms; 0 findings in a sample")]);
    scanner.set_reaction(|_| Reaction::Status(500));
    let output = doctor(&[("INBOXD_SCANNER_URL", &scanner.url())]).await;
    assert_check(&output, "scanner", &[("warn", "it returned 500")]);
    let closed = format!("http://{}/scan", free_address());
    let output = doctor(&[("INBOXD_SCANNER_URL", &closed)]).await;
    assert_check(&output, "scanner", &[("warn", "correct INBOXD_SCANNER_URL")]);
    assert_check(&doctor(&[]).await, "scanner", &[]);
}

#[tokio::test]
async fn unreachable_relay_fails() {
    let relay = format!("smtp://{}", free_address());
    let output = doctor(&[("INBOXD_DELIVERY", "relay"), ("INBOXD_RELAY_URL", &relay)]).await;
    assert_check(&output, "relay", &[("fail", "INBOXD_RELAY_URL")]);
}

#[tokio::test]
async fn silent_resolver_fails_with_domain_and_warns_without() {
    let nobody = free_address();
    let settings = [("INBOXD_DNS_ADDR", nobody.as_str()), ("INBOXD_DOMAIN", DOMAIN)];
    let (output, without) = tokio::join!(doctor(&settings), doctor(&settings[..1]));
    assert_check(&output, "resolver", &[("fail", "INBOXD_DNS_ADDR")]);
    assert_check(&output, "MX", &[]);
    assert_check(&without, "resolver", &[("warn", "INBOXD_DNS_ADDR")]);
}

#[tokio::test]
async fn missing_and_wrong_records_are_named_with_expected_value() {
    let dns = DnsServer::start().await;
    let asked = dns.address().to_string();
    let of = async |variables: &[(&str, &str)]| {
        let own = [("INBOXD_DNS_ADDR", &*asked), ("INBOXD_DOMAIN", DOMAIN)];
        doctor(&[&own[..], variables].concat()).await
    };
    let relay = [("INBOXD_DELIVERY", "relay"), ("INBOXD_RELAY_URL", "smtp://127.0.0.1:1")];
    let nothing = of(&relay).await;
    assert_check(&nothing, "host", &[("fail", "publish A or AAAA records of mail.example.org")]);
    let mx = format!("publish `{SIGNUP}. MX 10 {DOMAIN}.`");
    assert_check(&nothing, "MX", &[("fail", DOMAIN), ("fail", &mx)]);
    assert_check(&nothing, "SPF", &[("fail", "publish a TXT record of mail.example.org"), ("fail", SIGNUP)]);
    assert_check(&nothing, "DMARC", &[("warn", "publish a TXT record of _dmarc.mail.example.org")]);

    publish(&dns);
    let listening = of(&[]).await;
    assert_check(&listening, "host", &[("warn", "port 25")]);
    assert!(listening.status.success(), "{listening:?}");

    // One of two hosts has no address; one domain accepts no mail; one has two SPF records.
    dns.mx(DOMAIN, 20, "gone.example.org");
    dns.txt(DOMAIN, "v=spf1 a -all");
    dns.remove(SIGNUP);
    dns.mx(SIGNUP, 0, ".");
    let wrong = of(&[]).await;
    assert_check(&wrong, "MX", &[("warn", "gone.example.org, which has no address"), ("fail", "takes no mail")]);
    assert_check(&wrong, "SPF", &[("warn", "merge them"), ("warn", SIGNUP)]);
    // Failing name servers are no fault of the resolver.
    dns.fail(DOMAIN);
    let failing = of(&[]).await;
    assert_check(&failing, "resolver", &[("ok", "answers")]);
    assert_check(&failing, "MX", &[("fail", "mend the name servers"), ("fail", "takes no mail")]);
}

#[tokio::test]
async fn direct_delivery_needs_matching_reverse_names() {
    let dns = DnsServer::start().await;
    let asked = dns.address().to_string();
    // The resolver itself knows the name of loopback addresses.
    let address = std::net::IpAddr::from([192, 0, 2, 1]);
    dns.host(DOMAIN, address);
    let of = async |delivery: &str| {
        doctor(&[("INBOXD_DNS_ADDR", &*asked), ("INBOXD_DOMAIN", DOMAIN), ("INBOXD_DELIVERY", delivery)]).await
    };
    assert_check(&of("capture").await, "PTR", &[]);
    assert_check(
        &of("direct").await,
        "PTR",
        &[("warn", "192.0.2.1 has no reverse name: many servers refuse its mail. To mend:")],
    );
    dns.pointer(address, "elsewhere.example.org");
    assert_check(&of("direct").await, "PTR", &[("warn", "elsewhere.example.org, which does not resolve to it")]);
    dns.host("elsewhere.example.org", address);
    assert_check(
        &of("direct").await,
        "PTR",
        &[("ok", "has the reverse name elsewhere.example.org, which resolves to it")],
    );
}

#[tokio::test]
async fn doctor_reports_whether_resolver_passes_dnssec_records() {
    let zones = SignedDns::start("", "", "").await;
    let plain = DnsServer::start().await;
    let anchor = zones.trust_anchor_file().display().to_string();
    let check = async |resolver: String, dane: &str, anchor: &str| {
        let variables = [
            ("INBOXD_DELIVERY", "direct"),
            ("INBOXD_DNS_ADDR", &resolver),
            ("INBOXD_DANE", dane),
            ("INBOXD_DNSSEC_TRUST_ANCHOR", anchor),
        ];
        doctor(&variables).await
    };
    let signed = zones.address().to_string();
    let output = check(signed.clone(), "on", &anchor).await;
    assert_check(&output, "DANE", &[("ok", "the resolver passes DNSSEC records")]);
    let output = check(plain.address().to_string(), "on", &anchor).await;
    assert_check(&output, "DANE", &[("warn", "so mail is sent without DANE: ")]);
    let output = check(signed.clone(), "on", "/nowhere/anchor").await;
    assert_check(&output, "DANE", &[("fail", "INBOXD_DNSSEC_TRUST_ANCHOR: /nowhere/anchor: No such file")]);
    assert_check(&check(signed, "off", &anchor).await, "DANE", &[]);
}
