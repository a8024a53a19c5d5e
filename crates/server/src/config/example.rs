//! `inboxd config example`: an annotated configuration file.

use std::fmt::Write as _;

use super::settings::{GROUPS, Setting};

const HEAD: &str = "\
# Configuration of inboxd: `inboxd --config FILE serve`. `inboxd config check` examines it.
#
# Each line in comments is the default. Environment variables of the same names take precedence. An empty text is no value.
# A setting marked \"secret\" may also come from a file, named by its name with _FILE, or from a systemd credential.
# SIGHUP applies changes of the settings marked \"reloaded\"; all others need a restart.
";

/// Returns the file with all settings and their defaults.
pub(crate) fn text() -> String {
    let mut text = HEAD.to_owned();
    for group in GROUPS {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n# {line}\n# {}\n# {line}\n", group.title, line = "-".repeat(group.title.len()));
        for setting in group.settings {
            let _ = write!(text, "\n{}", entry(setting));
        }
    }
    text
}

/// Returns the comment of a setting and the line of its default.
fn entry(setting: &Setting) -> String {
    let mut comment = vec![setting.about.to_owned(), format!("Value: {}.", setting.accepted)];
    if setting.default.is_none() {
        comment.push(format!("Default: {}.", setting.absence.replace('`', "")));
    }
    let marks: Vec<_> =
        [(setting.is_secret, "secret"), (setting.is_reloaded, "reloaded")].into_iter().filter(|mark| mark.0).collect();
    if !marks.is_empty() {
        comment.push(format!("({})", marks.into_iter().map(|(_, mark)| mark).collect::<Vec<_>>().join(", ")));
    }
    let setting = format!("{} = {}", setting.name, value(setting.default.unwrap_or_default()));
    comment.iter().chain([&setting]).flat_map(|line| ["# ", line.as_str(), "\n"]).collect()
}

/// Returns a value in TOML: numbers without quotes.
fn value(text: &str) -> String {
    if text.parse::<u64>().is_ok() { text.to_owned() } else { toml::Value::String(text.to_owned()).to_string() }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::super::file::parse;
    use super::super::read::config;
    use super::super::settings;
    use super::super::source::Source;
    use super::*;

    /// Returns the example with every setting in force.
    fn uncommented() -> String {
        let name = |line: &str| {
            line.strip_prefix("# ").and_then(|line| line.split_once(" = ")).map(|(name, _)| name.to_owned())
        };
        let is_setting = |line: &&str| name(line).is_some_and(|name| settings::find(&name).is_some());
        text().lines().filter(is_setting).flat_map(|line| [&line[2..], "\n"]).collect()
    }

    #[test]
    fn example_parses_and_sets_nothing() {
        assert_eq!(parse(&text()), Default::default());
    }

    #[test]
    fn uncommented_example_has_all_settings_and_their_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("inboxd.toml");
        std::fs::write(&file, uncommented()).unwrap();
        let (values, problems) = parse(&uncommented());
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(values.len(), settings::all().count());
        let (source, problems) = Source::read(Some(&file), |_| None);
        assert!(problems.is_empty(), "{problems:?}");
        let read = |source: &Source| format!("{:?}", config(source).unwrap());
        // A configured address of the metrics must be free, also if it is the default one.
        let configured = read(&Source::default()).replace("metrics: Default", "metrics: Configured");
        assert_eq!(read(&source), configured);
    }

    #[test]
    fn each_setting_has_one_name_and_a_description() {
        let mut names: Vec<_> = settings::all().map(|setting| setting.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for setting in settings::all() {
            assert!(setting.about.ends_with('.') && setting.about.starts_with(char::is_uppercase), "{}", setting.name);
            assert_eq!(setting.default.is_none(), !setting.absence.is_empty(), "{}", setting.name);
        }
    }

    #[test]
    fn documentation_lists_every_setting_with_its_default() {
        const TABLE: &str = include_str!("../../../../docs/configuration.md");
        let mut documented = std::collections::BTreeMap::new();
        for line in TABLE.lines().take_while(|line| !line.starts_with("## The relay")) {
            let Some([names, defaults, _]) = line.strip_prefix("| ").and_then(|line| {
                let cells: Vec<&str> = line.trim_end_matches(" |").split(" | ").collect();
                <[&str; 3]>::try_from(cells).ok()
            }) else {
                continue;
            };
            let names: Vec<&str> = names.split(", ").map(|name| name.trim_matches('`')).collect();
            if !names[0].starts_with("INBOXD_") && !names[0].starts_with("AWS_") {
                continue;
            }
            let defaults: Vec<&str> = if names.len() == 1 { vec![defaults] } else { defaults.split(", ").collect() };
            for (name, default) in names.iter().zip(defaults) {
                assert!(documented.insert((*name).to_owned(), default).is_none(), "a setting has two rows: {line}");
            }
        }
        let of_setting = |setting: &Setting| match setting.default {
            Some(default) => format!("`{default}`"),
            None => setting.absence.to_owned(),
        };
        let expected: std::collections::BTreeMap<_, _> =
            settings::all().map(|setting| (setting.name.to_owned(), of_setting(setting))).collect();
        let documented: std::collections::BTreeMap<_, _> =
            documented.into_iter().map(|(name, default)| (name, default.to_owned())).collect();
        assert_eq!(documented, expected);
    }
}
