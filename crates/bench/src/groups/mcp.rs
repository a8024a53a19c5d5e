//! Calls over MCP beside the same requests over the API.

use std::time::Instant;

use serde_json::{Value, json};

use crate::fill;
use crate::load::http::Http;
use crate::options::Options;
use crate::outcome::{Outcome, ms};
use crate::report::{self, ReportRow, Requirement, Spread};
use crate::server::Server;

/// Messages of the inbox.
const MESSAGES: usize = 10_000;
/// Requests of one measurement, one after the other.
const REQUESTS: usize = 200;

/// Measures the group.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let mut server = Server::start(options, &[]).await?;
    fill::prepare(&server)?;
    let inbox_id = fill::fill(&mut server, MESSAGES)?;
    let path = format!("/v0/inboxes/{inbox_id}/messages?limit=10");
    let list = json!({"name": "list_messages", "arguments": {"inboxId": inbox_id, "limit": 10}});
    let mut rows = [
        ReportRow::new("tools/list", "ms", "none", Requirement::Under(5.0)),
        ReportRow::new("list_messages", "ms", "GET of the same list", Requirement::Within(1.5)),
    ];
    let mut api = server.api()?;
    for _ in 0..options.rounds {
        let (mut tools, mut mcp, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..REQUESTS {
            tools.push(timed(|| call(&mut api, "tools/list", &json!({})))?);
            mcp.push(timed(|| call(&mut api, "tools/call", &list))?);
            rest.push(timed(|| api.get(&path))?);
        }
        let [tools, mcp, rest] = [tools, mcp, rest].map(|times| Spread::of(times.into_iter()).median);
        let [tools_row, list_row] = &mut rows;
        tools_row.add(tools, None);
        list_row.add(mcp, rest);
    }
    report::print("calls over MCP, one after the other", &rows);
    server.stop().await
}

/// Returns the time of a request in milliseconds.
fn timed<T>(mut request: impl FnMut() -> Outcome<T>) -> Outcome<f64> {
    let began = Instant::now();
    request()?;
    Ok(ms(began.elapsed()))
}

/// Calls a method, which must succeed.
fn call(api: &mut Http, method: &str, params: &Value) -> Outcome<()> {
    let answer = api.post("/mcp", &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))?;
    let result = answer.get("result").ok_or_else(|| format!("{method}: {answer}"))?;
    if result["isError"] == true { Err(format!("{method}: {answer}").into()) } else { Ok(()) }
}
