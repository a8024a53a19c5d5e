//! Notes: written beside a thread, and taken away.

mod add;
mod delete;

pub use add::{NewNote, add, problems_of_new};
pub use delete::delete;
