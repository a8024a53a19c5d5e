//! `inboxd doctor` checks database, ports, DNS records and clock, and says how to mend each.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Output};

use inboxd_testkit::{Dns, database};

use crate::support::options;

const DOMAIN: &str = "mail.example.org";
const SIGNUP: &str = "signup.mail.example.org";

/// Runs it on free ports, with a database of its own and what is asked for besides.
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
    assert!(!folder.path().join("data").exists(), "it made a folder");
    output
}

/// What was said of a check: every line begins with how grave it is and what was looked at.
#[track_caller]
fn said(output: &Output, check: &str) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    for line in text.lines() {
        let level = line.split(' ').next().unwrap();
        assert!(["ok", "warn", "fail"].contains(&level), "{line}");
        assert_eq!(level != "ok", line.contains("To mend: ") || line.contains("set INBOXD_DATABASE_URL"), "{line}");
    }
    text.lines().filter(|line| line[6..].starts_with(check)).map(str::to_owned).collect()
}

#[track_caller]
fn assert_said(output: &Output, check: &str, expected: &[(&str, &str)]) {
    let said = said(output, check);
    assert_eq!(said.len(), expected.len(), "{check}: {output:?}");
    for (line, (level, words)) in said.iter().zip(expected) {
        assert!(line.starts_with(level) && line.contains(words), "{level} {words:?}: {line}");
    }
    let is_failure = output.stdout.starts_with(b"fail") || String::from_utf8_lossy(&output.stdout).contains("\nfail");
    assert_eq!(output.status.success(), !is_failure, "the exit status tells as well: {output:?}");
}

/// The records that the service's own domains need.
fn publish(dns: &Dns) {
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
async fn a_service_that_is_well_is_found_well_while_it_runs() {
    let dns = Dns::start().await;
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
    assert_said(&output, "database", &[("ok", "at the schema of this version")]);
    assert_said(&output, "clock", &[("ok", "agrees with that of the database")]);
    assert_said(&output, "HTTP port", &[("ok", &format!("inboxd answers on {http}"))]);
    let reached = [("ok", &*format!("inboxd answers on {smtp}")), ("warn", "set INBOXD_SMTP_ADDR to 0.0.0.0:25")];
    assert_said(&output, "SMTP port", &reached);
    assert_said(&output, "resolver", &[("ok", "answers")]);
    assert_said(&output, "MX", &[("ok", DOMAIN), ("ok", SIGNUP)]);
    assert_said(&output, "SPF", &[("ok", DOMAIN), ("ok", SIGNUP)]);
    assert_said(&output, "DMARC", &[("ok", "p=reject")]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    // Stopped, its ports are free and its database is still there.
    server.terminate().await;
    let output = server.command(&["doctor"]).await;
    assert_said(&output, "database", &[("ok", "at the schema of this version")]);
    assert_said(&output, "HTTP port", &[("ok", "is free")]);
}

#[tokio::test]
async fn a_database_that_is_not_there_fails_without_showing_its_password() {
    let url = "postgres://nobody:secret@127.0.0.1:1/nothing";
    let output = doctor(&[("INBOXD_DATABASE_URL", url)]).await;
    assert_said(&output, "database", &[("fail", "set INBOXD_DATABASE_URL")]);
    assert_said(&output, "clock", &[("ok", "no other clock")]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("secret"), "{output:?}");
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(line.starts_with("inboxd: 1 of ") && line.ends_with(" checks failed\n"), "{line}");
}

#[tokio::test]
async fn a_database_of_another_schema_is_to_be_migrated_and_is_left_as_it_is() {
    let database = database().await;
    database.execute("DELETE FROM schema_migrations WHERE name LIKE '%_members'").await;
    let url = database.url();
    for _ in 0..2 {
        let output = doctor(&[("INBOXD_DATABASE_URL", &url)]).await;
        // Test databases need not survive a loss of power.
        assert_said(&output, "database", &[("warn", "_members. To mend: run `inboxd migrate`"), ("warn", "fsync")]);
        assert!(output.status.success(), "serving will migrate it: {output:?}");
    }
    database.execute("DELETE FROM schema_migrations").await;
    let output = doctor(&[("INBOXD_DATABASE_URL", &url)]).await;
    assert_said(&output, "database", &[("ok", "it is empty"), ("warn", "fsync")]);
}

#[tokio::test]
async fn a_database_of_a_later_version_is_told_from_one_of_this() {
    let database = database().await;
    database.execute("INSERT INTO schema_migrations (name) VALUES ('00000000009999_later')").await;
    let output = doctor(&[("INBOXD_DATABASE_URL", &database.url())]).await;
    let later =
        "at the schema of a later version: 00000000009999_later. To mend: run the version of inboxd that made it";
    assert_said(&output, "database", &[("fail", later), ("warn", "fsync")]);
}

#[tokio::test]
async fn without_a_database_yet_it_is_tried_whether_one_can_be_made() {
    let dns = Dns::start().await;
    let output = doctor(&[("INBOXD_DATABASE_URL", ""), ("INBOXD_DNS_ADDR", &dns.address().to_string())]).await;
    assert_said(&output, "database", &[("ok", "can be started")]);
    assert_said(&output, "resolver", &[("ok", "answers")]);
    assert_said(&output, "domain", &[("warn", "set INBOXD_DOMAIN")]);
    assert!(output.status.success(), "what a first try needs is there: {output:?}");
}

#[tokio::test]
async fn a_port_that_cannot_be_had_fails_with_its_variable() {
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = stranger.local_addr().unwrap().to_string();
    std::thread::spawn(move || stranger.incoming().for_each(drop));
    let output = doctor(&[("INBOXD_HTTP_ADDR", &taken), ("INBOXD_SMTP_ADDR", "192.0.2.1:25")]).await;
    assert_said(&output, "HTTP port", &[("fail", "another program. To mend: end it, or set INBOXD_HTTP_ADDR")]);
    assert_said(
        &output,
        "SMTP port",
        &[("fail", "does not have the address 192.0.2.1. To mend: set INBOXD_SMTP_ADDR")],
    );
    let output = doctor(&[("INBOXD_SMTP_ADDR", &taken), ("INBOXD_ROLES", "smtp")]).await;
    assert_said(&output, "SMTP port", &[("fail", "another program")]);
    assert_said(&output, "HTTP port", &[]);
}

#[tokio::test]
async fn a_relay_that_cannot_be_reached_fails() {
    let relay = format!("smtp://{}", free_address());
    let output = doctor(&[("INBOXD_DELIVERY", "relay"), ("INBOXD_RELAY_URL", &relay)]).await;
    assert_said(&output, "relay", &[("fail", "INBOXD_RELAY_URL")]);
}

#[tokio::test]
async fn a_resolver_that_does_not_answer_fails_for_a_domain_and_warns_without_one() {
    let nobody = free_address();
    let output = doctor(&[("INBOXD_DNS_ADDR", &nobody), ("INBOXD_DOMAIN", DOMAIN)]).await;
    assert_said(&output, "resolver", &[("fail", "INBOXD_DNS_ADDR")]);
    assert_said(&output, "MX", &[]);
    assert_said(&doctor(&[("INBOXD_DNS_ADDR", &nobody)]).await, "resolver", &[("warn", "INBOXD_DNS_ADDR")]);
}

#[tokio::test]
async fn every_missing_or_wrong_record_is_named_with_what_to_publish() {
    let dns = Dns::start().await;
    let asked = dns.address().to_string();
    let of = async |variables: &[(&str, &str)]| {
        let own = [("INBOXD_DNS_ADDR", &*asked), ("INBOXD_DOMAIN", DOMAIN)];
        doctor(&[&own[..], variables].concat()).await
    };
    let relay = [("INBOXD_DELIVERY", "relay"), ("INBOXD_RELAY_URL", "smtp://127.0.0.1:1")];
    let nothing = of(&relay).await;
    assert_said(&nothing, "host", &[("fail", "publish A or AAAA records of mail.example.org")]);
    let mx = format!("publish `{SIGNUP}. MX 10 {DOMAIN}.`");
    assert_said(&nothing, "MX", &[("fail", DOMAIN), ("fail", &mx)]);
    assert_said(&nothing, "SPF", &[("fail", "publish a TXT record of mail.example.org"), ("fail", SIGNUP)]);
    assert_said(&nothing, "DMARC", &[("warn", "publish a TXT record of _dmarc.mail.example.org")]);

    publish(&dns);
    let listening = of(&[]).await;
    assert_said(&listening, "host", &[("warn", "port 25")]);
    assert!(listening.status.success(), "{listening:?}");

    // Of two hosts one has no address; a domain that takes no mail; two records that say who may send.
    dns.mx(DOMAIN, 20, "gone.example.org");
    dns.txt(DOMAIN, "v=spf1 a -all");
    dns.forget(SIGNUP);
    dns.mx(SIGNUP, 0, ".");
    let wrong = of(&[]).await;
    assert_said(&wrong, "MX", &[("warn", "gone.example.org, which has no address"), ("fail", "takes no mail")]);
    assert_said(&wrong, "SPF", &[("warn", "merge them"), ("warn", SIGNUP)]);
    // Name servers that fail are not the resolver's fault.
    dns.fail(DOMAIN);
    let failing = of(&[]).await;
    assert_said(&failing, "resolver", &[("ok", "answers")]);
    assert_said(&failing, "MX", &[("fail", "mend the name servers"), ("fail", "takes no mail")]);
}

#[tokio::test]
async fn where_mail_leaves_directly_addresses_have_names_that_lead_back() {
    let dns = Dns::start().await;
    let asked = dns.address().to_string();
    // Of loopback addresses the resolver knows the name by itself.
    let address = std::net::IpAddr::from([192, 0, 2, 1]);
    dns.host(DOMAIN, address);
    let of = async |delivery: &str| {
        doctor(&[("INBOXD_DNS_ADDR", &*asked), ("INBOXD_DOMAIN", DOMAIN), ("INBOXD_DELIVERY", delivery)]).await
    };
    assert_said(&of("capture").await, "PTR", &[]);
    assert_said(
        &of("direct").await,
        "PTR",
        &[("warn", "192.0.2.1 has no name: many servers refuse its mail. To mend:")],
    );
    dns.pointer(address, "elsewhere.example.org");
    assert_said(&of("direct").await, "PTR", &[("warn", "elsewhere.example.org, which does not lead back to it")]);
    dns.host("elsewhere.example.org", address);
    assert_said(&of("direct").await, "PTR", &[("ok", "is called elsewhere.example.org, which leads back to it")]);
}
