mod bounds;
mod clients;
mod documents;
mod redirects;
mod scopes;
mod tokens;
