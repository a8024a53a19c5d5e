//! `inboxd api`: any request.

use std::path::Path;

use clap::ArgMatches;
use http::Method;
use serde_json::{Map, Value};

use crate::call::given_body;
use crate::failure::CommandFailure;
use crate::http::ApiRequest;
use crate::output::Presenter;
use crate::session::Session;
use crate::{tree, values};

const JSON: &str = "application/json";

/// Sends a request and shows its response.
pub(crate) async fn run(session: &Session, matches: &ArgMatches, presenter: Presenter) -> Result<(), CommandFailure> {
    let request = request(matches)?;
    let client = session.client()?;
    if matches.get_flag(tree::DRY_RUN) {
        return presenter.dry_run(&client, &request);
    }
    let output = matches.get_one::<String>(tree::OUTPUT);
    let content = client.bytes(&request).await?;
    if output.is_none() && content.is_empty() {
        return presenter.done("done");
    }
    match serde_json::from_slice(&content) {
        Ok(value) if output.is_none() => presenter.show(&value),
        _ => presenter.content(&content, output.map(Path::new)),
    }
}

fn request(matches: &ArgMatches) -> Result<ApiRequest, CommandFailure> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let method = text("method").unwrap_or_default().to_ascii_uppercase();
    let known = [Method::GET, Method::POST, Method::PATCH, Method::PUT, Method::DELETE];
    let method = known.into_iter().find(|known| known.as_str() == method).ok_or_else(|| {
        CommandFailure::usage(format!("{method:?} is no method")).fix("use GET, POST, PATCH, PUT or DELETE")
    })?;
    let path = text("path").unwrap_or_default();
    if !path.starts_with('/') || path.starts_with("//") {
        return Err(CommandFailure::usage(format!("{path:?} is no path")).fix("begin it with a slash: /v0/inboxes"));
    }
    let mut request = ApiRequest::new(method, path);
    text("accept").unwrap_or(JSON).clone_into(&mut request.accept);
    let mut body: Map<String, Value> = given_body(matches)?;
    for field in matches.get_many::<String>(tree::FIELD).into_iter().flatten() {
        let Some((name, value)) = field.split_once('=') else {
            return Err(CommandFailure::usage(format!("--field {field:?} has no name")).fix("write name=value"));
        };
        body.insert(name.to_owned(), values::scalar(value));
    }
    if !body.is_empty() || text(tree::BODY).is_some() {
        request.body = Some(Value::Object(body));
    }
    Ok(request)
}
