//! `Authentication-Results` fields (RFC 8601).

use std::borrow::Cow;

use super::fields::{block, fields};

/// Removes the `Authentication-Results` fields that claim to come from `host`.
///
/// A field with this name in a received message is forged (RFC 8601, section 5). Results of other hosts remain.
#[must_use]
pub fn remove_auth_results<'a>(host: &str, raw: &'a [u8]) -> Cow<'a, [u8]> {
    let header = raw.get(..block(raw, 0, |_| false).end).unwrap_or_default();
    let forged: Vec<_> = fields(header)
        .filter(|field| field.is("Authentication-Results") && is_of(host, field.value))
        .map(|field| (field.start, field.end))
        .collect();
    if forged.is_empty() {
        return Cow::Borrowed(raw);
    }
    let mut remaining = Vec::with_capacity(raw.len());
    let mut at = 0;
    for (start, end) in forged {
        remaining.extend_from_slice(raw.get(at..start).unwrap_or_default());
        at = end;
    }
    remaining.extend_from_slice(raw.get(at..).unwrap_or_default());
    Cow::Owned(remaining)
}

/// Returns true if the value names this host as its author. A version may follow the name; comments and folds may
/// surround it.
fn is_of(host: &str, value: &[u8]) -> bool {
    let id = authserv_id(value);
    let name = id.strip_suffix(b".").unwrap_or(&id);
    name.eq_ignore_ascii_case(host.trim_end_matches('.').as_bytes())
}

/// Returns the first word, quoted or not, after comments and white space.
fn authserv_id(value: &[u8]) -> Vec<u8> {
    let mut bytes = value.iter().copied();
    let mut id = Vec::new();
    let mut depth = 0_usize;
    let mut is_quoted = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if depth > 0 || is_quoted => {
                let escaped = bytes.next();
                id.extend(escaped.filter(|_| depth == 0));
            }
            b'"' if depth == 0 => is_quoted = !is_quoted,
            _ if is_quoted => id.push(byte),
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            b' ' | b'\t' | b'\r' | b'\n' if id.is_empty() => {}
            b' ' | b'\t' | b'\r' | b'\n' | b';' => break,
            _ => id.push(byte),
        }
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remaining(header: &str) -> String {
        let raw = format!("From: a@b\r\n{header}Subject: s\r\n\r\nAuthentication-Results: mx.test; body\r\n");
        let remaining = remove_auth_results("mx.test", raw.as_bytes()).into_owned();
        let remaining = String::from_utf8_lossy(&remaining).into_owned();
        let rest = "Subject: s\r\n\r\nAuthentication-Results: mx.test; body\r\n";
        assert!(remaining.starts_with("From: a@b\r\n") && remaining.ends_with(rest), "{remaining}");
        remaining["From: a@b\r\n".len()..remaining.len() - rest.len()].to_owned()
    }

    #[test]
    fn results_of_own_host_are_removed() {
        for forged in [
            "Authentication-Results: mx.test; spf=pass\r\n",
            "authentication-results:MX.Test;spf=pass\r\n",
            "Authentication-Results : mx.test 1; spf=pass\r\n",
            "Authentication-Results:\r\n mx.test\r\n ; spf=pass\r\n",
            "Authentication-Results: (a (nested) comment \\) ) mx.test; spf=pass\r\n",
            "Authentication-Results: mx(split).test; spf=pass\r\n",
            "Authentication-Results: \"mx.test\"; spf=pass\r\n",
            "Authentication-Results: \"mx\\.test\"; spf=pass\r\n",
            "Authentication-Results: mx.test.; spf=pass\r\n",
            "Authentication-Results: mx.test\r\n",
            "Authentication-Results: mx.test; a\r\nAuthentication-Results: mx.test; b\r\n",
        ] {
            assert_eq!(remaining(forged), "", "{forged}");
        }
    }

    #[test]
    fn results_of_other_hosts_remain() {
        for other in [
            "Authentication-Results: mx.example.org; spf=pass\r\n",
            "Authentication-Results: mx.test.example.org; spf=pass\r\n",
            "Authentication-Results: notmx.test; spf=pass\r\n",
            "Authentication-Results: (mx.test) example.org; spf=pass\r\n",
            "Authentication-Results:\r\n",
            "Authentication-Results: \"unclosed mx.test\r\n",
            "ARC-Authentication-Results: i=1; mx.test; spf=pass\r\n",
            "X-Authentication-Results: mx.test; spf=pass\r\n",
        ] {
            assert_eq!(remaining(other), other);
        }
    }

    #[test]
    fn message_without_forged_results_is_not_copied() {
        assert!(matches!(remove_auth_results("mx.test", b"From: a@b\r\n\r\nbody"), Cow::Borrowed(_)));
        assert!(matches!(remove_auth_results("mx.test", b""), Cow::Borrowed(_)));
    }
}
