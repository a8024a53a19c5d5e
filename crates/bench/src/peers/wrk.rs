//! wrk, an HTTP client at maximum rate.

use std::error::Error;
use std::io::Write;
use std::net::SocketAddr;
use std::process::Command;
use std::str::FromStr;

use crate::outcome::Outcome;
use crate::peers::output_of;

/// Duration and number of connections.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) seconds: u32,
}

/// Returns the requests per second over these paths in turn.
pub(crate) fn rate(to: SocketAddr, key: &str, paths: &[String], load: Load) -> Outcome<f64> {
    figure(&run(to, key, paths, load)?, "Requests/sec:")
}

/// Returns the number of successful requests.
pub(crate) fn calls(to: SocketAddr, key: &str, paths: &[String], load: Load) -> Outcome<usize> {
    figure(&run(to, key, paths, load)?, "answered:")
}

fn run(to: SocketAddr, key: &str, paths: &[String], load: Load) -> Outcome<String> {
    let list: Vec<String> = paths.iter().map(|path| format!("\"{path}\"")).collect();
    let mut script = tempfile::Builder::new().suffix(".lua").tempfile()?;
    write!(
        script,
        "local paths = {{{}}}\nlocal number = 0\n\
         request = function() number = number + 1 return wrk.format('GET', paths[number % #paths + 1]) end\n\
         done = function(summary) local e = summary.errors\n\
         if e.status + e.connect + e.read + e.write + e.timeout > 0 then print('failed: ' .. e.status) end\n\
         print('answered: ' .. summary.requests) end\n",
        list.join(",")
    )?;
    let Load { connections, seconds } = load;
    output_of(
        Command::new("wrk")
            .args(["-t", "2", "-c", &connections.to_string(), "-d", &format!("{seconds}s"), "-s"])
            .arg(script.path())
            .args(["-H", &format!("Authorization: Bearer {key}")])
            .arg(format!("http://{to}")),
    )
}

/// Returns the number after a mark, or an error when a request failed.
fn figure<N: FromStr<Err: Error + Send + Sync + 'static>>(found: &str, mark: &str) -> Outcome<N> {
    match found.split_once(mark) {
        Some((_, rest)) if !found.contains("failed:") => {
            Ok(rest.split_whitespace().next().unwrap_or_default().parse()?)
        }
        _ => Err(format!("wrk said {found}").into()),
    }
}
