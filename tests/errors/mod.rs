//! Every refusal, whatever was wrong, has one shape.

mod bodies;
mod envelope;
mod order;
mod reference;
mod routes;
