mod access;
mod answers;
mod labels;
mod limits;
mod recipients;
mod repeats;
mod retry;
mod signing;
