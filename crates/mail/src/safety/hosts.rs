//! Registered domains of hosts, and hosts with letters outside ASCII.

use idna::uts46::{AsciiDenyList, Hyphens, Uts46};

/// Second-level labels below which registries of countries register names: `example.co.uk`.
const SECOND_LEVEL: &[&str] = &["ac", "co", "com", "edu", "go", "gov", "gob", "ne", "net", "or", "org"];
/// Common top-level domains of more than two letters, without those that are often names of persons or files.
const TOP_LEVELS: &[&str] = &[
    "academy",
    "africa",
    "agency",
    "amsterdam",
    "app",
    "asia",
    "auto",
    "autos",
    "bank",
    "bayern",
    "beauty",
    "berlin",
    "biz",
    "blog",
    "bond",
    "business",
    "buzz",
    "cafe",
    "capital",
    "care",
    "cat",
    "center",
    "cfd",
    "click",
    "cloud",
    "club",
    "coach",
    "com",
    "community",
    "company",
    "consulting",
    "credit",
    "cyou",
    "design",
    "dev",
    "digital",
    "direct",
    "edu",
    "education",
    "email",
    "energy",
    "events",
    "example",
    "exchange",
    "expert",
    "finance",
    "financial",
    "fit",
    "foundation",
    "fun",
    "fund",
    "global",
    "gmbh",
    "gov",
    "group",
    "hamburg",
    "health",
    "help",
    "host",
    "hosting",
    "hotel",
    "icu",
    "immo",
    "info",
    "ink",
    "institute",
    "insurance",
    "int",
    "international",
    "jobs",
    "koeln",
    "legal",
    "life",
    "link",
    "live",
    "loan",
    "loans",
    "lol",
    "london",
    "ltd",
    "market",
    "marketing",
    "media",
    "mil",
    "mobi",
    "money",
    "monster",
    "museum",
    "name",
    "net",
    "network",
    "news",
    "ngo",
    "nrw",
    "nyc",
    "one",
    "online",
    "org",
    "paris",
    "partners",
    "pay",
    "photos",
    "plus",
    "press",
    "pro",
    "properties",
    "pub",
    "quest",
    "reisen",
    "rent",
    "report",
    "rest",
    "restaurant",
    "review",
    "run",
    "sale",
    "sbs",
    "school",
    "services",
    "shop",
    "site",
    "skin",
    "social",
    "software",
    "solutions",
    "space",
    "store",
    "studio",
    "support",
    "swiss",
    "systems",
    "tax",
    "team",
    "tech",
    "technology",
    "test",
    "tips",
    "today",
    "tokyo",
    "tools",
    "top",
    "tours",
    "trade",
    "training",
    "travel",
    "university",
    "versicherung",
    "vip",
    "website",
    "wien",
    "wiki",
    "work",
    "works",
    "world",
    "xyz",
    "zone",
    "рф",
];
/// Extensions of files that are top-level domains of two letters, or look like such.
const TWO_LETTER_FILES: &[&str] = &[
    "cs", "db", "ex", "go", "gz", "hh", "hs", "jl", "js", "kt", "md", "pm", "ps", "py", "rb", "rs", "sh", "tf", "ts",
    "vb", "xz",
];

/// Returns the registered domain of a host: its last two labels, or three below `co.uk` and the like.
///
/// This approximates the list of public suffixes. The error is on the lenient side: hosts of two owners below one
/// suffix may count as one.
#[must_use]
pub fn base_domain(host: &str) -> &str {
    let host = host.trim_end_matches('.');
    let mut labels = host.rsplit('.');
    let top = labels.next().unwrap_or_default();
    let is_shared = top.len() == 2 && labels.next().is_some_and(|label| SECOND_LEVEL.contains(&label));
    let dot = host.rmatch_indices('.').nth(if is_shared { 2 } else { 1 });
    dot.and_then(|(at, _)| host.get(at + 1..)).unwrap_or(host)
}

/// Returns whether the last label of a host is a common top-level domain. Names of persons ("anna.weber") and files
/// ("main.go") have dots too.
pub(super) fn has_common_top_level(host: &str) -> bool {
    let top = host.rsplit('.').next().unwrap_or_default();
    let is_country = top.len() == 2 && top.bytes().all(|b| b.is_ascii_lowercase());
    is_country && !TWO_LETTER_FILES.contains(&top) || TOP_LEVELS.contains(&top)
}

/// Returns a host in lower case with internationalized labels as letters (RFC 5890). An invalid host stays.
#[must_use]
pub fn unicode_host(host: &str) -> String {
    if !host.contains("xn--") {
        return host.to_owned();
    }
    let (decoded, result) = Uts46::new().to_unicode(host.as_bytes(), AsciiDenyList::URL, Hyphens::Allow);
    if result.is_ok() { decoded.into_owned() } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internationalized_hosts_are_decoded() {
        for (host, decoded) in [
            ("www.xn--mller-kva.example", "www.müller.example"),
            ("xn--e1afmkfd.xn--p1ai", "пример.рф"),
            ("xn--fiqs8s", "中国"),
            ("bank.example", "bank.example"),
            ("xn--bank-.example", "xn--bank-.example"),
            ("xn--a!.example", "xn--a!.example"),
            ("xn--99999999.example", "xn--99999999.example"),
            ("", ""),
        ] {
            assert_eq!(unicode_host(host), decoded, "{host}");
        }
        let long = format!("xn--{}", "a".repeat(1000));
        assert_eq!(unicode_host(&long), long);
    }
}
