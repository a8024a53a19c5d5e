//! DNS records: missing ones are named with their values, and DNS tools accept every format.

use std::path::Path;
use std::process::Stdio;

use inboxd_testkit::eventually;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

use super::{DOMAIN, Machine};

const SIGNUP: &str = "signup.mail.example.org";
const ADDRESSES: [&str; 6] = ["--domain", DOMAIN, "--address", "192.0.2.25", "--address", "2001:db8::25"];

#[tokio::test]
async fn missing_records_fail_and_published_ones_are_ok() {
    let machine = Machine::new().await;
    let _server = machine.serve(&[]).await;
    let arguments = ["--domain", DOMAIN, "--delivery", "direct", "--address", "127.0.0.1"];
    let missing = machine.setup(&arguments).await;
    assert_eq!(missing.code, 1, "{missing:?}");
    missing.require("ok", "service", "inboxd serves");
    missing.require_record("missing", DOMAIN, "A", "127.0.0.1");
    for domain in [DOMAIN, SIGNUP] {
        missing.require_record("missing", domain, "MX", "10 mail.example.org.");
        missing.require_record("missing", domain, "TXT", "\"v=spf1 mx -all\"");
        missing.require("fail", "MX", &format!("publish `{domain}. MX 10 {DOMAIN}.`"));
        missing.require("fail", "SPF", &format!("publish a TXT record of {domain}"));
        missing.require("warn", "TLS-RPT", &format!("_smtp._tls.{domain}. TXT"));
    }
    missing.require("fail", "address", "publish `mail.example.org. A 127.0.0.1`");
    missing.require("warn", "DMARC", "such as `v=DMARC1; p=none; rua=mailto:");
    missing.require("ok", "reports", "the optional record `*._report._dmarc.mail.example.org. TXT \"v=DMARC1\"`");
    missing.require("warn", "DKIM", "publish `inboxd._domainkey.mail.example.org. TXT");

    machine.publish(&machine.records("nsupdate", &arguments).await);
    let published = machine.setup(&arguments).await;
    assert_eq!(published.code, 0, "{published:?}");
    for check in ["address", "MX", "SPF", "DMARC", "TLS-RPT", "reports", "DKIM", "OAuth", "settings"] {
        published.require("ok", check, "");
    }
    assert!(!published.stdout.contains("missing") && published.stdout.contains("No check failed"), "{published:?}");
    // A new address is announced, and a foreign one is left to the operator.
    let moved = ["--domain", DOMAIN, "--address", "127.0.0.2"];
    let table = machine.records("table", &moved).await;
    assert!(table.contains("differs  mail.example.org"), "{table}");
    let commands = machine.records("nsupdate", &moved).await;
    assert!(commands.contains("A 127.0.0.2 is needed: decide about 127.0.0.1\n"), "{commands}");
    assert!(commands.ends_with("; Nothing is to be added.\n"), "{commands}");
}

#[tokio::test]
async fn zone_file_and_commands_are_accepted_by_bind() {
    let mut machine = Machine::new().await;
    let _server = machine.serve(&[("INBOXD_MTA_STS", "testing".to_owned())]).await;
    let sts = [&ADDRESSES[..], &["--set", "INBOXD_MTA_STS=testing"]].concat();
    let zone = machine.records("zone", &sts).await;
    let dump = checked_zone(machine.folder.path(), &zone).await;
    // Records of the zone itself would delegate the name in a zone above it.
    let is_of_zone = |line: &str| !line.starts_with(';') && [" SOA ", " NS "].iter().any(|kind| line.contains(kind));
    assert!(!zone.lines().any(is_of_zone), "{zone}");
    for name in [
        "",
        "signup.",
        "_dmarc.",
        "_smtp._tls.signup.",
        "*._report._dmarc.",
        "inboxd._domainkey.",
        "_mta-sts.",
        "mta-sts.",
    ] {
        assert!(dump.contains(&format!("\n{name}{DOMAIN}.")), "{name}: {dump}");
    }

    let bind = Bind::start().await;
    machine.resolver = bind.address();
    let table = machine.records("table", &sts).await;
    assert!(table.contains("missing") && !table.contains("ok  "), "{table}");
    bind.update(&machine.records("nsupdate", &sts).await).await;
    let table = machine.records("table", &sts).await;
    assert!(table.lines().skip(1).all(|line| line.starts_with("ok ")), "{table}");
    assert!(machine.records("nsupdate", &sts).await.ends_with("; Nothing is to be added.\n"));
    // A record that only this service uses is replaced, and a policy of the operator stays.
    bind.update(&format!(
        "update delete _dmarc.{DOMAIN}. TXT\nupdate add _dmarc.{DOMAIN}. 60 TXT \"v=DMARC1; p=reject\"\n\
         update delete _mta-sts.{DOMAIN}. TXT\nupdate add _mta-sts.{DOMAIN}. 60 TXT \"v=STSv1; id=1\"\nsend\n"
    ))
    .await;
    let commands = machine.records("nsupdate", &sts).await;
    assert!(commands.contains(&format!("update delete _mta-sts.{DOMAIN}. TXT\n")), "{commands}");
    assert!(!commands.contains("_dmarc"), "{commands}");
    bind.update(&commands).await;
    let zone = machine.records("zone", &sts).await;
    assert!(zone.contains(&format!("_dmarc.{DOMAIN}. IN TXT \"v=DMARC1; p=reject\"\n")), "{zone}");
    checked_zone(machine.folder.path(), &zone).await;
}

#[tokio::test]
async fn change_batch_keeps_other_records_of_a_name() {
    let machine = Machine::new().await;
    machine.dns.txt(DOMAIN, "site-verification=1");
    machine.dns.txt(&format!("_dmarc.{DOMAIN}"), "v=DMARC1; p=reject");
    let batch: Value = serde_json::from_str(&machine.records("route53", &ADDRESSES).await).unwrap();
    let sets: Vec<&Value> = batch["Changes"].as_array().unwrap().iter().map(|it| &it["ResourceRecordSet"]).collect();
    let values = |name: &str, kind: &str| -> Vec<&str> {
        let mut sets = sets.iter().filter(|set| set["Name"] == format!("{name}.") && set["Type"] == kind);
        let found = sets.next().map(|set| set["ResourceRecords"].as_array().unwrap());
        assert!(sets.next().is_none(), "a name and type has one set: {batch:#}");
        found.into_iter().flatten().map(|record| record["Value"].as_str().unwrap()).collect()
    };
    assert_eq!(values(DOMAIN, "TXT"), ["\"site-verification=1\"", "\"v=spf1 mx -all\""]);
    assert_eq!(values(SIGNUP, "MX"), ["10 mail.example.org."]);
    assert_eq!((values(DOMAIN, "A"), values(DOMAIN, "AAAA")), (vec!["192.0.2.25"], vec!["2001:db8::25"]));
    assert!(values(&format!("_dmarc.{DOMAIN}"), "TXT").is_empty(), "a policy of the operator stays");
    assert!(batch["Changes"].as_array().unwrap().iter().all(|change| change["Action"] == "UPSERT"));
    // Nothing was written, because only the records were asked for.
    assert!(!machine.file().exists());
}

#[tokio::test]
async fn hosts_of_relay_are_left_to_its_operator() {
    let machine = Machine::new().await;
    let relay = [&ADDRESSES[..], &["--delivery", "relay", "--set", "INBOXD_RELAY_URL=smtp://127.0.0.1:1"]].concat();
    for format in ["table", "zone", "nsupdate", "route53"] {
        let records = machine.records(format, &relay).await;
        assert!(!records.contains("mx -all"), "{records}");
        let is_named = format == "route53" || records.contains("the include that your relay names");
        assert!(is_named, "{records}");
    }
    machine.dns.txt(DOMAIN, "v=spf1 include:relay.example.net -all");
    let table = machine.records("table", &relay).await;
    let is_published = |line: &str| line.starts_with("ok ") && line.contains("(v=spf1 with the include");
    assert!(table.lines().any(is_published), "{table}");
}

#[tokio::test]
async fn failed_lookups_add_no_record() {
    let machine = Machine::new().await;
    for name in ["", "signup.", "_dmarc.", "_smtp._tls.", "_smtp._tls.signup.", "*._report._dmarc."] {
        machine.dns.fail(&format!("{name}{DOMAIN}"));
    }
    for format in ["zone", "nsupdate", "route53"] {
        let output = machine.answer(&[&["--format", format], &ADDRESSES[..]].concat(), "").await;
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.stderr.contains(&format!("the lookup of _dmarc.{DOMAIN} TXT failed")), "{output:?}");
        assert!(output.stderr.contains("the records are incomplete"), "{output:?}");
        let is_comment = |line: &str| line.starts_with([';', '$']);
        let is_empty = match format {
            "route53" => output.stdout.contains("\"Changes\": []"),
            _ => output.stdout.contains("; not looked up: ") && output.stdout.lines().all(is_comment),
        };
        assert!(is_empty, "{output:?}");
    }
}

#[tokio::test]
async fn unreachable_database_is_reported() {
    let machine = Machine::new().await;
    let mut command = machine.command(env!("CARGO_BIN_EXE_inboxd"));
    command.env("INBOXD_DATABASE_URL", "postgres://inboxd@127.0.0.1:1/inboxd").stdin(Stdio::null());
    command.arg("setup").arg("--config").arg(machine.file()).args(["--format", "zone"]).args(ADDRESSES);
    let output = super::SetupOutput::from(command.output().await.unwrap());
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("fail  database") && output.stdout.contains(" MX 10 "), "{output:?}");
}

#[tokio::test]
async fn foreign_text_stays_in_its_comment() {
    let machine = Machine::new().await;
    machine.dns.txt(DOMAIN, "v=spf1 -all\nupdate add evil.example.org. 60 A 192.0.2.66");
    machine.dns.txt(DOMAIN, "v=spf1 mx -all");
    let commands = machine.records("nsupdate", &ADDRESSES).await;
    assert!(commands.contains("v=spf1 -all\\010update add"), "{commands}");
    assert!(!commands.lines().any(|line| line.contains("evil") && !line.starts_with(';')), "{commands}");
}

/// Returns the records that named-checkzone finds in a zone file.
async fn checked_zone(folder: &Path, zone: &str) -> String {
    let (file, dump) = (folder.join("zone"), folder.join("dump"));
    let head = format!("@ IN SOA {DOMAIN}. hostmaster.{DOMAIN}. 1 7200 3600 1209600 3600\n@ IN NS {DOMAIN}.\n");
    std::fs::write(&file, format!("$ORIGIN {DOMAIN}.\n$TTL 60\n{head}{zone}")).unwrap();
    let mut command = Command::new("named-checkzone");
    command.args(["-i", "local", "-D", "-o"]).arg(&dump).arg(DOMAIN).arg(&file);
    let Ok(output) = command.output().await else {
        panic!("named-checkzone is missing; `scripts/setup test` installs it")
    };
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && !said.to_lowercase().contains("warning"), "{said}\n{zone}");
    format!("\n{}", std::fs::read_to_string(dump).unwrap())
}

/// BIND with the zone example.org, which accepts updates.
struct Bind {
    port: u16,
    _process: Child,
    folder: TempDir,
}

impl Bind {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let path = folder.path().display();
        let zone = "$TTL 60\n@ IN SOA ns hostmaster 1 7200 3600 1209600 60\n@ IN NS ns\nns IN A 127.0.0.1\n";
        std::fs::write(folder.path().join("zone"), zone).unwrap();
        let settings = format!(
            "options {{ directory \"{path}\"; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};\n\
             pid-file none; lock-file none; session-keyfile none; recursion no; dnssec-validation no; }};\n\
             controls {{ }};\n\
             zone \"example.org\" {{ type primary; file \"{path}/zone\"; allow-update {{ 127.0.0.1; }}; }};\n"
        );
        let file = folder.path().join("named.conf");
        std::fs::write(&file, settings).unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new("/usr/sbin/named");
        command.args(["-g", "-n", "1", "-c"]).arg(&file).stdout(Stdio::null()).stderr(log).kill_on_drop(true);
        let Ok(process) = command.spawn() else { panic!("named is missing; `scripts/setup test` installs it") };
        let bind = Self { port, _process: process, folder };
        let is_running = async || {
            let log = std::fs::read_to_string(bind.folder.path().join("log")).unwrap();
            log.lines().any(|line| line.ends_with(" running")).then_some(())
        };
        eventually("BIND runs", is_running).await;
        bind
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Lets nsupdate run commands.
    async fn update(&self, commands: &str) {
        let mut command = Command::new("nsupdate");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let Ok(mut child) = command.spawn() else { panic!("nsupdate is missing; `scripts/setup test` installs it") };
        let text = format!("server 127.0.0.1 {}\nzone example.org\n{commands}", self.port);
        child.stdin.take().unwrap().write_all(text.as_bytes()).await.unwrap();
        let output = child.wait_with_output().await.unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}\n{text}");
    }
}
