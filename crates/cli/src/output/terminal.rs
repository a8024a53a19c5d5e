//! The terminal that the output goes to.

use std::io::IsTerminal;

/// Standard output: its width and whether it shows colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terminal {
    /// Columns and rows; `None` where standard output is no terminal.
    size: Option<(usize, usize)>,
    has_colors: bool,
}

impl Terminal {
    /// Returns the terminal of standard output.
    pub(crate) fn detect() -> Self {
        let output = std::io::stdout();
        if !output.is_terminal() {
            return Self::none();
        }
        let size = rustix::termios::tcgetwinsize(&output).ok().filter(|size| size.ws_col > 0);
        let size = size.map_or((80, 24), |size| (usize::from(size.ws_col), usize::from(size.ws_row)));
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_none_or(|name| name == "dumb");
        Self { size: Some(size), has_colors: !is_set("NO_COLOR") && !is_dumb }
    }

    /// Returns an output that is no terminal.
    pub(crate) fn none() -> Self {
        Self { size: None, has_colors: false }
    }

    /// Returns whether standard output is a terminal.
    pub(crate) fn is_terminal(self) -> bool {
        self.size.is_some()
    }

    /// Returns the number of columns; `None` where output is not fitted.
    pub(crate) fn columns(self) -> Option<usize> {
        self.size.map(|(columns, _)| columns)
    }

    /// Returns the number of rows.
    pub(crate) fn rows(self) -> usize {
        self.size.map_or(usize::MAX, |(_, rows)| rows)
    }

    /// Returns a text in bold.
    pub(crate) fn bold(self, text: &str) -> String {
        if self.has_colors { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Returns a text in grey.
    pub(crate) fn dim(self, text: &str) -> String {
        if self.has_colors { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
impl Terminal {
    /// Returns a terminal of this width with colours.
    pub(crate) fn colored(columns: usize) -> Self {
        Self { size: Some((columns, 24)), has_colors: true }
    }
}
