//! Prometheus for one test of the metrics and alert rules, with a separate folder and port.

use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::api_response::ApiResponse;
use crate::http::{HttpClient, encoded};
use crate::wait::eventually;

/// A Prometheus that scrapes one target each second. It stops when this value is dropped.
#[derive(Debug)]
pub struct Prometheus {
    http: HttpClient,
    _process: Child,
    _folder: TempDir,
}

impl Prometheus {
    /// Starts Prometheus with these rules and waits until it has scraped the target.
    pub async fn scraping(target: &str, rules: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = format!(
            "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: ['{}']\nscrape_configs:\n  \
             - job_name: inboxd\n    static_configs: [{{targets: ['{target}']}}]\n",
            rules.display()
        );
        let file = folder.path().join("prometheus.yml");
        std::fs::write(&file, settings).unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap().to_string();
        drop(free);
        let process = Command::new("prometheus")
            .arg(format!("--config.file={}", file.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()))
            .arg(format!("--web.listen-address={address}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let prometheus = Self { http: HttpClient::new(address.clone()), _process: process, _folder: folder };
        eventually("Prometheus listens", async || tokio::net::TcpStream::connect(&address).await.ok()).await;
        eventually("Prometheus has scraped the target", async || {
            prometheus.value("up{job=\"inboxd\"}").await.filter(|up| *up > 0.0)
        })
        .await;
        prometheus
    }

    /// Returns the value of a query with one result.
    pub async fn value(&self, query: &str) -> Option<f64> {
        let answer = self.get(&format!("/api/v1/query?query={}", encoded(query))).await;
        if answer.status == 503 {
            // It is still starting.
            return None;
        }
        let result = answer.json()["data"]["result"].as_array()?.clone();
        assert!(result.len() <= 1, "{query} has several results: {result:?}");
        result.first()?["value"][1].as_str()?.parse().ok()
    }

    /// Returns the scrape target as Prometheus sees it.
    pub async fn target(&self) -> Value {
        self.get("/api/v1/targets").await.json()["data"]["activeTargets"][0].clone()
    }

    /// Returns the rules with their state.
    pub async fn rules(&self) -> Vec<Value> {
        let groups = self.get("/api/v1/rules").await.json()["data"]["groups"].clone();
        groups.as_array().unwrap().iter().flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
    }

    async fn get(&self, target: &str) -> ApiResponse {
        self.http.get(target).await
    }
}
