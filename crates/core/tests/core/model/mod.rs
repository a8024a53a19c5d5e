mod draft;
mod ids;
mod label;
mod page;
mod thread;
mod trace;
mod trace_context;
mod words;
