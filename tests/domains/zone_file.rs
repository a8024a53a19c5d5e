//! `GET /v0/domains/{domain_id}/zone-file`.

use std::process::Command;

use serde_json::json;

use super::{add_domain, domain_path, lift_caps, server_with_dns};

#[tokio::test]
async fn zone_file_is_accepted_by_bind() {
    let (_dns, server, agent) = server_with_dns().await;
    lift_caps(&server, &agent).await;
    let plain = add_domain(&agent, "example.org").await;
    let wild = json!({"domain": "xn--mnchen-3ya.example", "subdomains_enabled": true});
    let wild = agent.post("/v0/domains", wild).await.ok();
    for domain in [plain, wild] {
        let name = domain["domain"].as_str().unwrap();
        let answer = agent.get(&domain_path(&domain, "/zone-file")).await;
        assert_eq!((answer.status, answer.header("Content-Type")), (200, Some("text/dns; charset=utf-8")));
        let disposition = format!("attachment; filename=\"{name}.zone\"");
        assert_eq!(answer.header("Content-Disposition"), Some(disposition.as_str()));
        let zone = answer.text();
        // Records of the zone itself would delegate the name in a zone above it.
        let is_of_zone =
            |line: &str| !line.starts_with(';') && [" SOA ", " NS "].iter().any(|kind| line.contains(kind));
        assert!(!zone.lines().any(is_of_zone), "{zone}");
        let dump = checked_zone(name, &zone);
        // named-checkzone prints the parsed records, one on each line, with each text in its strings.
        for record in domain["records"].as_array().unwrap() {
            let (kind, value) = (record["type"].as_str().unwrap(), record["value"].as_str().unwrap());
            let owner = format!("{}.", record["name"].as_str().unwrap());
            let is_there = dump.lines().any(|line| {
                let mut words = line.split_whitespace();
                let is_kind = words.next() == Some(owner.as_str()) && words.nth(2) == Some(kind);
                let text: String = line.split('"').skip(1).step_by(2).collect();
                is_kind && (text == value || line.ends_with(&format!("10 {value}.")))
            });
            assert!(is_there, "{record:#} is not in the zone:\n{dump}");
        }
    }
}

/// Returns the output of named-checkzone for the records, in a zone with SOA and NS.
fn checked_zone(name: &str, records: &str) -> String {
    let zone = format!("{records}@ SOA ns.test. hostmaster.test. 1 7200 3600 1209600 3600\n@ NS ns.test.\n");
    let folder = tempfile::tempdir().unwrap();
    let (file, dump) = (folder.path().join("zone"), folder.path().join("dump"));
    std::fs::write(&file, &zone).unwrap();
    // Without network lookups for the hosts in the zone.
    let run =
        Command::new("named-checkzone").args(["-i", "local", "-D", "-o"]).arg(&dump).arg(name).arg(&file).output();
    let Ok(output) = run else { panic!("named-checkzone is missing; `scripts/setup test` installs it") };
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{said}\n{zone}");
    assert!(!said.to_lowercase().contains("warning"), "{said}");
    std::fs::read_to_string(dump).unwrap()
}
