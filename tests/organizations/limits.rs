//! Table of plans (`service.md`, section 8), row by row through the API.

use inboxd_testkit::{ApiResponse, Persona, TestServer};
use serde_json::{Value, json};

use super::{set_sent_counts, set_stored_bytes};
use crate::send_methods::{every_send_method, receive_question};
use crate::support::{server, server_and_agent, set_plan, uuid};

const GB: u64 = 1_000_000_000;
/// More than any finite cap.
const MANY: u64 = 2_000;

/// A column of the table; `None` means unlimited.
struct PlanColumn {
    name: &'static str,
    is_verified: bool,
    inboxes: Option<u64>,
    emails_per_month: Option<u64>,
    emails_per_day: Option<u64>,
    domains: Option<u64>,
    pods: Option<u64>,
    webhooks: Option<u64>,
    storage_bytes: Option<u64>,
    members: Option<u64>,
}

const UNVERIFIED: PlanColumn = PlanColumn {
    name: "free",
    is_verified: false,
    inboxes: Some(1),
    emails_per_month: Some(100),
    emails_per_day: Some(10),
    domains: Some(0),
    pods: Some(2),
    webhooks: Some(0),
    storage_bytes: Some(GB),
    members: None,
};
const FREE: PlanColumn = PlanColumn {
    name: "free",
    is_verified: true,
    inboxes: Some(3),
    emails_per_month: Some(1_000),
    emails_per_day: Some(100),
    domains: Some(1),
    pods: Some(2),
    webhooks: Some(2),
    storage_bytes: Some(GB),
    members: Some(25),
};
const STARTUP: PlanColumn = PlanColumn {
    name: "startup",
    is_verified: true,
    inboxes: Some(25),
    emails_per_month: Some(10_000),
    emails_per_day: None,
    domains: Some(10),
    pods: Some(5),
    webhooks: Some(10),
    storage_bytes: Some(25 * GB),
    members: Some(100),
};
const BUSINESS: PlanColumn = PlanColumn {
    name: "business",
    is_verified: true,
    inboxes: Some(250),
    emails_per_month: Some(100_000),
    emails_per_day: None,
    domains: Some(100),
    pods: Some(25),
    webhooks: Some(50),
    storage_bytes: Some(250 * GB),
    members: Some(1_000),
};
const ENTERPRISE: PlanColumn = PlanColumn {
    name: "enterprise",
    is_verified: true,
    inboxes: None,
    emails_per_month: None,
    emails_per_day: None,
    domains: None,
    pods: None,
    webhooks: None,
    storage_bytes: None,
    members: None,
};

#[tokio::test]
async fn plan_limits_match_specification() {
    let server = server().await;
    for (number, plan) in [UNVERIFIED, FREE, STARTUP, BUSINESS, ENTERPRISE].iter().enumerate() {
        let agent = server.sign_up(&format!("owner{number}@example.org"), &format!("scout{number}")).await;
        if plan.is_verified {
            agent.verify().await;
        }
        set_plan(&server, &agent, plan.name).await;
        assert_plan_limits(plan, &agent.get("/v0/organizations").await.ok());
        assert_resource_caps(&server, &agent, plan).await;
        assert_mail_caps(&server, &agent, plan).await;
    }
}

fn assert_plan_limits(plan: &PlanColumn, organization: &Value) {
    assert_eq!((&organization["plan"], &organization["verified"]), (&json!(plan.name), &json!(plan.is_verified)));
    let limits = [
        ("inbox_limit", plan.inboxes),
        ("domain_limit", plan.domains),
        ("pod_limit", plan.pods),
        ("webhook_limit", plan.webhooks),
        ("storage_limit_bytes", plan.storage_bytes),
    ];
    for (field, limit) in limits {
        assert_eq!(organization.get(field), Some(&json!(limit)), "{field}: {organization:#}");
    }
}

/// A counted resource: its initial count, its table row, and the call that creates one.
struct CountedResource {
    limit: Option<u64>,
    code: &'static str,
    present: u64,
    row: &'static str,
    target: &'static str,
    body: Value,
}

async fn assert_resource_caps(server: &TestServer, agent: &Persona, plan: &PlanColumn) {
    let things = [
        CountedResource {
            limit: plan.inboxes,
            code: "inbox_limit_reached",
            present: 1,
            row: "inboxes SELECT o.organization_id, 'i' || n || '@' || o.organization_id || '.example', o.default_pod_id, \
                  NULL, NULL, '{}', now(), now()",
            target: "/v0/inboxes",
            body: json!({}),
        },
        CountedResource {
            limit: plan.domains,
            code: "domain_limit_reached",
            present: 0,
            row: "domains SELECT o.organization_id, gen_random_uuid(), NULL, NULL, 'd' || n || '.example', 'PENDING', false, \
                  false, '[]', '\\x00', NULL, now(), now()",
            target: "/v0/domains",
            body: json!({"domain": "last.example"}),
        },
        CountedResource {
            limit: plan.pods,
            code: "pod_limit_reached",
            present: 1,
            row: "pods SELECT o.organization_id, gen_random_uuid(), 'p' || n, now(), now()",
            target: "/v0/pods",
            body: json!({}),
        },
        CountedResource {
            limit: plan.webhooks,
            code: "webhook_limit_reached",
            present: 0,
            row: "webhooks SELECT o.organization_id, gen_random_uuid(), NULL, NULL, 'https://hooks.example.invalid/' || n, \
                  '{message.sent}', false, '{}', '{}', false, '\\x00', '{}', '{}', '{}', NULL, NULL, NULL, NULL, now(), now()",
            target: "/v0/webhooks",
            body: json!({"url": "https://hooks.example.invalid/last", "event_types": ["domain.verified"]}),
        },
        CountedResource {
            limit: plan.members,
            code: "member_limit_reached",
            present: 1,
            row: "members SELECT o.organization_id, gen_random_uuid(), 'm' || n || '@example.net', 'm', 'member', '{}', \
                  NULL, now(), NULL, now(), now()",
            target: "/v0/members",
            body: json!({"email": "last@example.net", "role": "member"}),
        },
    ];
    // Before the verification of the owner, invitations are refused on every plan.
    for thing in things.iter().filter(|thing| plan.is_verified || thing.target != "/v0/members") {
        let what = format!("{} of {} ({})", thing.target, plan.name, plan.is_verified);
        let more = thing.limit.map_or(MANY, |limit| limit.saturating_sub(thing.present + 1));
        let id = json!(agent.organization_id);
        let sql = format!(
            "INSERT INTO {} FROM organizations o, generate_series(1, {more}) n WHERE o.organization_id = '{}'",
            thing.row,
            uuid(&id)
        );
        server.database().execute(&sql).await;
        let make = async || agent.post(thing.target, thing.body.clone()).await;
        if thing.limit.is_none_or(|limit| limit > thing.present) {
            assert_eq!(make().await.status, 200, "{what}: the last one below the cap");
        }
        if thing.limit.is_some() {
            let mut body = thing.body.clone();
            for (field, over) in [("domain", "over.example"), ("email", "over@example.net")] {
                if body.get(field).is_some() {
                    body[field] = json!(over);
                }
            }
            let answer = agent.post(thing.target, body).await;
            assert_eq!(answer.require_error(429, thing.code)["name"], "RateLimitError", "{what}");
            assert_eq!(answer.header("Retry-After"), Some("1"), "{what}");
        }
    }
    let organization = agent.get("/v0/organizations").await.ok();
    for (count, limit) in [
        ("inbox_count", plan.inboxes),
        ("domain_count", plan.domains),
        ("pod_count", plan.pods),
        ("webhook_count", plan.webhooks),
    ] {
        let count = organization[count].as_u64().unwrap();
        assert!(limit.map_or(count > MANY, |limit| count == limit), "{organization:#}");
    }
}

async fn assert_mail_caps(server: &TestServer, agent: &Persona, plan: &PlanColumn) {
    let send = async || agent.post(&agent.inbox("/messages/send"), json!({"to": agent.owner, "text": "hello"})).await;
    let refused =
        |answer: &ApiResponse, code: &str| assert_eq!(answer.require_error(429, code)["name"], "RateLimitError");
    // Without a daily cap, one day may use the whole month.
    let today = plan.emails_per_day.or(plan.emails_per_month).map_or(1_000_000, |limit| limit - 1);
    set_sent_counts(server, agent, today, 0).await;
    send().await.ok();
    if plan.emails_per_day.is_some() {
        refused(&send().await, "daily_limit_reached");
    }

    set_sent_counts(server, agent, 0, plan.emails_per_month.map_or(1_000_000, |limit| limit - 1)).await;
    // On the first day of a month the daily cap comes first.
    if plan.emails_per_day.is_none() || !is_first_of_month() {
        send().await.ok();
    }
    if let Some(limit) = plan.emails_per_month {
        set_sent_counts(server, agent, 0, limit).await;
        refused(&send().await, "monthly_limit_reached");
    }

    set_sent_counts(server, agent, 0, 0).await;
    set_stored_bytes(server, agent, plan.storage_bytes.map_or(1_000 * GB, |limit| limit - 1)).await;
    send().await.ok();
    if plan.storage_bytes.is_some() {
        refused(&send().await, "storage_limit_reached");
    }
}

fn is_first_of_month() -> bool {
    let output = std::process::Command::new("date").args(["-u", "+%d"]).output();
    output.unwrap().stdout.starts_with(b"01")
}

#[tokio::test]
async fn every_send_method_enforces_every_cap() {
    let (server, agent) = server_and_agent().await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    let methods = every_send_method(&agent, &question).await;
    for code in ["daily_limit_reached", "monthly_limit_reached", "storage_limit_reached"] {
        match code {
            "daily_limit_reached" => set_sent_counts(&server, &agent, 100, 0).await,
            "monthly_limit_reached" => set_sent_counts(&server, &agent, 0, 1_000).await,
            _ => set_stored_bytes(&server, &agent, GB + 1).await,
        }
        for method in &methods {
            let answer = method.send(&agent).await;
            assert_eq!(answer.require_error(429, code)["name"], "RateLimitError", "{}", method.name);
            let retry_after = answer.header("Retry-After").and_then(|seconds| seconds.parse::<u64>().ok());
            assert!(code.starts_with("storage") || retry_after.is_some_and(|seconds| seconds > 0), "{}", method.name);
        }
        set_sent_counts(&server, &agent, 0, 0).await;
    }
    set_stored_bytes(&server, &agent, 0).await;
    assert_eq!(agent.messages().await.len(), 1, "a refused message is not stored");
    for method in &methods {
        assert_eq!(method.send(&agent).await.status, 200, "{}", method.name);
    }
    assert_eq!(agent.messages().await.len(), 6);
}

#[tokio::test]
async fn unverified_organization_sends_100_messages_a_month() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let question = receive_question(&server, &agent, "owner@example.org").await;
    set_sent_counts(&server, &agent, 0, 100).await;
    for method in every_send_method(&agent, &question).await {
        let envelope = method.send(&agent).await.require_error(429, "monthly_limit_reached");
        assert!(envelope["message"].as_str().unwrap().contains("100"), "{envelope:#}");
        assert!(envelope["fix"].as_str().unwrap().contains("/v0/agent/verify"), "{envelope:#}");
    }
    // The verification of the owner applies the free plan immediately.
    agent.verify().await;
    agent.send(json!({"to": "owner@example.org", "text": "the hundred and first"})).await;
}

#[tokio::test]
async fn larger_plan_raises_pod_limit_immediately() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/pods", json!({})).await.ok();
    agent.post("/v0/pods", json!({})).await.require_error(429, "pod_limit_reached");
    set_plan(&server, &agent, "startup").await;
    agent.post("/v0/pods", json!({})).await.ok();
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!((&organization["pod_count"], &organization["pod_limit"]), (&json!(3), &json!(5)));
}
