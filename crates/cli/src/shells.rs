//! Completions and man pages, generated from all commands.

use std::path::Path;

use clap::{ArgMatches, Command};
use clap_complete::Shell;

use crate::failure::CommandFailure;
use crate::output::pager;

/// Prints the completions for a shell.
pub(crate) fn completions(mut root: Command, matches: &ArgMatches) -> Result<(), CommandFailure> {
    let shell = match matches.get_one::<String>("shell").map(String::as_str) {
        Some("zsh") => Shell::Zsh,
        Some("fish") => Shell::Fish,
        _ => Shell::Bash,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut root, "inboxd", &mut script);
    pager::write_bytes(&script)
}

/// Prints the man page, or writes those of all commands to a folder.
pub(crate) fn man(root: Command, matches: &ArgMatches) -> Result<(), CommandFailure> {
    if let Some(folder) = matches.get_one::<String>("folder") {
        let folder = Path::new(folder);
        let failed = |error| CommandFailure::local(format!("{}: {error}", folder.display()));
        std::fs::create_dir_all(folder).map_err(failed)?;
        return clap_mangen::generate_to(root, folder).map_err(failed);
    }
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(root).render(&mut page);
    rendered.map_err(|error| CommandFailure::local(format!("the man page cannot be rendered: {error}")))?;
    pager::write_bytes(&page)
}
