//! Settings of the stores of large contents.

use super::Setting;

const URL: &str = "a URL such as https://s3.example.org, without a path";
const WORD: &str = "a text of 1 to 4096 characters without spaces";

/// Place, limits and access key of the stores.
pub(super) const BLOBS: &[Setting] = &[
    Setting::text(
        "INBOXD_BLOBS",
        "postgres",
        "postgres, a folder such as file:///srv/inboxd or a bucket such as s3://mail/inboxd",
        "Store of the contents of large messages, attachments and files; postgres is the rows of the database.",
    ),
    Setting::number(
        "INBOXD_BLOB_THRESHOLD",
        "65536",
        (0, 1_073_741_824),
        "Bytes above which a content goes to the folder or bucket; smaller ones stay in their rows.",
    ),
    Setting::optional(
        "INBOXD_BLOBS_FROM",
        "none",
        "a folder such as file:///srv/inboxd or a bucket such as s3://mail/inboxd",
        "Store of another kind that is still read, until `inboxd admin blobs move` has moved its contents.",
    ),
    Setting::number(
        "INBOXD_BLOB_CONNECTIONS",
        "32",
        (2, 10_000),
        "Maximum concurrent requests to the store, half of them reads.",
    ),
    Setting::text(
        "INBOXD_BLOB_TIMEOUT",
        "10s",
        "a number of seconds from 1 to 120 such as 10s",
        "Maximum time of a request to the store, and a second more for each megabyte.",
    ),
    Setting::optional("AWS_ENDPOINT_URL_S3", "that of AWS", URL, "Server of the bucket."),
    Setting::optional("AWS_ENDPOINT_URL", "none", URL, "Server of the bucket, if AWS_ENDPOINT_URL_S3 is not set."),
    Setting::text("AWS_REGION", "us-east-1", "the name of a region", "Region of the bucket; many servers ignore it."),
    Setting::optional("AWS_ACCESS_KEY_ID", "none", WORD, "Id of the access key of the bucket.").secret(),
    Setting::optional("AWS_SECRET_ACCESS_KEY", "none", WORD, "Secret of that access key.").secret(),
    Setting::optional("AWS_SESSION_TOKEN", "none", WORD, "Token of a temporary access key.").secret(),
    Setting::text(
        "AWS_ALLOW_HTTP",
        "false",
        "true or false",
        "Whether the server of the bucket may be reached without TLS. Contents are encrypted either way.",
    ),
    Setting::text(
        "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
        "false",
        "true or false",
        "Whether the endpoint is that of the bucket, whose name is then not in the path.",
    ),
];
