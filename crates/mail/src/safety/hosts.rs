//! Registered domains of hosts, and hosts with letters outside ASCII.

/// Second-level labels below which registries of countries register names: `example.co.uk`.
const SECOND_LEVEL: &[&str] = &["ac", "co", "com", "edu", "go", "gov", "gob", "ne", "net", "or", "org"];
/// Maximum length in bytes of a label (RFC 1035, section 2.3.4).
const MAX_LABEL_BYTES: usize = 63;
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

/// Returns a host in lower case with internationalized labels as letters. Labels that cannot be decoded stay.
pub(super) fn unicode_host(host: &str) -> String {
    let labels = host.split('.').map(|label| {
        let encoded = label.strip_prefix("xn--").filter(|encoded| encoded.len() <= MAX_LABEL_BYTES);
        // Encoded ASCII is invalid (RFC 5891, section 5.4), and no second spelling of it.
        let decoded = encoded.and_then(decode_punycode).filter(|decoded| !decoded.is_ascii());
        decoded.unwrap_or_else(|| label.to_owned())
    });
    labels.collect::<Vec<_>>().join(".")
}

/// Decodes a label without its prefix (RFC 3492, section 6.2).
fn decode_punycode(encoded: &str) -> Option<String> {
    let (basic, digits) = encoded.rsplit_once('-').unwrap_or(("", encoded));
    let mut letters: Vec<char> = basic.chars().collect();
    let mut digits = digits.bytes().peekable();
    let (mut code, mut index, mut bias) = (128_u32, 0_u32, 72_u32);
    while digits.peek().is_some() {
        let (before, mut weight, mut position) = (index, 1_u32, 36_u32);
        loop {
            let digit = u32::from(match digits.next()? {
                letter @ b'a'..=b'z' => letter - b'a',
                number @ b'0'..=b'9' => number - b'0' + 26,
                _ => return None,
            });
            index = index.checked_add(digit.checked_mul(weight)?)?;
            let threshold = position.saturating_sub(bias).clamp(1, 26);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(36 - threshold)?;
            position += 36;
        }
        let count = u32::try_from(letters.len()).ok()? + 1;
        bias = adapt_bias(index - before, count, before == 0);
        code = code.checked_add(index / count)?;
        index %= count;
        letters.insert(usize::try_from(index).ok()?, char::from_u32(code)?);
        index += 1;
    }
    Some(letters.into_iter().collect())
}

/// Returns the bias for the next letter (RFC 3492, section 6.1).
fn adapt_bias(delta: u32, count: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / 700 } else { delta / 2 };
    delta += delta / count;
    let mut bias = 0;
    while delta > 455 {
        delta /= 35;
        bias += 36;
    }
    bias + 36 * delta / (delta + 38)
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
