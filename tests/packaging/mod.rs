//! Files for containers in `packaging`: schemas, settings and values.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::sdk::venv::{assert_success, programs};

const REQUIREMENTS: &str = include_str!("requirements.txt");
/// Oldest and newest version of Kubernetes whose schema the manifests fit.
const KUBERNETES_VERSIONS: [&str; 2] = ["1.30.0", "1.37.0"];

/// Returns a path of `packaging`.
fn packaging(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging").join(path)
}

/// Returns the manifests of Kubernetes; a kustomization is none.
fn manifests() -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        std::fs::read_dir(packaging("kubernetes")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| !path.ends_with("kustomization.yaml"));
    paths.sort();
    paths
}

/// Validates manifests with the schemas of a version, without unknown properties.
fn validate(version: &str, paths: &[PathBuf]) -> Output {
    let program = programs("packaging", REQUIREMENTS).join("kubernetes-validate");
    Command::new(program).args(["--strict", "--quiet", "--kubernetes-version", version]).args(paths).output().unwrap()
}

#[test]
fn kubernetes_manifests_fit_the_schemas() {
    for version in KUBERNETES_VERSIONS {
        assert_success(version, Ok(validate(version, &manifests())));
    }
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("wrong.yaml");
    let text = std::fs::read_to_string(packaging("kubernetes/worker.yaml")).unwrap();
    std::fs::write(&wrong, text.replace("periodSeconds", "periodMinutes")).unwrap();
    assert!(!validate(KUBERNETES_VERSIONS[0], &[wrong]).status.success(), "an unknown property is found");
}

#[test]
fn kustomization_lists_every_manifest_but_the_example_of_secrets() {
    let text = std::fs::read_to_string(packaging("kubernetes/kustomization.yaml")).unwrap();
    let listed: BTreeSet<_> = text.lines().filter_map(|line| line.strip_prefix("  - ")).collect();
    let listed: BTreeSet<_> = listed.into_iter().filter(|name| !name.starts_with("name:")).collect();
    let paths = manifests();
    let mut present: BTreeSet<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert!(present.remove("secret.example.yaml"));
    assert_eq!(listed, present);
}

/// Reads compose files as Docker Compose does, and returns its output.
fn compose(files: &[&Path], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(programs("packaging", REQUIREMENTS).join("docker-compose"));
    for file in files {
        command.arg("--file").arg(file);
    }
    command.args(["config", "--quiet"]).envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn compose_files_fit_the_specification() {
    let (base, tls) = (packaging("container/compose.yaml"), packaging("container/compose.tls.yaml"));
    assert_success("compose.yaml", Ok(compose(&[&base], &[])));
    let variables = [("INBOXD_DOMAIN", "mail.example.org"), ("INBOXD_ACME_EMAIL", "operator@example.org")];
    assert_success("compose.tls.yaml", Ok(compose(&[&base, &tls], &variables)));
    let refused = compose(&[&base, &tls], &[]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("set it to the domain"), "{refused:?}");
    let elsewhere = packaging("container/compose.database.yaml");
    assert_success("compose.database.yaml", Ok(compose(&[&base, &elsewhere], &[])));
    let objects = packaging("container/compose.objects.yaml");
    assert_success("compose.objects.yaml", Ok(compose(&[&base, &objects], &[("COMPOSE_PROFILES", "objects")])));
    let objects_too = [("COMPOSE_PROFILES", "objects")].into_iter().chain(variables).collect::<Vec<_>>();
    assert_success("all files", Ok(compose(&[&base, &tls, &elsewhere, &objects], &objects_too)));
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("compose.yaml");
    let text = std::fs::read_to_string(&base).unwrap();
    std::fs::write(&wrong, text.replace("stop_grace_period", "stop_patience")).unwrap();
    assert!(!compose(&[&wrong], &[]).status.success(), "an unknown property is found");
}

/// Runs `inboxd config` without other settings than these.
fn config(arguments: &[&str], variables: &[(String, String)]) -> Output {
    let variables = variables.iter().map(|(name, value)| (name, value));
    let mut command = Command::new(env!("CARGO_BIN_EXE_inboxd"));
    command.arg("config").args(arguments).env_clear().envs(variables).output().unwrap()
}

/// Returns the settings that a text names.
fn settings(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !character.is_ascii_uppercase() && !matches!(character, '_' | '0'..='9'));
    words.filter(|word| word.starts_with("INBOXD_")).map(str::to_owned).collect()
}

#[test]
fn container_files_name_known_settings() {
    let known = settings(&String::from_utf8(config(&["example"], &[]).stdout).unwrap());
    let mut paths = manifests();
    for name in ["Containerfile", "compose.yaml", "compose.tls.yaml", "compose.database.yaml", "compose.objects.yaml"] {
        paths.push(packaging("container").join(name));
    }
    for path in paths {
        for name in settings(&std::fs::read_to_string(&path).unwrap()) {
            let setting = name.strip_suffix("_FILE").unwrap_or(&name);
            assert!(known.contains(setting), "{} names the unknown setting {name}", path.display());
        }
    }
}

#[test]
fn configuration_of_kubernetes_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = folder.path();
    std::fs::write(secrets.join("secret-key"), "5".repeat(64)).unwrap();
    std::fs::write(secrets.join("database-url"), "postgres://inboxd:secret@postgres.example.org/inboxd").unwrap();
    let map = std::fs::read_to_string(packaging("kubernetes/configmap.yaml")).unwrap();
    let mut variables: Vec<_> = map.lines().filter_map(|line| line.trim().split_once(": ")).collect();
    variables.retain(|(name, _)| name.starts_with("INBOXD_"));
    let place = |value: &str| value.replace("/run/secrets/inboxd", secrets.to_str().unwrap());
    let variables: Vec<_> = variables.into_iter().map(|(name, value)| (name.to_owned(), place(value))).collect();
    assert!(variables.len() > 5, "{variables:?}");
    let output = config(&["check"], &variables);
    assert!(output.status.success(), "{output:?}");
}
