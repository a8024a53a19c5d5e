//! Pages of every list: no row is repeated or skipped in spite of changes between two pages.
//!
//! ```text
//! table.rs       all lists with pages; a test compares it with the document
//! kind.rs        kinds of rows: creation, removal and tables
//! stage.rs       an organization with the resources that list paths name
//! walk.rs        the test that reads all lists of the table
//! moving.rs      rows that change their position during the read
//! ```

mod kind;
mod moving;
mod stage;
mod table;
mod walk;

pub(crate) use stage::{Stage, item_path};
