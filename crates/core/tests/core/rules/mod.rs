mod access;
mod labels;
mod limits;
mod recipients;
mod repeats;
mod retry;
mod signing;
