//! People who sign in.

use inboxd_testkit::{Http, Persona, Server, eventually};
use serde_json::{Value, json};

pub(crate) const SIGN_IN: &str = "/v0/agent/sign-in";
pub(crate) const SIGN_IN_VERIFY: &str = "/v0/agent/sign-in/verify";

/// The sign-in codes that were mailed to an address so far.
pub(crate) fn codes(server: &Server, email: &str) -> Vec<String> {
    let code = |entry: &Value| {
        let text =
            entry["text"].as_str().filter(|_| entry["to"].as_str().is_some_and(|to| to.eq_ignore_ascii_case(email)))?;
        text.strip_prefix("Your sign-in code is ").map(str::to_owned)
    };
    server.log().entries().iter().filter_map(code).collect()
}

/// Asks for a code and waits until it is mailed.
pub(crate) async fn code(server: &Server, email: &str) -> String {
    let before = codes(server, email).len();
    let answer = server.http().post(SIGN_IN, json!({"email": email})).await.ok();
    assert_eq!(answer, json!({"sent": true}));
    eventually(&format!("a sign-in code for {email}"), async || codes(server, email).get(before).cloned()).await
}

/// Another code than this.
pub(crate) fn wrong(code: &str) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000)
}

/// Signs somebody in, perhaps to one of their organizations, and answers what they get.
pub(crate) async fn signed_in(server: &Server, email: &str, organization_id: Option<&str>) -> Value {
    let mut otp_code = code(server, email).await;
    loop {
        let body = json!({"email": email, "otp_code": otp_code, "organization_id": organization_id});
        let answer = server.http().post(SIGN_IN_VERIFY, body).await;
        if answer.status != 401 {
            return answer.ok();
        }
        // It was of an earlier ask, whose mail was still on its way: the newest one follows.
        let newer = async || codes(server, email).pop().filter(|newest| *newest != otp_code);
        otp_code = eventually(&format!("a newer sign-in code for {email}"), newer).await;
    }
}

/// Signs somebody in and answers the API called as them.
pub(crate) async fn person(server: &Server, email: &str) -> Http {
    let answer = signed_in(server, email, None).await;
    server.http().with_key(answer["api_key"].as_str().unwrap())
}

/// Invites somebody.
pub(crate) async fn invited(agent: &Persona, email: &str, role: &str, inbox_ids: Value) -> Value {
    agent.post("/v0/members", json!({"email": email, "role": role, "inbox_ids": inbox_ids})).await.ok()
}

/// Invites somebody and answers the API called as them, once they have signed in.
pub(crate) async fn joined(server: &Server, agent: &Persona, email: &str, role: &str, inbox_ids: Value) -> Http {
    invited(agent, email, role, inbox_ids).await;
    person(server, email).await
}

/// The path of the member with an address.
pub(crate) async fn path_of(agent: &Http, email: &str) -> String {
    let members = agent.get("/v0/members?limit=200").await.ok();
    let member = members["members"].as_array().unwrap().iter().find(|member| member["email"] == email).unwrap();
    format!("/v0/members/{}", member["member_id"].as_str().unwrap())
}
