//! Samples of a text with metrics.

use std::collections::BTreeSet;

/// Returns the names of metrics, without the suffixes of histogram samples.
pub(super) fn metric_names(text: &str) -> BTreeSet<String> {
    let typed = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    typed
        .filter(|(name, kind)| {
            let begins = if *kind == "histogram" { format!("{name}_count") } else { (*name).to_owned() };
            text.lines().any(|line| line.starts_with(&begins))
        })
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Returns the sum of the samples of a name whose labels contain all of these texts.
pub(crate) fn sum(text: &str, name: &str, labels: &[&str]) -> f64 {
    let samples = text.lines().filter(|line| {
        let rest = line.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['{', ' '])) && labels.iter().all(|label| line.contains(label))
    });
    samples.map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap()).sum()
}

/// Returns the series of a text: its samples without values.
pub(super) fn series(text: &str) -> BTreeSet<String> {
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    samples.map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
}

/// Returns the names of metrics that a text mentions, without the suffixes of histogram samples.
pub(super) fn mentioned(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let ours = words.filter(|word| word.starts_with("inboxd_") || word.starts_with("process_"));
    let base = |word: &str| {
        let histogram = ["_bucket", "_count", "_sum"].into_iter().find_map(|end| word.strip_suffix(end));
        histogram.unwrap_or(word).to_owned()
    };
    ours.map(base).collect()
}
