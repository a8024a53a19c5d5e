//! Members limited to some inboxes.

use inboxd_testkit::{Persona, TestServer, encoded};
use serde_json::json;

use crate::people::{invite_and_join, member_path, sign_in_client};
use crate::support::{mail_to, receive, server_and_agent, text_fields};

/// Creates two more inboxes, three in all.
async fn create_inboxes(agent: &Persona) -> [String; 2] {
    for username in ["ranger", "guide"] {
        agent.post("/v0/inboxes", json!({"username": username})).await.ok();
    }
    ["ranger@inboxd.localhost".to_owned(), "guide@inboxd.localhost".to_owned()]
}

async fn mail_everywhere(server: &TestServer, agent: &Persona, others: &[String]) {
    receive(server, agent, &mail_to(agent, "to scout")).await;
    for other in others {
        let reply = server.deliver("alice@outside.example", &[other], mail_to(agent, other).raw()).await;
        assert_eq!(reply.code, 250, "{reply:?}");
    }
}

#[tokio::test]
async fn other_inbox_is_out_of_scope() {
    let (server, agent) = server_and_agent().await;
    let [ranger, guide] = create_inboxes(&agent).await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id, ranger])).await;
    for inbox in [&agent.inbox_id, &ranger] {
        maria.get(&format!("/v0/inboxes/{inbox}/messages")).await.ok();
        let body = json!({"to": "bob@outside.example", "text": "hi"});
        maria.post(&format!("/v0/inboxes/{inbox}/messages/send"), body).await.ok();
    }
    for inbox in [guide.as_str(), "nobody@inboxd.localhost"] {
        let envelope =
            maria.get(&format!("/v0/inboxes/{inbox}/messages")).await.require_error(403, "inbox_out_of_scope");
        let fix = envelope["fix"].as_str().unwrap();
        assert!(fix.contains(&agent.inbox_id) && fix.contains(&ranger), "{fix}");
    }
}

#[tokio::test]
async fn inbox_list_shows_inboxes_of_member() {
    let (server, agent) = server_and_agent().await;
    let [ranger, _] = create_inboxes(&agent).await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id, ranger])).await;
    let inboxes = maria.get("/v0/inboxes").await.ok();
    assert_eq!(text_fields(&inboxes, "inboxes", "inbox_id"), [ranger.as_str(), agent.inbox_id.as_str()]);
}

#[tokio::test]
async fn deleted_inbox_leaves_limit_of_member_in_force() {
    let (server, agent) = server_and_agent().await;
    let [ranger, guide] = create_inboxes(&agent).await;
    mail_everywhere(&server, &agent, &[ranger.clone(), guide.clone()]).await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([guide, ranger])).await;
    maria.get("/v0/threads").await.require_error(422, "inbox_id_required");
    agent.delete(&format!("/v0/inboxes/{guide}")).await.require_no_content();
    assert_eq!(maria.get("/v0/threads").await.ok()["count"], 1, "with one inbox left, it need not be named");
    let path = member_path(&agent, "maria@example.org").await;
    let member = agent.get(&path).await.ok();
    assert_eq!(member["inbox_ids"], json!([ranger]));
    assert_eq!(agent.patch(&path, json!({"inbox_ids": member["inbox_ids"]})).await.ok()["inbox_ids"], json!([ranger]));
    agent.delete(&format!("/v0/inboxes/{ranger}")).await.require_no_content();
    maria.get(&format!("/v0/inboxes/{}/messages", agent.inbox_id)).await.require_error(403, "inbox_out_of_scope");
    assert_eq!(maria.get("/v0/inboxes").await.ok()["count"], 0);
}

#[tokio::test]
async fn member_of_several_inboxes_must_name_one_for_events_threads_and_drafts() {
    let (server, agent) = server_and_agent().await;
    let [ranger, guide] = create_inboxes(&agent).await;
    mail_everywhere(&server, &agent, &[ranger.clone(), guide.clone()]).await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id, ranger])).await;
    let one = invite_and_join(&server, &agent, "one@example.org", "member", json!([guide])).await;
    let all = invite_and_join(&server, &agent, "all@example.org", "member", json!([])).await;
    for inbox in [&agent.inbox_id, &ranger, &guide] {
        agent.post(&format!("/v0/inboxes/{inbox}/drafts"), json!({"subject": "draft"})).await.ok();
    }
    for (list, plural) in [
        ("/v0/events?limit=50", "events"),
        ("/v0/threads?limit=50", "threads"),
        ("/v0/threads/search?q=about", "threads"),
        ("/v0/drafts?limit=50", "drafts"),
    ] {
        let envelope = maria.get(list).await.require_error(422, "inbox_id_required");
        assert!(envelope["fix"].as_str().unwrap().contains(&ranger), "{envelope:#}");
        assert_eq!(envelope["errors"][0]["path"], "inbox_id");
        let named = maria.get(&format!("{list}&inbox_id={ranger}")).await.ok();
        assert_eq!(text_fields(&named, plural, "inbox_id"), [ranger.as_str()], "{list}");
        maria.get(&format!("{list}&inbox_id={guide}")).await.require_error(403, "inbox_out_of_scope");
        assert_eq!(text_fields(&one.get(list).await.ok(), plural, "inbox_id"), [guide.as_str()], "{list}");
        assert_eq!(all.get(list).await.ok()["count"], 3, "{list}");
    }
}

#[tokio::test]
async fn other_lists_show_only_inboxes_of_member() {
    let (server, agent) = server_and_agent().await;
    let [ranger, guide] = create_inboxes(&agent).await;
    for inbox in [&agent.inbox_id, &ranger, &guide] {
        agent.post(&format!("/v0/inboxes/{inbox}/api-keys"), json!({"name": inbox})).await.ok();
    }
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id, ranger])).await;
    let keys = maria.get("/v0/api-keys").await.ok();
    assert_eq!(
        text_fields(&keys, "api_keys", "name"),
        [ranger.as_str(), &agent.inbox_id],
        "no key of the organization"
    );
    let first = maria.get("/v0/api-keys?limit=1").await.ok();
    let next = format!("/v0/api-keys?limit=1&page_token={}", encoded(first["next_page_token"].as_str().unwrap()));
    assert_eq!(text_fields(&maria.get(&next).await.ok(), "api_keys", "name"), [agent.inbox_id.as_str()]);
    let one = invite_and_join(&server, &agent, "one@example.org", "member", json!([guide])).await;
    assert_eq!(text_fields(&one.get("/v0/api-keys").await.ok(), "api_keys", "name"), [guide.as_str()]);
}

#[tokio::test]
async fn member_may_read_pods_and_domains_of_own_inboxes() {
    let (server, agent) = server_and_agent().await;
    server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    let default = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let mut pods = Vec::new();
    for username in ["near", "far"] {
        let pod = agent.post("/v0/pods", json!({"name": username})).await.ok()["pod_id"].as_str().unwrap().to_owned();
        agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({"username": username})).await.ok();
        let domain = json!({"domain": format!("{username}.example")});
        let domain = agent.post(&format!("/v0/pods/{pod}/domains"), domain).await.ok();
        pods.push((pod, domain["domain_id"].as_str().unwrap().to_owned()));
    }
    let [(near, of_near), (far, of_far)] = pods.try_into().unwrap();
    let shared = agent.post("/v0/domains", json!({"domain": "shared.example"})).await.ok();
    let theirs = json!([agent.inbox_id, "near@inboxd.localhost"]);
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", theirs).await;
    let listed = maria.get("/v0/pods").await.ok();
    assert_eq!(text_fields(&listed, "pods", "pod_id"), [near.as_str(), default.as_str()]);
    for pod in [&near, &default] {
        maria.get(&format!("/v0/pods/{pod}")).await.ok();
        // The pod as a whole is out of scope.
        maria.get(&format!("/v0/pods/{pod}/inboxes")).await.require_error(403, "inbox_out_of_scope");
        maria.patch(&format!("/v0/pods/{pod}"), json!({"name": "x"})).await.require_error(403, "inbox_out_of_scope");
    }
    for pod in [far.as_str(), "pod_00000000000000000000000000000000"] {
        maria.get(&format!("/v0/pods/{pod}")).await.require_error(403, "inbox_out_of_scope");
    }
    maria.get("/v0/pods/nonsense").await.require_error(404, "not_found");
    let listed = maria.get("/v0/domains").await.ok();
    assert_eq!(text_fields(&listed, "domains", "domain"), ["shared.example", "near.example"]);
    for domain in [of_near.as_str(), shared["domain_id"].as_str().unwrap()] {
        maria.get(&format!("/v0/domains/{domain}")).await.ok();
        assert_eq!(maria.get(&format!("/v0/domains/{domain}/zone-file")).await.status, 200);
    }
    maria.get(&format!("/v0/domains/{of_far}")).await.require_error(404, "not_found");
    maria.get(&format!("/v0/domains/{of_far}/zone-file")).await.require_error(404, "not_found");
    let all = invite_and_join(&server, &agent, "all@example.org", "member", json!([])).await;
    assert_eq!(
        (&all.get("/v0/pods").await.ok()["count"], &all.get("/v0/domains").await.ok()["count"]),
        (&json!(3), &json!(3))
    );
}

#[tokio::test]
async fn member_without_inbox_ids_has_access_to_all_inboxes() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/members", json!({"email": "maria@example.org", "role": "member"})).await.ok();
    let maria = sign_in_client(&server, "maria@example.org").await;
    let [ranger, guide] = create_inboxes(&agent).await;
    assert_eq!(
        text_fields(&maria.get("/v0/inboxes").await.ok(), "inboxes", "inbox_id"),
        [&guide, &ranger, &agent.inbox_id]
    );
    maria.get("/v0/events").await.ok();
    maria.get(&format!("/v0/inboxes/{guide}/messages")).await.ok();
}

#[tokio::test]
async fn owners_and_admins_see_every_inbox() {
    let (server, agent) = server_and_agent().await;
    let [ranger, _] = create_inboxes(&agent).await;
    let admin = invite_and_join(&server, &agent, "admin@example.org", "admin", json!([agent.inbox_id])).await;
    assert_eq!(admin.get("/v0/inboxes").await.ok()["count"], 3);
    admin.get(&format!("/v0/inboxes/{ranger}/messages")).await.ok();
    // The limit is retained and applies again from the next request after a demotion.
    let path = member_path(&agent, "admin@example.org").await;
    agent.patch(&path, json!({"role": "member"})).await.ok();
    admin.get(&format!("/v0/inboxes/{ranger}/messages")).await.require_error(403, "inbox_out_of_scope");
    admin.get(&agent.inbox("/messages")).await.ok();
    assert_eq!(admin.get("/v0/inboxes").await.ok()["count"], 1);
}

#[tokio::test]
async fn member_without_remaining_inboxes_has_no_access() {
    let (server, agent) = server_and_agent().await;
    let [ranger, _] = create_inboxes(&agent).await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([ranger])).await;
    agent.delete(&format!("/v0/inboxes/{ranger}")).await.require_no_content();
    assert_eq!(maria.get("/v0/inboxes").await.ok()["count"], 0);
    maria.get(&agent.inbox("/messages")).await.require_error(403, "inbox_out_of_scope");
}

#[tokio::test]
async fn thread_is_not_assigned_to_member_without_access() {
    let (server, agent) = server_and_agent().await;
    let [ranger, _] = create_inboxes(&agent).await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let thread_id = agent.message_about("hello").await["thread_id"].clone();
    invite_and_join(&server, &agent, "maria@example.org", "member", json!([ranger])).await;
    let member_id = member_path(&agent, "maria@example.org").await.replace("/v0/members/", "");
    let answer = agent.patch(&agent.thread(&thread_id, ""), json!({"assignee_id": member_id})).await;
    assert_eq!(answer.bad_fields(), ["assignee_id"]);
}

#[tokio::test]
async fn thread_of_member_without_access_becomes_unassigned() {
    let (server, agent) = server_and_agent().await;
    let [ranger, _] = create_inboxes(&agent).await;
    mail_everywhere(&server, &agent, std::slice::from_ref(&ranger)).await;
    let threads =
        async |inbox: &str| agent.get(&format!("/v0/inboxes/{inbox}/threads")).await.ok()["threads"][0].clone();
    let (here, there) = (threads(&agent.inbox_id).await, threads(&ranger).await);
    let [here, there] = [(&agent.inbox_id, here), (&ranger, there)]
        .map(|(inbox, thread)| format!("/v0/inboxes/{inbox}/threads/{}", thread["thread_id"].as_str().unwrap()));
    let maria = invite_and_join(&server, &agent, "maria@example.org", "admin", json!([ranger])).await;
    let path = member_path(&agent, "maria@example.org").await;
    let take = async || {
        for thread in [&here, &there] {
            let taken = maria.patch(thread, json!({"assignee_id": "me"})).await.ok();
            assert_eq!(taken["assignee"]["email"], "maria@example.org");
        }
    };
    let taken = async || {
        let [here, there] = [agent.get(&here).await.ok(), agent.get(&there).await.ok()];
        [here, there].map(|thread| !thread["assignee"].is_null())
    };
    // An admin sees every inbox; as a member she is limited to one of the two.
    take().await;
    agent.patch(&path, json!({"role": "member"})).await.ok();
    assert_eq!(taken().await, [false, true]);
    agent.patch(&path, json!({"inbox_ids": []})).await.ok();
    take().await;
    agent.patch(&path, json!({"inbox_ids": [agent.inbox_id]})).await.ok();
    assert_eq!(taken().await, [true, false]);
    agent.patch(&path, json!({"inbox_ids": []})).await.ok();
    take().await;
    agent.delete(&path).await.require_no_content();
    assert_eq!(taken().await, [false, false]);
}
