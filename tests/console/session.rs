//! Sign-in, session, organization and sign-out.

use inboxd_testkit::{HttpRequest, eventually};
use serde_json::json;

use super::{SIGN_IN, sign_in, signed_in};
use crate::browser::Browser;
use crate::people::{invite, mailed_codes, member_path, wrong_code};
use crate::support::{options, server, server_and_agent};

#[tokio::test]
async fn root_leads_through_sign_in_to_console() {
    let (server, agent) = server_and_agent().await;
    let mut browser = Browser::new(&server);
    assert_eq!(browser.get("/").await.location(), "/console");
    assert_eq!(browser.get("/console").await.location(), SIGN_IN);
    let page = browser.get(SIGN_IN).await.require_console(200, "Sign in");
    assert!(page.text().contains("type=\"email\"") && page.text().matches("<form").count() == 1, "{}", page.text());
    let page = sign_in(&server, &mut browser, &page, "owner@example.org").await;
    assert_eq!(page.location(), "/console");
    let cookie = page.response.header_values("Set-Cookie").find(|cookie| cookie.starts_with("inboxd_session="));
    let cookie = cookie.unwrap().to_owned();
    for attribute in ["Path=/", "HttpOnly", "SameSite=Lax"] {
        assert!(cookie.split("; ").any(|own| own == attribute), "{cookie}");
    }
    let start = browser.get("/console").await;
    assert_eq!(start.response.status, 200, "{}", start.text());
    for shown in [agent.inbox_id.as_str(), "owner@example.org", "Sign out"] {
        assert!(start.text().contains(shown), "{shown}: {}", start.text());
    }
    assert_eq!(browser.get("/").await.location(), "/console");
    assert_eq!(browser.get(SIGN_IN).await.location(), "/console");
}

#[tokio::test]
async fn wrong_code_can_be_corrected_and_newcomers_get_same_pages() {
    let (server, _agent) = server_and_agent().await;
    let mut pages = Vec::new();
    for email in ["owner@example.org", "newcomer@example.org"] {
        let mut browser = Browser::new(&server);
        let page = browser.get(SIGN_IN).await;
        let refused = browser.submit(&page, SIGN_IN, &[("email", "no address")]).await.require_console(200, "Sign in");
        assert!(refused.text().contains("no email address"), "{}", refused.text());
        let mut page = browser.submit(&page, SIGN_IN, &[("email", email)]).await.require_console(200, "Enter the code");
        page.require_text("its log has the code");
        assert!(page.text().contains("autocomplete=\"one-time-code\""), "{}", page.text());
        let code = eventually("a code", async || mailed_codes(&server, email).pop()).await;
        for wrong in [wrong_code(&code), String::new(), "x".repeat(300)] {
            page = browser.submit(&page, "/console/verify", &[("code", &wrong)]).await;
            page = page.require_console(200, "Enter the code");
            assert!(page.text().contains("role=\"alert\""), "{}", page.text());
            assert!(!browser.cookies.contains_key("inboxd_session"));
            let token = &page.form("/console/verify")[0].1;
            pages.push(page.text().replace(email, "EMAIL").replace(token, "TOKEN"));
        }
        let spaced = format!("{} {}", &code[..3], &code[3..]);
        let done = browser.submit(&page, "/console/verify", &[("code", &spaced)]).await;
        assert_eq!(done.location(), "/console");
        assert_eq!(browser.get("/console").await.response.status, 200);
    }
    assert_eq!(pages[..3], pages[3..]);
}

#[tokio::test]
async fn pages_without_a_session_have_a_rate_limit() {
    let server = options().set("INBOXD_UNAUTHENTICATED_RATE", "5").start().await;
    let mut person = signed_in(&server, "newcomer@example.org").await;
    let (mut stranger, mut forger) = (Browser::new(&server), Browser::new(&server));
    forger.cookies.insert("inboxd_session".to_owned(), "x".repeat(43));
    for number in 0..25 {
        for browser in [&mut stranger, &mut forger] {
            assert_eq!(browser.get("/console").await.location(), SIGN_IN, "{number}");
        }
    }
    for browser in [&mut stranger, &mut forger] {
        // The limit refills meanwhile, far more slowly than a browser asks.
        let mut answer = browser.get("/console").await;
        for _ in 0..200 {
            if answer.response.status != 429 {
                answer = browser.get("/console").await;
            }
        }
        let refused = answer.require_console(429, "This did not work");
        assert!(refused.response.header("Retry-After").is_some(), "{}", refused.text());
    }
    assert_eq!(person.get("/console").await.response.status, 200);
}

#[tokio::test]
async fn sign_in_leads_on_within_console_alone() {
    let (server, _agent) = server_and_agent().await;
    let mut browser = Browser::new(&server);
    let deep = "/console/settings?a=b%20c";
    let leads = browser.get(deep).await.location();
    assert_eq!(leads, "/console/sign-in?next=%2Fconsole%2Fsettings%3Fa%3Db%2520c");
    let page = browser.get(&leads).await.require_console(200, "Sign in");
    assert_eq!(sign_in(&server, &mut browser, &page, "owner@example.org").await.location(), deep);
    for foreign in ["https://evil.example/", "//evil.example/console/", "/console/%5C%5Cevil.example", "/v0/auth/me"] {
        let target = format!("{SIGN_IN}?next={foreign}");
        assert_eq!(browser.get(&target).await.location(), "/console", "{foreign}");
        let mut other = Browser::new(&server);
        let page = other.get(&target).await;
        assert_eq!(sign_in(&server, &mut other, &page, "owner@example.org").await.location(), "/console", "{foreign}");
    }
}

#[tokio::test]
async fn session_begins_with_code_and_ends_with_sign_out() {
    let (server, _agent) = server_and_agent().await;
    let mut browser = Browser::new(&server);
    let planted = "bs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    browser.cookies.insert("inboxd_session".to_owned(), planted.to_owned());
    assert_eq!(browser.get("/console").await.location(), SIGN_IN);
    let page = browser.get(SIGN_IN).await.require_console(200, "Sign in");
    sign_in(&server, &mut browser, &page, "owner@example.org").await.location();
    let first = browser.cookies["inboxd_session"].clone();
    assert_ne!(first, planted);
    // The cookie opens the pages alone.
    for target in ["/v0/auth/me", "/v0/inboxes", "/v0/events"] {
        assert_eq!(browser.call(HttpRequest::new("GET", target)).await.response.status, 401, "{target}");
    }
    // Another sign-in in the same browser ends the session before it.
    let mut copy = browser.clone();
    let mut again = browser.clone();
    again.cookies.remove("inboxd_session");
    let page = again.get(SIGN_IN).await.require_console(200, "Sign in");
    again.cookies.insert("inboxd_session".to_owned(), first.clone());
    sign_in(&server, &mut again, &page, "owner@example.org").await.location();
    assert_ne!(again.cookies["inboxd_session"], first);
    assert_eq!(copy.get("/console").await.location(), SIGN_IN);
    // Signing out ends the session in every copy of its cookie; nothing of it is in a cache.
    let start = again.get("/console").await;
    assert_eq!(start.response.header("Cache-Control"), Some("no-store"));
    let mut copy = again.clone();
    assert_eq!(again.submit(&start, "/console/sign-out", &[]).await.location(), SIGN_IN);
    assert!(!again.cookies.contains_key("inboxd_session"));
    assert_eq!(copy.get("/console").await.location(), SIGN_IN);
    let refused = copy.submit(&start, "/console/sign-out", &[]).await;
    assert_eq!(refused.location(), SIGN_IN);
}

#[tokio::test]
async fn session_ends_by_time_and_with_membership() {
    let (server, agent) = server_and_agent().await;
    invite(&agent, "maria@example.org", "admin", json!(null)).await;
    let mut maria = signed_in(&server, "maria@example.org").await;
    assert_eq!(maria.get("/console/members").await.response.status, 200);
    let path = member_path(&agent, "maria@example.org").await;
    // A changed role counts at once.
    agent.patch(&path, json!({"role": "member"})).await.ok();
    let own = maria.get("/console/settings").await;
    assert_eq!(own.response.status, 200);
    agent.delete(&path).await.require_no_content();
    // Without any organization the person may make one.
    assert_eq!(maria.get("/console").await.location(), "/console/organization");
    assert_eq!(maria.get("/console/organization").await.values("organization_id"), ["new"]);
    let mut owner = signed_in(&server, "owner@example.org").await;
    server.database().execute("UPDATE browser_sessions SET expires_at = now()").await;
    assert_eq!(owner.get("/console").await.location(), SIGN_IN);
}

#[tokio::test]
async fn person_of_several_organizations_chooses_one() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "ranger").await;
    let foreign = server.verified("foreign@example.org", "foreign").await;
    for of in [&agent, &other] {
        invite(of, "maria@example.org", "member", json!(null)).await;
    }
    let mut maria = signed_in(&server, "maria@example.org").await;
    assert_eq!(maria.get("/console").await.location(), "/console/organization");
    let choice = maria.get("/console/organization").await.require_console(200, "Choose an organization");
    let mut offered = choice.values("organization_id");
    offered.sort();
    let mut expected = ["new".to_owned(), agent.organization_id.clone(), other.organization_id.clone()];
    expected.sort();
    assert_eq!(offered, expected);
    for (of, shown, hidden) in [(&agent, &agent.inbox_id, &other.inbox_id), (&other, &other.inbox_id, &agent.inbox_id)]
    {
        let fields = [("organization_id", of.organization_id.as_str())];
        assert_eq!(maria.submit(&choice, "/console/organization", &fields).await.location(), "/console");
        let start = maria.get("/console").await;
        assert!(start.text().contains(shown.as_str()) && !start.text().contains(hidden.as_str()), "{}", start.text());
        assert!(start.text().contains("/console/organization"), "{}", start.text());
    }
    // An organization of others, by form or by cookie, opens nothing.
    let fields = [("organization_id", foreign.organization_id.as_str())];
    assert_eq!(maria.submit(&choice, "/console/organization", &fields).await.location(), "/console/organization");
    for unknown in [foreign.organization_id.as_str(), "org_00000000000000000000000000000000", "nonsense"] {
        maria.cookies.insert("inboxd_organization".to_owned(), unknown.to_owned());
        assert_eq!(maria.get("/console").await.location(), "/console/organization", "{unknown}");
    }
}

#[tokio::test]
async fn typed_texts_are_escaped() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let attack = "\"><script>alert(1)</script>";
    let page = browser.get(&format!("{SIGN_IN}?next={}", inboxd_testkit::encoded(attack))).await;
    assert!(!page.text().contains("<script>"), "{}", page.text());
    let page = browser.submit(&page, SIGN_IN, &[("email", attack)]).await.require_console(200, "Sign in");
    assert!(page.text().contains("&#60;script"), "{}", page.text());
}

#[tokio::test]
async fn cookies_are_bound_to_host_under_https() {
    let server = options().set("INBOXD_BASE_URL", "https://mail.example").start().await;
    let mut browser = Browser::new(&server);
    let page = browser.get(SIGN_IN).await;
    let done = sign_in(&server, &mut browser, &page, "owner@example.org").await;
    for (page, start) in [(&page, "__Host-inboxd_visitor="), (&done, "__Host-inboxd_session=")] {
        let cookie = page.response.header_values("Set-Cookie").find(|cookie| cookie.starts_with(start));
        let cookie = cookie.unwrap_or_else(|| panic!("no cookie {start}"));
        assert!(cookie.ends_with("; Secure"), "{cookie}");
    }
}

#[tokio::test]
async fn unknown_pages_lead_back() {
    let (server, _agent) = server_and_agent().await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let page = owner.get("/console/nothing").await;
    assert_eq!(page.response.status, 404, "{}", page.text());
    assert_eq!(page.response.header("Content-Type"), Some("text/html; charset=utf-8"));
    assert!(page.text().contains("href=\"/console\""), "{}", page.text());
    // Before the sign-in an unknown page is like every page.
    assert!(Browser::new(&server).get("/console/nothing").await.location().starts_with(SIGN_IN));
}

#[tokio::test]
async fn assets_are_compressed_and_cached() {
    let server = server().await;
    let page = server.http().get(SIGN_IN).await.text();
    let start = page.split('"').find(|text| text.starts_with("/assets/")).unwrap();
    for (encoding, expected) in [("gzip, br", Some("gzip")), ("identity", None), ("gzip;q=0", None)] {
        let answer = server.http().call(HttpRequest::new("GET", start).header("Accept-Encoding", encoding)).await;
        assert_eq!((answer.status, answer.header("Content-Encoding")), (200, expected), "{encoding}");
        assert_eq!(answer.header("Vary"), Some("Accept-Encoding"));
        assert!(answer.header("Cache-Control").is_some_and(|cache| cache.starts_with("public")), "{encoding}");
    }
    assert_eq!(server.http().get("/assets/nothing.css").await.status, 404);
}
