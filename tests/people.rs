//! Sign-in of people.

use inboxd_testkit::{HttpClient, Persona, TestServer, eventually};
use serde_json::{Value, json};

pub(crate) const SIGN_IN: &str = "/v0/agent/sign-in";
pub(crate) const SIGN_IN_VERIFY: &str = "/v0/agent/sign-in/verify";

/// Returns the sign-in codes mailed to an address so far.
pub(crate) fn mailed_codes(server: &TestServer, email: &str) -> Vec<String> {
    let code = |entry: &Value| {
        let text =
            entry["text"].as_str().filter(|_| entry["to"].as_str().is_some_and(|to| to.eq_ignore_ascii_case(email)))?;
        text.strip_prefix("Your sign-in code is ").map(str::to_owned)
    };
    server.log().entries().iter().filter_map(code).collect()
}

/// Requests a code and waits until it is mailed.
pub(crate) async fn request_code(server: &TestServer, email: &str) -> String {
    let before = mailed_codes(server, email).len();
    let answer = server.http().post(SIGN_IN, json!({"email": email})).await.ok();
    assert_eq!(answer, json!({"sent": true}));
    eventually(&format!("a sign-in code for {email}"), async || mailed_codes(server, email).get(before).cloned()).await
}

/// Returns a different code.
pub(crate) fn wrong_code(code: &str) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000)
}

/// Signs a person in, optionally to one organization, and returns the response.
pub(crate) async fn sign_in(server: &TestServer, email: &str, organization_id: Option<&str>) -> Value {
    let mut otp_code = request_code(server, email).await;
    loop {
        let body = json!({"email": email, "otp_code": otp_code, "organization_id": organization_id});
        let answer = server.http().post(SIGN_IN_VERIFY, body).await;
        if answer.status != 401 {
            return answer.ok();
        }
        // This code belongs to an earlier request; the newest one follows.
        let newer = async || mailed_codes(server, email).pop().filter(|newest| *newest != otp_code);
        otp_code = eventually(&format!("a newer sign-in code for {email}"), newer).await;
    }
}

/// Signs a person in and returns a client with the key.
pub(crate) async fn sign_in_client(server: &TestServer, email: &str) -> HttpClient {
    let answer = sign_in(server, email, None).await;
    server.http().with_key(answer["api_key"].as_str().unwrap())
}

/// Invites a person.
pub(crate) async fn invite(agent: &Persona, email: &str, role: &str, inbox_ids: Value) -> Value {
    agent.post("/v0/members", json!({"email": email, "role": role, "inbox_ids": inbox_ids})).await.ok()
}

/// Invites a person, signs the person in and returns a client with the key.
pub(crate) async fn invite_and_join(
    server: &TestServer,
    agent: &Persona,
    email: &str,
    role: &str,
    inbox_ids: Value,
) -> HttpClient {
    invite(agent, email, role, inbox_ids).await;
    sign_in_client(server, email).await
}

/// Returns the path of the member with an address.
pub(crate) async fn member_path(agent: &HttpClient, email: &str) -> String {
    let members = agent.get("/v0/members?limit=200").await.ok();
    let member = members["members"].as_array().unwrap().iter().find(|member| member["email"] == email).unwrap();
    format!("/v0/members/{}", member["member_id"].as_str().unwrap())
}
