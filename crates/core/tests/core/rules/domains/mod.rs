mod answers;
mod inbox_domain_policy;
mod rotation;
mod status;
mod zone;
