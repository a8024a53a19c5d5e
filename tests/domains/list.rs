//! `GET /v0/domains`, and domain permissions.

use inboxd_testkit::HttpRequest;
use serde_json::json;

use super::{add_domain, domain_path, lift_caps, server_with_dns};
use crate::support::{read_pages, text_fields};

#[tokio::test]
async fn domains_are_listed_newest_first_in_pages() {
    let (_dns, server, agent) = server_with_dns().await;
    lift_caps(&server, &agent).await;
    let mut names = Vec::new();
    for number in 0..5 {
        let name = format!("d{number}.example");
        add_domain(&agent, &name).await;
        names.push(name);
    }
    let list = agent.get("/v0/domains").await.ok();
    assert_eq!((&list["count"], &list["limit"]), (&json!(5), &json!(50)));
    assert!(list.get("next_page_token").is_none());
    assert_eq!(read_pages(&agent, "/v0/domains?limit=2&ascending=true", "domains", "domain").await, names);
    names.reverse();
    assert_eq!(read_pages(&agent, "/v0/domains?limit=2", "domains", "domain").await, names);
    assert_eq!(text_fields(&list, "domains", "domain"), names);
    assert_eq!(agent.get("/v0/domains?limit=201").await.bad_fields(), ["limit"]);
    assert_eq!(agent.get("/v0/domains?page_token=x").await.bad_fields(), ["page_token"]);
}

#[tokio::test]
async fn changes_between_pages_repeat_and_skip_no_domain() {
    let (_dns, server, agent) = server_with_dns().await;
    lift_caps(&server, &agent).await;
    let mut made = Vec::new();
    for number in 0..4 {
        made.push(add_domain(&agent, &format!("d{number}.example")).await);
    }
    let page = agent.get("/v0/domains?limit=2").await.ok();
    assert_eq!(text_fields(&page, "domains", "domain"), ["d3.example", "d2.example"]);
    agent.delete(&domain_path(&made[2], "")).await.require_no_content();
    add_domain(&agent, "d4.example").await;
    let token = inboxd_testkit::encoded(page["next_page_token"].as_str().unwrap());
    let page = agent.get(&format!("/v0/domains?limit=2&page_token={token}")).await.ok();
    assert_eq!(text_fields(&page, "domains", "domain"), ["d1.example", "d0.example"]);
}

#[tokio::test]
async fn each_action_needs_its_permission_and_inbox_keys_have_none() {
    let (_dns, server, agent) = server_with_dns().await;
    lift_caps(&server, &agent).await;
    let domain = add_domain(&agent, "example.org").await;
    let acts = [
        ("GET", "/v0/domains".to_owned(), "domain_read"),
        ("POST", "/v0/domains".to_owned(), "domain_create"),
        ("GET", domain_path(&domain, ""), "domain_read"),
        ("PATCH", domain_path(&domain, ""), "domain_update"),
        ("POST", domain_path(&domain, "/verify"), "domain_update"),
        ("GET", domain_path(&domain, "/zone-file"), "domain_read"),
        ("DELETE", domain_path(&domain, ""), "domain_delete"),
    ];
    let request = |method: &str, target: &str| HttpRequest::new(method, target).json(&json!({"domain": "new.example"}));
    let of_inbox = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    for (method, target, needed) in &acts {
        let envelope = of_inbox.call(request(method, target)).await.require_error(403, "missing_permission");
        assert!(envelope["fix"].as_str().unwrap().contains(needed), "{envelope:#}");
    }
    for held in ["domain_read", "domain_create", "domain_update", "domain_delete"] {
        let key = agent.create_key("/v0/api-keys", json!({"name": held, "permissions": {held: true}})).await;
        for (method, target, needed) in &acts {
            let answer = key.call(request(method, target)).await;
            let is_allowed = answer.status == 200 || answer.status == 204;
            assert_eq!(is_allowed, held == *needed, "{method} {target} with {held}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn setup_link_says_that_records_are_added_by_hand() {
    let (_dns, _server, agent) = server_with_dns().await;
    let domain = add_domain(&agent, "example.org").await;
    assert_eq!(agent.get(&domain_path(&domain, "/setup-link")).await.ok(), json!({"supported": false}));
    agent.get("/v0/domains/example.org").await.require_error(404, "not_found");
}
