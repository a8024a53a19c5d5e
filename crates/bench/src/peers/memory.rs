//! actix endpoint that returns the same bytes from memory for every request.

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread;

use actix_web::dev::ServerHandle;
use actix_web::web::{self, Bytes};
use actix_web::{App, HttpResponse, HttpServer};

use crate::outcome::Outcome;

/// Running endpoint. Dropping it stops the endpoint.
pub(crate) struct MemoryEndpoint {
    pub(crate) address: SocketAddr,
    handle: ServerHandle,
}

impl MemoryEndpoint {
    /// Starts an endpoint.
    pub(crate) fn start(bytes: Vec<u8>) -> Outcome<Self> {
        let bytes = Bytes::from(bytes);
        let (ready, started) = mpsc::channel();
        thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let app = move || {
                    let bytes = bytes.clone();
                    let answer = move || {
                        let bytes = bytes.clone();
                        async move { HttpResponse::Ok().content_type("application/json").body(bytes) }
                    };
                    App::new().default_service(web::to(answer))
                };
                let bound = HttpServer::new(app).disable_signals().bind("127.0.0.1:0")?;
                let address = bound.addrs().first().copied();
                let server = bound.run();
                // The benchmark may have ended.
                let _ = ready.send((address, server.handle()));
                server.await
            })
        });
        let (address, handle) = started.recv()?;
        Ok(Self { address: address.ok_or("no address")?, handle })
    }
}

impl Drop for MemoryEndpoint {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}
