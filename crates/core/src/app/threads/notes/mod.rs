//! Notes: written beside a thread, and taken away.

mod add;
mod delete;

pub use add::add;
pub use delete::delete;
