//! Table of all settings: names, defaults, permitted values and descriptions.

mod blobs;
mod limits;
mod setting;

pub(crate) use setting::{Accepted, Setting};

use blobs::BLOBS;
use limits::{ACCOUNTS, RATES, RETENTION, TENANT_ROWS};

/// Settings of one subject.
pub(crate) struct Group {
    /// Subject.
    pub(crate) title: &'static str,
    /// Settings, the most important ones first.
    pub(crate) settings: &'static [Setting],
}

/// Returns all settings.
pub(crate) fn all() -> impl Iterator<Item = &'static Setting> {
    GROUPS.iter().flat_map(|group| group.settings)
}

/// Returns the setting of a name.
pub(crate) fn find(name: &str) -> Option<&'static Setting> {
    all().find(|setting| setting.name == name)
}

/// Maximum number of rows, because a count of more is slow.
const ROWS: (u64, u64) = (1, 1_000_000);
/// Requests or mails of a period; 0 disables the limit.
const RATE: (u64, u64) = (0, 1_000_000);
/// Retention of one day to ten years.
const DAYS: (u64, u64) = (1, 3650);
const DOMAIN: &str = "a domain name such as mail.example.org, in its ASCII form";
const PEM: &str = "the path of a PEM file";

/// All settings.
pub(crate) const GROUPS: &[Group] = &[
    Group {
        title: "Addresses and names",
        settings: &[
            Setting::text(
                "INBOXD_DOMAIN",
                "inboxd.localhost",
                DOMAIN,
                "Domain of the inboxes of verified organizations, and name of the SMTP server.",
            ),
            Setting::optional(
                "INBOXD_SIGNUP_DOMAIN",
                "`signup.` and the domain",
                DOMAIN,
                "Domain of the first inbox of a sign-up.",
            ),
            Setting::optional(
                "INBOXD_BASE_URL",
                "`http://` and the address; with a TLS listener `https://` and `INBOXD_DOMAIN`",
                "a URL such as https://mail.example.org, without a query",
                "URL of the API for clients: in links, error references and download URLs.",
            ),
            Setting::text(
                "INBOXD_HTTP_ADDR",
                "127.0.0.1:8080",
                "one or more of an address and port such as 127.0.0.1:8080, each with ?tls=on if it speaks TLS, with \
                 ?proxy=required if proxies send the PROXY protocol, or with ?tls=on&proxy=required",
                "Addresses of the API and its documentation, separated by commas. Port 0 takes any free port.",
            ),
            Setting::text(
                "INBOXD_SMTP_ADDR",
                "127.0.0.1:2525",
                "one or more of an address and port such as 0.0.0.0:25, each with ?tls=required if it must refuse mail \
                 without TLS, with ?proxy=required if proxies send the PROXY protocol, or with \
                 ?tls=required&proxy=required",
                "Addresses that receive mail, separated by commas.",
            ),
            Setting::optional(
                "INBOXD_SMTP_TLS_CERT",
                "none: the certificate of HTTPS, or a self-signed one",
                PEM,
                "Certificate chain for STARTTLS, if it is another one than that of HTTPS; read again when it changes.",
            ),
            Setting::optional("INBOXD_SMTP_TLS_KEY", "none", PEM, "Private key of the certificate."),
            Setting::optional(
                "INBOXD_POSTMASTER",
                "none: such mail is held, see `inboxd admin postmaster`",
                "an address such as operator@mail.example.org",
                "Recipient of mail to postmaster@ and abuse@ (RFC 5321, section 4.5.1).",
            ),
            Setting::optional(
                "INBOXD_OPERATOR_EMAILS",
                "none",
                "a list of addresses such as ada@example.org,max@example.org",
                "Persons who see the pages of the operator in the console.",
            ),
            Setting::text(
                "INBOXD_SIGNUP",
                "open",
                "open, invite or closed",
                "Sign-ups: open to all, with an invitation of `inboxd admin invite`, or closed.",
            )
            .reloaded(),
            Setting::switch(
                "INBOXD_OAUTH_REGISTRATION",
                "on",
                "Whether OAuth clients may register themselves. OAuth needs an INBOXD_BASE_URL without a path.",
            ),
        ],
    },
    Group {
        title: "TLS",
        settings: &[
            Setting::optional(
                "INBOXD_TLS_CERT",
                "none: ACME or self-signed",
                PEM,
                "Certificate chain of HTTPS and SMTP; read again when it changes.",
            ),
            Setting::optional("INBOXD_TLS_KEY", "none", PEM, "Private key of that certificate."),
            Setting::number(
                "INBOXD_TLS_HANDSHAKES",
                "1024",
                (4, 1_000_000),
                "TLS handshakes in progress at the HTTPS listeners.",
            ),
            Setting::optional(
                "INBOXD_HTTP_REDIRECT_ADDR",
                "none",
                "an address and port such as 0.0.0.0:80, with ?proxy=required if proxies send the PROXY protocol",
                "Address that redirects plain HTTP to INBOXD_BASE_URL and responds to ACME challenges.",
            ),
            Setting::switch(
                "INBOXD_ACME",
                "off",
                "Whether the certificate of HTTPS and SMTP is ordered and renewed by ACME.",
            ),
            Setting::optional(
                "INBOXD_ACME_EMAIL",
                "none",
                "an address such as operator@mail.example.org",
                "Address for notices of the authority.",
            ),
            Setting::text(
                "INBOXD_ACME_DIRECTORY",
                "https://acme-v02.api.letsencrypt.org/directory",
                "the URL of an ACME directory such as https://acme-v02.api.letsencrypt.org/directory",
                "Directory of the ACME server; by default that of Let's Encrypt.",
            ),
            Setting::optional(
                "INBOXD_ACME_NAMES",
                "the public names among `INBOXD_DOMAIN`, the host of `INBOXD_BASE_URL` and the hosts of `INBOXD_MTA_STS`",
                "1 to 100 host names such as mail.example.org,api.example.org, without wildcards",
                "Names of the certificate, separated by commas.",
            ),
            Setting::optional(
                "INBOXD_ACME_CA",
                "none: the public authorities",
                PEM,
                "Authorities that HTTPS to the ACME server trusts in their place.",
            ),
            Setting::text(
                "INBOXD_MTA_STS",
                "none",
                "none, testing or enforce",
                "MTA-STS policy of the service domains (RFC 8461).",
            ),
        ],
    },
    Group {
        title: "Proxies and metrics",
        settings: &[
            Setting::optional(
                "INBOXD_TRUSTED_PROXIES",
                "none",
                "a list of the networks of your proxies alone such as 10.0.0.0/8,::1, with less than a quarter of the \
                 internet: every client in them can choose its address",
                "Proxies in front of the service, whose headers name the client.",
            )
            .reloaded(),
            Setting::text(
                "INBOXD_METRICS_ADDR",
                "127.0.0.1:9464",
                "an address and port such as 127.0.0.1:9464, or off",
                "Address of the metrics, without a key.",
            ),
        ],
    },
    Group {
        title: "Process and storage",
        settings: &[
            Setting::text(
                "INBOXD_ROLES",
                "http,smtp,worker",
                "one or more of http, smtp and worker",
                "Roles of this process. Any number of processes share one database.",
            ),
            Setting::optional(
                "INBOXD_USER",
                "none: the account that starts inboxd",
                "the name of an account other than root and nobody, such as inboxd",
                "Account that `inboxd serve` changes to when root starts it, after it has opened its ports.",
            ),
            Setting::text(
                "INBOXD_DATA_DIR",
                "./data",
                "the path of a folder",
                "Folder of the embedded database, the secret key and the journals of workers.",
            ),
            Setting::optional(
                "INBOXD_SECRET_KEY",
                "created once, in the data directory",
                "64 hex digits, as `openssl rand -hex 32` prints",
                "Key that encrypts secrets at rest and signs links. All processes need the same.",
            )
            .secret(),
            Setting::optional(
                "INBOXD_DATABASE_URL",
                "none: an embedded PostgreSQL",
                "a URL such as postgres://user:password@host/database",
                "PostgreSQL database.",
            )
            .secret(),
            Setting::optional(
                "INBOXD_DATABASE_READ_URL",
                "none",
                "a URL such as postgres://user:password@standby,other/database",
                "Standbys that serve reads of clients that accept stale data.",
            )
            .secret(),
            Setting::number(
                "INBOXD_DATABASE_READ_MAX_LAG",
                "10",
                (1, 3600),
                "Maximum staleness of a read from a standby, in seconds.",
            ),
            Setting::number(
                "INBOXD_DATABASE_CONNECTIONS",
                "80",
                (24, 10_000),
                "Maximum connections of this process to the database.",
            ),
            Setting::number(
                "INBOXD_DATABASE_TIMEOUT_SECONDS",
                "30",
                (1, 600),
                "Maximum time of a statement. A database that is silent for a quarter longer counts as gone.",
            ),
            Setting::number(
                "INBOXD_MIGRATION_LOCK_TIMEOUT_SECONDS",
                "10",
                (1, 3600),
                "Time for which a migration waits for a table in use.",
            ),
            Setting::number(
                "INBOXD_MIN_FREE_BYTES",
                "268435456",
                (0, u64::MAX / 2),
                "Free disk space of the data directory below which growing requests are refused; 0 disables it.",
            ),
            Setting::text(
                "INBOXD_LOG_FILTER",
                "info",
                "a log filter such as debug or inboxd_smtp=debug,info",
                "Events of the log. RUST_LOG takes precedence.",
            )
            .reloaded(),
        ],
    },
    Group { title: "Stores of large contents", settings: BLOBS },
    Group {
        title: "Outgoing mail and requests",
        settings: &[
            Setting::text(
                "INBOXD_DELIVERY",
                "capture",
                "capture, relay or direct",
                "Route of outgoing mail: none, a relay, or the servers of the recipients.",
            ),
            Setting::optional(
                "INBOXD_RELAY_URL",
                "none",
                "smtp://[user:password@]host:port or smtps://[user:password@]host:port",
                "Relay for INBOXD_DELIVERY=relay.",
            )
            .secret(),
            Setting::number(
                "INBOXD_DIRECT_PORT",
                "25",
                (1, 65_535),
                "Port of the recipients' servers with INBOXD_DELIVERY=direct; another port only in a test network.",
            ),
            Setting::optional(
                "INBOXD_DIRECT_TLS",
                "TLS where it is offered, for all destinations",
                "a list such as example.org=verify,*.bank.example=encrypt,*=opportunistic with the levels may, \
                 opportunistic, encrypt, verify and dane-only",
                "TLS that destinations need with INBOXD_DELIVERY=direct; mail waits until their servers offer it.",
            ),
            Setting::switch(
                "INBOXD_DANE",
                "on",
                "Whether TLSA records authenticate the servers of recipients (RFC 7672), if the resolver passes DNSSEC \
                 records.",
            ),
            Setting::optional(
                "INBOXD_DNSSEC_TRUST_ANCHOR",
                "the keys of the public root zone",
                "the path of a file of DNSKEY records",
                "Keys of the root zone by which DNSSEC is validated; only for a private root.",
            ),
            Setting::optional(
                "INBOXD_DNS_ADDR",
                "the resolvers of the system",
                "the address of a resolver such as 127.0.0.1 or 127.0.0.1:53",
                "Resolver of records of domains, of SPF, DKIM, DMARC and ARC, and of the servers of recipients.",
            ),
            Setting::optional(
                "INBOXD_OUTBOUND_ALLOW_CIDRS",
                "none",
                "a list of networks such as 10.0.0.0/8,fd00::/8",
                "Private networks that attachment URLs, webhooks and direct delivery may reach.",
            ),
            Setting::optional(
                "INBOXD_OUTBOUND_CA_FILE",
                "none",
                PEM,
                "Certificate authorities that outgoing HTTPS requests trust beside the public ones.",
            ),
        ],
    },
    Group {
        title: "Spam filter and scanner",
        settings: &[
            Setting::optional(
                "INBOXD_SPAM_URL",
                "none: the built-in checks",
                "the HTTP address of rspamd such as http://127.0.0.1:11333",
                "Address of rspamd, which then classifies spam.",
            ),
            Setting::optional(
                "INBOXD_SCANNER_URL",
                "none",
                "the URL of a scanner such as http://127.0.0.1:9000/scan, without a user name or password",
                "External scanner, which gets the content of each received message and responds with findings.",
            ),
            Setting::optional(
                "INBOXD_SCANNER_TOKEN",
                "none",
                "a token of 8 to 500 characters without spaces",
                "Token that the scanner gets as `Authorization: Bearer`.",
            )
            .secret(),
            Setting::number(
                "INBOXD_SCANNER_TIMEOUT_MS",
                "1000",
                (10, 10_000),
                "Maximum time in milliseconds that a message waits for the scanner.",
            ),
        ],
    },
    Group {
        title: "Payments by Stripe: all of key, webhook secret and prices, or none",
        settings: &[
            Setting::optional(
                "INBOXD_STRIPE_SECRET_KEY",
                "none: no payments",
                "a key such as sk_live_… or rk_live_…",
                "Key of a Stripe account that may write checkout and portal sessions.",
            )
            .secret(),
            Setting::optional(
                "INBOXD_STRIPE_WEBHOOK_SECRET",
                "none",
                "the signing secret of the endpoint, whsec_…",
                "Secret with which Stripe signs the events of /v0/billing/webhook.",
            )
            .secret(),
            Setting::optional(
                "INBOXD_STRIPE_PRICES",
                "none",
                "prices of plans such as startup=price_1,business=price_2",
                "Prices of plans.",
            ),
            Setting::text(
                "INBOXD_STRIPE_API_URL",
                "https://api.stripe.com",
                "the address of Stripe such as https://api.stripe.com",
                "Address of Stripe; http:// on this machine only.",
            ),
        ],
    },
    Group { title: "Connections, sizes and rates", settings: RATES },
    Group { title: "Limits of accounts and mail to strangers", settings: ACCOUNTS },
    Group { title: "Rows of a tenant", settings: TENANT_ROWS },
    Group { title: "Safety and retention", settings: RETENTION },
];
