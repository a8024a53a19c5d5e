mod access;
mod labels;
mod limits;
mod lists;
mod recipients;
mod repeats;
mod retry;
mod signing;
