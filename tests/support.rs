//! Common helpers of the product tests.

use inboxd_testkit::{ApiResponse, HttpClient, MailBuilder, Persona, ServerOptions, SmtpReply, TestServer};
use serde_json::Value;
use tokio::task::JoinSet;

/// Options of the built server, before its start.
pub(crate) fn options() -> ServerOptions {
    ServerOptions::new(env!("CARGO_BIN_EXE_inboxd"))
}

/// Options of a second process on the database of a server, with the same secret key.
pub(crate) fn second_process(server: &TestServer) -> ServerOptions {
    with_state_of(server, options())
}

/// Starts a worker on the database of a server. Its periodic jobs run at once, those of the server within ten seconds.
pub(crate) async fn worker_beside(server: &TestServer) -> TestServer {
    second_process(server).set("INBOXD_ROLES", "worker").start().await
}

/// Adds the database and the secret key of a server to options.
pub(crate) fn with_state_of(server: &TestServer, options: ServerOptions) -> ServerOptions {
    let secret_key = std::fs::read_to_string(server.data_dir().join("secret-key")).unwrap();
    options.set("INBOXD_DATABASE_URL", server.database().url()).set("INBOXD_SECRET_KEY", secret_key.trim())
}

/// A running server that captures outgoing mail.
pub(crate) async fn server() -> TestServer {
    options().start().await
}

/// A running server and an agent with a verified owner.
pub(crate) async fn server_and_agent() -> (TestServer, Persona) {
    let server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (server, agent)
}

/// Delivers a mail from outside to the first inbox of an agent.
pub(crate) async fn receive(server: &TestServer, agent: &Persona, mail: &MailBuilder) -> SmtpReply {
    let reply = server.deliver("alice@outside.example", &[&agent.inbox_id], mail.raw()).await;
    assert_eq!(reply.code, 250, "{reply:?}");
    reply
}

/// Creates a mail from outside to an agent.
pub(crate) fn mail_to(agent: &Persona, subject: &str) -> MailBuilder {
    MailBuilder::new("Alice <alice@outside.example>", &agent.inbox_id, subject, &format!("About {subject}."))
}

/// Delivers mails with these subjects in order.
pub(crate) async fn receive_all(server: &TestServer, agent: &Persona, subjects: &[&str]) {
    let mut client = server.smtp().await;
    client.ehlo().await;
    for subject in subjects {
        let reply = client.deliver("alice@outside.example", &[&agent.inbox_id], &mail_to(agent, subject).raw()).await;
        assert_eq!(reply.code, 250, "{reply:?}");
    }
    client.quit().await;
}

/// Returns a text field of all items of a list.
pub(crate) fn text_fields<'a>(list: &'a Value, plural: &str, field: &str) -> Vec<&'a str> {
    list[plural].as_array().unwrap().iter().map(|item| item[field].as_str().unwrap_or("")).collect()
}

/// Returns the subjects of the messages of a list request.
pub(crate) async fn subjects(agent: &Persona, rest: &str) -> Vec<String> {
    let list = agent.get(&agent.inbox(rest)).await.ok();
    let plural = if list.get("threads").is_some() { "threads" } else { "messages" };
    text_fields(&list, plural, "subject").into_iter().map(str::to_owned).collect()
}

/// Reads all pages of a list and returns a text field of all items in order.
pub(crate) async fn read_pages(agent: &HttpClient, target: &str, plural: &str, field: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let page = match &token {
            None => agent.get(target).await.ok(),
            Some(token) => agent.get(&format!("{target}&page_token={token}")).await.ok(),
        };
        found.extend(text_fields(&page, plural, field).into_iter().map(str::to_owned));
        assert_eq!(page["count"], page[plural].as_array().unwrap().len());
        match page["next_page_token"].as_str() {
            Some(next) => token = Some(inboxd_testkit::encoded(next)),
            None => return found,
        }
        assert!(found.len() < 10_000, "the pages of {target} do not end");
    }
}

/// Runs calls concurrently and returns their responses in any order.
pub(crate) async fn run_concurrently<F>(calls: impl IntoIterator<Item = F>) -> Vec<ApiResponse>
where
    F: Future<Output = ApiResponse> + Send + 'static,
{
    calls.into_iter().collect::<JoinSet<_>>().join_all().await
}

/// Counts the responses with a status.
pub(crate) fn count(answers: &[ApiResponse], status: u16) -> usize {
    answers.iter().filter(|answer| answer.status == status).count()
}

/// Sets the plan of an organization, as the operator does.
pub(crate) async fn set_plan(server: &TestServer, agent: &Persona, plan: &str) {
    let output = server.command(&["admin", "plan", &agent.organization_id, plan]).await;
    assert!(output.status.success(), "{output:?}");
}

/// Returns the database id of an API id.
pub(crate) fn uuid(id: &Value) -> &str {
    id.as_str().unwrap().split_once('_').unwrap().1
}

/// Returns a time that many seconds from now by the clock of the server.
pub(crate) fn in_seconds(seconds: u64) -> String {
    let output = std::process::Command::new("date")
        .args(["-u", "-d", &format!("+{seconds} seconds"), "+%Y-%m-%dT%H:%M:%S.%3NZ"])
        .output();
    String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
}
