//! `GET /v0/domains`, and who may do what.

use inboxd_testkit::Request;
use serde_json::json;

use super::{add, enterprise, path, server_with_dns};
use crate::support::{each, walk};

#[tokio::test]
async fn domains_are_listed_newest_first_in_pages() {
    let (_dns, server, agent) = server_with_dns().await;
    enterprise(&server, &agent).await;
    let mut names = Vec::new();
    for number in 0..5 {
        let name = format!("d{number}.example");
        add(&agent, &name).await;
        names.push(name);
    }
    let list = agent.get("/v0/domains").await.ok();
    assert_eq!((&list["count"], &list["limit"]), (&json!(5), &json!(50)));
    assert!(list.get("next_page_token").is_none());
    assert_eq!(walk(&agent, "/v0/domains?limit=2&ascending=true", "domains", "domain").await, names);
    names.reverse();
    assert_eq!(walk(&agent, "/v0/domains?limit=2", "domains", "domain").await, names);
    assert_eq!(each(&list, "domains", "domain"), names);
    assert_eq!(agent.get("/v0/domains?limit=201").await.bad_fields(), ["limit"]);
    assert_eq!(agent.get("/v0/domains?page_token=x").await.bad_fields(), ["page_token"]);
}

#[tokio::test]
async fn a_domain_inserted_or_deleted_between_pages_repeats_and_skips_no_other() {
    let (_dns, server, agent) = server_with_dns().await;
    enterprise(&server, &agent).await;
    let mut made = Vec::new();
    for number in 0..4 {
        made.push(add(&agent, &format!("d{number}.example")).await);
    }
    let page = agent.get("/v0/domains?limit=2").await.ok();
    assert_eq!(each(&page, "domains", "domain"), ["d3.example", "d2.example"]);
    agent.delete(&path(&made[2], "")).await.gone();
    add(&agent, "d4.example").await;
    let token = inboxd_testkit::encoded(page["next_page_token"].as_str().unwrap());
    let page = agent.get(&format!("/v0/domains?limit=2&page_token={token}")).await.ok();
    assert_eq!(each(&page, "domains", "domain"), ["d1.example", "d0.example"]);
}

#[tokio::test]
async fn each_act_needs_its_permission_and_inbox_keys_hold_none() {
    let (_dns, server, agent) = server_with_dns().await;
    enterprise(&server, &agent).await;
    let domain = add(&agent, "example.org").await;
    let acts = [
        ("GET", "/v0/domains".to_owned(), "domain_read"),
        ("POST", "/v0/domains".to_owned(), "domain_create"),
        ("GET", path(&domain, ""), "domain_read"),
        ("PATCH", path(&domain, ""), "domain_update"),
        ("POST", path(&domain, "/verify"), "domain_update"),
        ("GET", path(&domain, "/zone-file"), "domain_read"),
        ("DELETE", path(&domain, ""), "domain_delete"),
    ];
    let request = |method: &str, target: &str| Request::new(method, target).json(&json!({"domain": "new.example"}));
    let of_inbox = agent.key_with(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    for (method, target, needed) in &acts {
        let envelope = of_inbox.call(request(method, target)).await.refused(403, "missing_permission");
        assert!(envelope["fix"].as_str().unwrap().contains(needed), "{envelope:#}");
    }
    for held in ["domain_read", "domain_create", "domain_update", "domain_delete"] {
        let key = agent.key_with("/v0/api-keys", json!({"name": held, "permissions": {held: true}})).await;
        for (method, target, needed) in &acts {
            let answer = key.call(request(method, target)).await;
            let is_allowed = answer.status == 200 || answer.status == 204;
            assert_eq!(is_allowed, held == *needed, "{method} {target} with {held}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn what_is_not_offered_is_no_route() {
    let (_dns, _server, agent) = server_with_dns().await;
    let domain = add(&agent, "example.org").await;
    agent.get(&path(&domain, "/setup-link")).await.refused(404, "route_not_found");
    agent.get("/v0/domains/example.org").await.refused(404, "not_found");
}
