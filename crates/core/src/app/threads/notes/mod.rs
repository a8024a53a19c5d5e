//! Use cases of notes on a thread.

mod add;
mod delete;

pub use add::{NewNote, add, problems_of_new};
pub use delete::delete;
