mod draft;
mod ids;
mod label;
mod page;
mod thread;
mod words;
