//! Text of attachments, read in a child process with limits on memory, time and system calls.
//!
//! The parent starts its own program again, sends the document through a pipe and reads the text. A document that
//! exhausts a limit ends the child alone.

mod child;
mod limits;
mod message;
mod process;

pub use child::run_child;
pub use limits::limit_process;
pub use process::{CHILD_COMMAND, TextProcess};
