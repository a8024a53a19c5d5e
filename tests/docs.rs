//! `/openapi.json` and `/docs`.

use crate::support::server;

#[tokio::test]
async fn document_is_openapi_3_1() {
    let server = server().await;
    let answer = server.http().get("/openapi.json").await;
    let document = answer.ok();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    assert_eq!(document["info"]["version"], "0.1.0", "the version of the API");
    assert!(answer.header("Content-Type").unwrap().starts_with("application/json"), "{answer:?}");
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let what = format!("{method} {path}");
            assert!(
                operation["summary"].is_string() || operation["description"].is_string(),
                "{what} has no description"
            );
            assert!(operation["responses"].as_object().is_some_and(|map| !map.is_empty()), "{what} has no responses");
        }
    }
}

#[tokio::test]
async fn docs_page_needs_no_other_host() {
    let server = server().await;
    let mut page = server.http().get("/docs").await;
    if (300..400).contains(&page.status) {
        let target = page.header("Location").unwrap().trim_start_matches(&server.base_url()).to_owned();
        page = server.http().get(&target).await;
    }
    assert_eq!(page.status, 200, "{}", page.text());
    let text = page.text();
    assert!(text.contains("<html"), "{text}");
    for attribute in ["src=\"http", "src=\"//", "href=\"//", "@import"] {
        assert!(!text.contains(attribute), "the page requests another host: {attribute}\n{text}");
    }
}
