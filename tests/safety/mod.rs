//! Attacks on agents by mail, and what an agent sees of each. The same list is the table in `docs/safety.md`.

mod attack;
mod attacks;
mod forms;
mod table;

use std::time::Duration;

use inboxd_testkit::{DnsServer, Persona, TestServer, eventually};
use serde_json::{Value, json};

use self::attack::{Attack, Target};
use self::attacks::all;
use crate::mcp_tools::ToolClient;
use crate::support::options;

/// Sender domain of an attack; each attack has its own, so that no attack makes the sender of another one known.
fn domain(number: usize) -> String {
    format!("stranger{number}.example")
}

/// A server whose agent has a correspondent, Anna Weber, and a DNS server that has the records of the service, of her and
/// of all attackers.
async fn world() -> (DnsServer, TestServer, Persona, Target) {
    let dns = DnsServer::start().await;
    dns.txt("service.example", "v=spf1 -all");
    dns.txt("_dmarc.service.example", "v=DMARC1; p=quarantine");
    dns.txt("weber-bau.example", "v=spf1 ip4:127.0.0.1 ip6:::1 -all");
    dns.txt("_dmarc.weber-bau.example", "v=DMARC1; p=quarantine");
    for number in 1..=all().len() {
        dns.txt(&domain(number), "v=spf1 ip4:127.0.0.1 ip6:::1 -all");
        dns.txt(&format!("_dmarc.{}", domain(number)), "v=DMARC1; p=none");
    }
    let server = options().dns(&dns).set("INBOXD_DOMAIN", "service.example").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let body = json!({"to": ["Anna Weber <anna@weber-bau.example>"], "subject": "Site plan", "text": "Hello Anna."});
    let sent = agent.send(body).await["message_id"].as_str().unwrap().to_owned();
    let answer = format!(
        "From: Anna Weber <anna@weber-bau.example>\r\nTo: {}\r\nSubject: Re: Site plan\r\nIn-Reply-To: {sent}\r\n\
         Message-ID: <answer@weber-bau.example>\r\n\r\nThank you.\r\n",
        agent.inbox_id
    );
    server.deliver("anna@weber-bau.example", &[&agent.inbox_id], answer).await.require_code(250, "2");
    // Senders may imitate her a second after her answer at the latest.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let target = Target { inbox: agent.inbox_id.clone(), owner: agent.owner.clone(), sent };
    (dns, server, agent, target)
}

/// What the service answers to a mail, or what the API and the tools show of it.
async fn outcome(server: &TestServer, agent: &Persona, number: usize, attack: &Attack, target: &Target) -> String {
    let mail = (attack.mail)(&domain(number), target);
    let envelope = mail.envelope.unwrap_or_else(|| format!("kim@{}", domain(number)));
    let raw = format!("Message-ID: <attack-{number}@{}>\r\n{}", domain(number), mail.raw);
    let reply = server.deliver(&envelope, &[&agent.inbox_id], raw).await;
    if reply.code != 250 {
        let status = reply.lines[0].split(' ').next().unwrap_or_default();
        return format!("refused with {} {status}", reply.code);
    }
    let path = agent.message(&json!(format!("<attack-{number}@{}>", domain(number))), "");
    let message = eventually("the mail is stored", async || {
        let found = agent.get(&path).await;
        (found.status == 200).then(|| found.ok())
    })
    .await;
    let arguments = json!({"inboxId": agent.inbox_id, "messageId": message["message_id"]});
    let result = ToolClient::new(agent).call("get_message", arguments).await;
    let differences = differences(&message, &result, attack);
    if differences.is_empty() { seen(&message) } else { differences.join(", ") }
}

/// Compares the result of a tool with the API, and both with the words of an attack.
fn differences(message: &Value, result: &Value, attack: &Attack) -> Vec<String> {
    let mut found = Vec::new();
    let mut require = |holds: bool, what: String| found.extend((!holds).then_some(what));
    require(result["notice"].as_str().is_some_and(|notice| notice.contains("untrusted")), "no notice".to_owned());
    let verdicts = (&result["trust"]["verdict"], &message["trust"]["verdict"]);
    require(verdicts.0 == verdicts.1, format!("verdicts {verdicts:?}"));
    require(names(&result["trust"]) == names(&message["trust"]), "other reasons".to_owned());
    let hiding = (&result["hasHiddenText"], &message["has_hidden_text"]);
    require(hiding.0 == hiding.1, format!("hidden text {hiding:?}"));
    for (of, fields) in [
        (message, ["subject", "text", "extracted_text", "preview"]),
        (result, ["subject", "text", "extractedText", "preview"]),
    ] {
        let texts = fields.map(|field| of[field].as_str().unwrap_or_default()).join("\n");
        for word in attack.shown {
            require(texts.contains(word), format!("{word:?} is missing in {texts:?}"));
        }
        for word in attack.hidden {
            require(!texts.contains(word), format!("{word:?} is in {texts:?}"));
        }
    }
    found
}

fn names(trust: &Value) -> Vec<String> {
    let reasons = trust["reasons"].as_array().unwrap().iter();
    let mut names: Vec<String> = reasons.map(|reason| reason["name"].as_str().unwrap().to_owned()).collect();
    names.dedup();
    names
}

/// Returns the labels that hide a message, its verdict and the reasons.
fn seen(message: &Value) -> String {
    let labels = message["labels"].as_array().unwrap().iter().filter_map(Value::as_str);
    let hiding = labels.filter(|label| crate::messages::HIDING.contains(label)).map(|label| format!("label {label}"));
    let verdict = message["trust"]["verdict"].as_str().unwrap().to_owned();
    let parts: Vec<String> = hiding.chain([verdict]).chain(names(&message["trust"])).collect();
    parts.join(" ")
}

#[tokio::test]
async fn agent_sees_each_attack_as_documented() {
    let (_dns, server, agent, target) = world().await;
    let mut different = Vec::new();
    for (number, attack) in (1..).zip(all()) {
        let found = outcome(&server, &agent, number, attack, &target).await;
        if found != attack.outcome {
            different.push(format!("{}: {found:?} instead of {:?}", attack.what, attack.outcome));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn document_has_table_of_all_attacks() {
    let table = table::of(&all());
    assert!(all().len() >= 50);
    let document = include_str!("../../docs/safety.md");
    assert!(document.contains(&table), "docs/safety.md needs this table:\n{table}");
}
