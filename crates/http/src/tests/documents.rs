//! The OpenAPI document, its page, and the error reference.

use std::collections::{BTreeMap, BTreeSet};

use inboxd_core::testing::{World, fixtures};
use serde_json::Value;

use super::{answer, request, with_key, world};
use crate::error::ErrorCode;
use crate::routes::entries;

fn document() -> Value {
    serde_json::to_value(crate::openapi()).unwrap()
}

/// Returns every operation as `method path`.
fn operations(document: &Value) -> BTreeMap<String, &Value> {
    let paths = document["paths"].as_object().unwrap();
    let of_path = |(path, item): (&String, &'_ Value)| -> Vec<String> {
        item.as_object().unwrap().keys().map(|method| format!("{method} {path}")).collect()
    };
    paths
        .iter()
        .flat_map(of_path)
        .map(|name| {
            let (method, path) = name.split_once(' ').unwrap();
            (name.clone(), &document["paths"][path][method])
        })
        .collect()
}

#[test]
fn document_contains_exactly_the_routes() {
    let document = document();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let served: BTreeSet<String> = entries()
        .iter()
        .flat_map(|entry| entry.endpoints.iter().map(move |endpoint| format!("{} {}", endpoint.method, entry.path)))
        .collect();
    let operations = operations(&document);
    assert_eq!(operations.keys().cloned().collect::<BTreeSet<_>>(), served);

    let ids: BTreeSet<_> = operations.values().map(|operation| operation["operationId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), served.len(), "every operation has a unique id");
    for (name, operation) in operations {
        let in_path = name.split('{').skip(1).map(|rest| rest.split('}').next().unwrap()).collect::<BTreeSet<_>>();
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let listed: BTreeSet<_> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        assert_eq!(listed, in_path, "{name}");
    }
}

#[actix_web::test]
async fn listed_parameters_are_all_read() {
    let document = document();
    let mut count = 0;
    for (name, operation) in operations(&document) {
        let (method, path) = name.split_once(' ').unwrap();
        let path = path.replace("{inbox_id}", "scout@inboxd.example");
        let path = path.replace("{pod_id}", &fixtures::organization().default_pod_id.to_string());
        let path = path.replace("{thread_id}", "thr_00000000000000000000000000000000");
        let path = path.replace("{attachment_id}", "att_00000000000000000000000000000000");
        let path = path.replace("{direction}", "send").replace("{type}", "block");
        // It takes the token of the subscription.
        if path.ends_with("/polling/{webhook_id}/events") {
            continue;
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == "query") {
            let parameter = parameter["name"].as_str().unwrap();
            let answered = answer(world(), with_key(method, &format!("{path}?{parameter}=%00"))).await;
            assert!(answered.bad_fields().contains(&parameter.to_owned()), "{name}: {parameter}");
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

#[test]
fn operations_list_refusals_with_envelope() {
    let document = document();
    for (name, operation) in operations(&document) {
        let answers = operation["responses"].as_object().unwrap();
        let (refused, granted): (Vec<_>, Vec<_>) = answers.iter().partition(|(status, _)| status.as_str() >= "400");
        for (status, answer) in refused {
            let shared = document.pointer(&answer["$ref"].as_str().unwrap()[1..]).unwrap();
            let schema = &shared["content"]["application/json"]["schema"]["$ref"];
            assert_eq!(schema, "#/components/schemas/Error", "{name} {status}");
            assert!(shared["headers"]["X-Request-Id"].is_object(), "{name} {status}");
        }
        // A policy may hold a message that is to leave, and a creation with a `client_id` may be a repeat.
        let granted: Vec<&str> = granted.into_iter().map(|(status, _)| status.as_str()).collect();
        let is_event = granted == ["200", "201", "202"] && name == "post /v0/inboxes/{inbox_id}/calendar/events";
        // Bytes can be requested in parts.
        let is_known = granted.len() == 1 || granted == ["200", "202"] || granted == ["200", "206"];
        assert!(is_known || is_event, "{name} {granted:?}");
    }
    let listed = |method: &str, path: &str| {
        let answers = document["paths"][path][method]["responses"].as_object().unwrap();
        answers.keys().map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    for (method, path, expected) in [
        ("get", "/health", "200 500"),
        ("get", "/ready", "200 500 503"),
        ("get", "/v0/inboxes", "200 401 403 422 429 500 503"),
        ("get", "/v0/downloads/{token}", "200 206 404 416 429 500 503"),
        ("put", "/v0/uploads/{token}", "200 404 408 409 413 415 422 429 500 503"),
        ("get", "/v0/events", "200 400 401 403 404 422 429 500 503"),
        ("get", "/v0/metrics/usage", "200 400 401 403 404 422 429 500 503"),
        ("delete", "/v0/inboxes/{inbox_id}", "204 401 403 404 409 429 500 503"),
        ("post", "/v0/agent/sign-up", "200 403 408 409 413 415 422 429 500 503"),
        ("patch", "/v0/inboxes/{inbox_id}", "200 401 403 404 408 409 413 415 422 429 500 503"),
    ] {
        assert_eq!(listed(method, path), expected, "{method} {path}");
    }
}

#[test]
fn query_strings_are_bounded() {
    let document = document();
    for (name, operation) in operations(&document) {
        for parameter in operation["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == "query") {
            let schema = &parameter["schema"];
            assert!(
                schema.get("allOf").is_none(),
                "{name}: a default beside an inlined type matches nothing: {parameter}"
            );
            let is_free = schema["type"] == "string" && parameter["name"] != "page_token";
            let is_bounded = ["enum", "format", "maxLength"].iter().any(|bound| schema.get(bound).is_some());
            assert!(is_bounded || !is_free, "{name}: {parameter}");
            assert!(schema["type"] != "array" || schema["maxItems"] == 100, "{name}: {parameter}");
        }
    }
}

#[test]
fn equal_parameters_have_equal_descriptions() {
    let document = document();
    let mut count = 0;
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let field = &schema["properties"]["client_id"];
        if !name.ends_with("Request") || field.is_null() {
            continue;
        }
        // A required one is a reference, an optional one null or a reference.
        let forms = field["oneOf"].as_array().map_or(std::slice::from_ref(field), Vec::as_slice);
        let is_bounded = forms.iter().any(|one| one["$ref"] == "#/components/schemas/ClientId");
        assert!(is_bounded, "{name}: {field}");
        count += 1;
    }
    assert!(count >= 7, "{count}");
}

#[test]
fn references_all_resolve() {
    fn walk<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
        match value {
            Value::Object(object) => {
                found.extend(object.get("$ref").and_then(Value::as_str));
                object.values().for_each(|value| walk(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| walk(value, found)),
            _ => {}
        }
    }
    let document = document();
    let mut found = BTreeSet::new();
    walk(&document, &mut found);
    assert!(found.contains("#/components/schemas/Error"));
    for reference in found {
        assert!(document.pointer(&reference[1..]).is_some(), "{reference}");
    }
}

#[test]
fn body_is_optional_when_all_fields_are() {
    let document = document();
    let required = |method: &str, path: &str| document["paths"][path][method]["requestBody"]["required"].clone();
    let inbox = "/v0/inboxes/{inbox_id}";
    for (method, path, expected) in [
        ("post", "/v0/inboxes".to_owned(), false),
        ("post", "/v0/api-keys".to_owned(), false),
        ("patch", inbox.to_owned(), false),
        ("patch", format!("{inbox}/threads/{{thread_id}}"), false),
        ("post", format!("{inbox}/messages/{{message_id}}/reply"), false),
        ("post", format!("{inbox}/messages/send"), true),
        ("post", format!("{inbox}/messages/{{message_id}}/forward"), true),
        ("post", format!("{inbox}/messages/batch-get"), true),
        ("post", "/v0/agent/sign-up".to_owned(), true),
        ("post", "/v0/agent/verify".to_owned(), true),
    ] {
        assert_eq!(required(method, &path), Value::Bool(expected), "{method} {path}");
    }
}

#[test]
fn operation_list() {
    let document = document();
    let lines: Vec<String> = operations(&document)
        .into_iter()
        .map(|(name, operation)| {
            format!(
                "{:<16} {} {name}",
                operation["tags"][0].as_str().unwrap(),
                operation["operationId"].as_str().unwrap()
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[actix_web::test]
async fn document_is_served() {
    let answered = answer(World::default(), request("get", "/openapi.json")).await;
    assert_eq!(answered.json(), document());
}

#[actix_web::test]
async fn docs_page_loads_only_from_server() {
    let page = answer(World::default(), request("get", "/docs")).await;
    let html = String::from_utf8(page.body).unwrap();
    assert!(!html.contains("://"), "no resource from another host");
    let linked = html.split('"').filter(|text| text.starts_with("docs/assets/"));
    let mut count = 0;
    for link in linked {
        count += 1;
        let answered = answer(World::default(), request("get", &format!("/{link}"))).await;
        assert_eq!(answered.status, 200, "{link}");
        let kind = answered.header("content-type").unwrap();
        assert!(kind.starts_with("text/css") || kind.starts_with("text/javascript"), "{link}: {kind}");
        assert!(std::str::from_utf8(&answered.body).is_ok(), "{link} is sent uncompressed");
        assert!(!answered.body.is_empty());
    }
    assert_eq!(count, 3);
    for other in
        ["/docs/assets/index.html", "/docs/assets/", "/docs/assets/a/b", "/docs/assets/start.js/", "/docs/nothing"]
    {
        let answered = answer(World::default(), request("get", other)).await;
        assert_eq!((answered.status, answered.code().as_str()), (404, "route_not_found"), "{other}");
    }
}

#[actix_web::test]
async fn error_reference_has_anchor_for_each_code() {
    let page = answer(World::default(), request("get", "/docs/errors")).await;
    let html = String::from_utf8(page.body).unwrap();
    for code in ErrorCode::ALL {
        assert!(html.contains(&format!("id=\"{}\"", code.as_str())), "{}", code.as_str());
    }
}
