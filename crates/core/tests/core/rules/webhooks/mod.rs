mod headers;
mod subscription;
mod truncation;
