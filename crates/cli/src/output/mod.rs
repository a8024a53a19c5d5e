//! Output: tables and details for people, JSON for programs.

pub(crate) mod clock;
pub(crate) mod columns;
pub(crate) mod detail;
pub(crate) mod pager;
pub(crate) mod presenter;
pub(crate) mod progress;
pub(crate) mod table;
pub(crate) mod terminal;
pub(crate) mod text;

pub(crate) use presenter::Presenter;
pub(crate) use terminal::Terminal;
