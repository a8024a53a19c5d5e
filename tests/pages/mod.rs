//! Pages of every list: no row comes twice and none is skipped, whatever comes and goes between two pages.
//!
//! ```text
//! table.rs       every list that has pages; a test compares it with the document
//! kind.rs        what a list is of: how a row is made and removed, and where it is stored
//! stage.rs       an organization with what the paths of lists name
//! walk.rs        the test that walks the table
//! moving.rs      rows that move to another place of their list while it is read
//! ```

mod kind;
mod moving;
mod stage;
mod table;
mod walk;

pub(crate) use stage::{Stage, within};
