//! What many tests begin with.

use inboxd_testkit::{Answer, Http, Mail, Persona, Reply, Server, ServerOptions};
use serde_json::Value;
use tokio::task::JoinSet;

/// The built server, not yet started.
pub(crate) fn options() -> ServerOptions {
    ServerOptions::new(env!("CARGO_BIN_EXE_inboxd"))
}

/// Another process on the database of a server, with the secret key that this one has made, not yet started.
pub(crate) fn beside(server: &Server) -> ServerOptions {
    with_state_of(server, options())
}

/// Options with the database and the secret key of a server.
pub(crate) fn with_state_of(server: &Server, options: ServerOptions) -> ServerOptions {
    let secret_key = std::fs::read_to_string(server.data_dir().join("secret-key")).unwrap();
    options.set("INBOXD_DATABASE_URL", server.database().url()).set("INBOXD_SECRET_KEY", secret_key.trim())
}

/// A running server that captures what would leave.
pub(crate) async fn server() -> Server {
    options().start().await
}

/// A running server and an agent whose owner address is confirmed.
pub(crate) async fn server_and_agent() -> (Server, Persona) {
    let server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (server, agent)
}

/// Delivers a mail from outside to the first inbox of an agent.
pub(crate) async fn receive(server: &Server, agent: &Persona, mail: &Mail) -> Reply {
    let reply = server.deliver("alice@outside.example", &[&agent.inbox_id], mail.raw()).await;
    assert_eq!(reply.code, 250, "{reply:?}");
    reply
}

/// A mail from outside to an agent.
pub(crate) fn mail_to(agent: &Persona, subject: &str) -> Mail {
    Mail::new("Alice <alice@outside.example>", &agent.inbox_id, subject, &format!("About {subject}."))
}

/// Delivers mails with these subjects, in this order.
pub(crate) async fn receive_all(server: &Server, agent: &Persona, subjects: &[&str]) {
    let mut client = server.smtp().await;
    client.ehlo().await;
    for subject in subjects {
        let reply = client.deliver("alice@outside.example", &[&agent.inbox_id], &mail_to(agent, subject).raw()).await;
        assert_eq!(reply.code, 250, "{reply:?}");
    }
    client.quit().await;
}

/// One text field of every item of a list.
pub(crate) fn each<'a>(list: &'a Value, plural: &str, field: &str) -> Vec<&'a str> {
    list[plural].as_array().unwrap().iter().map(|item| item[field].as_str().unwrap_or("")).collect()
}

/// The subjects of the messages that a request lists.
pub(crate) async fn subjects(agent: &Persona, rest: &str) -> Vec<String> {
    let list = agent.get(&agent.inbox(rest)).await.ok();
    let plural = if list.get("threads").is_some() { "threads" } else { "messages" };
    each(&list, plural, "subject").into_iter().map(str::to_owned).collect()
}

/// Walks every page of a list and answers one text field of all items, in order.
pub(crate) async fn walk(agent: &Http, target: &str, plural: &str, field: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let page = match &token {
            None => agent.get(target).await.ok(),
            Some(token) => agent.get(&format!("{target}&page_token={token}")).await.ok(),
        };
        found.extend(each(&page, plural, field).into_iter().map(str::to_owned));
        assert_eq!(page["count"], page[plural].as_array().unwrap().len());
        match page["next_page_token"].as_str() {
            Some(next) => token = Some(inboxd_testkit::encoded(next)),
            None => return found,
        }
        assert!(found.len() < 10_000, "the pages of {target} do not end");
    }
}

/// Runs calls at the same time and answers what came back, in no order.
pub(crate) async fn at_once<F>(calls: impl IntoIterator<Item = F>) -> Vec<Answer>
where
    F: Future<Output = Answer> + Send + 'static,
{
    calls.into_iter().collect::<JoinSet<_>>().join_all().await
}

/// How many answers have a status.
pub(crate) fn count(answers: &[Answer], status: u16) -> usize {
    answers.iter().filter(|answer| answer.status == status).count()
}

/// Sets the plan of an organization, as its operator does.
pub(crate) async fn set_plan(server: &Server, agent: &Persona, plan: &str) {
    let output = server.command(&["admin", "plan", &agent.organization_id, plan]).await;
    assert!(output.status.success(), "{output:?}");
}

/// The id of the database for an id of the API.
pub(crate) fn uuid(id: &Value) -> &str {
    id.as_str().unwrap().split_once('_').unwrap().1
}

/// A time that many seconds from now, as the server's clock sees it.
pub(crate) fn in_seconds(seconds: u64) -> String {
    let output = std::process::Command::new("date")
        .args(["-u", "-d", &format!("+{seconds} seconds"), "+%Y-%m-%dT%H:%M:%S.%3NZ"])
        .output();
    String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
}
