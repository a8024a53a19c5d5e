//! Commands of `inboxd config`.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use crate::config::{check, example, show};
use crate::failure::{ErrorContext, Failure};

/// Command about the settings.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print a configuration file with every setting, its description and its default.
    Example,
    /// Check all settings without a start. The exit code is 1 if one stops a start.
    Check,
    /// Print the effective values and where they come from; secrets as `(set)`.
    Show {
        /// Print only the settings that differ from the default.
        #[arg(long)]
        changed: bool,
        /// Print JSON: one line per setting.
        #[arg(long)]
        json: bool,
    },
}

/// Runs a command.
pub(crate) fn run(command: &ConfigCommand, file: Option<&Path>) -> Result<ExitCode, Failure> {
    match command {
        ConfigCommand::Example => print(&example::text()).map(|()| ExitCode::SUCCESS),
        ConfigCommand::Check => check(file),
        ConfigCommand::Show { changed, json } => show(file, *changed, *json).map(|()| ExitCode::SUCCESS),
    }
}

fn check(file: Option<&Path>) -> Result<ExitCode, Failure> {
    let findings = check::check(file);
    let errors = findings.errors.iter().map(|line| format!("error    {line}\n"));
    let warnings = findings.warnings.iter().map(|line| format!("warning  {line}\n"));
    let lines: String = errors.chain(warnings).collect();
    if findings.errors.is_empty() {
        print(&format!("{lines}ok       the settings permit a start; `inboxd doctor` checks their surroundings\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&lines)?;
    Ok(ExitCode::FAILURE)
}

fn show(file: Option<&Path>, is_changed_only: bool, is_json: bool) -> Result<(), Failure> {
    let settings = show::show(file, is_changed_only)?;
    let width = settings.iter().map(show::ShownSetting::name_len).max().unwrap_or_default();
    for setting in &settings {
        let line = if is_json { serde_json::to_string(setting).context("a setting")? } else { setting.line(width) };
        print(&format!("{line}\n"))?;
    }
    Ok(())
}

/// Writes to standard output. A reader that stops early, such as `head`, is an error like that of other programs.
fn print(text: &str) -> Result<(), Failure> {
    std::io::stdout().write_all(text.as_bytes()).context("cannot write to standard output")
}
