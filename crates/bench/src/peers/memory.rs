//! actix endpoint that returns the same bytes from memory for every request.

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread;

use actix_web::dev::ServerHandle;
use actix_web::web::{self, Bytes};
use actix_web::{App, HttpResponse, HttpServer};

use crate::outcome::Outcome;

/// Running endpoint. Dropping it stops the endpoint.
pub(crate) struct FromMemory {
    pub(crate) address: SocketAddr,
    handle: ServerHandle,
}

impl FromMemory {
    /// Starts an endpoint.
    pub(crate) fn start(octets: Vec<u8>) -> Outcome<Self> {
        let octets = Bytes::from(octets);
        let (ready, started) = mpsc::channel();
        thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let app = move || {
                    let octets = octets.clone();
                    let answer = move || {
                        let octets = octets.clone();
                        async move { HttpResponse::Ok().content_type("application/json").body(octets) }
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

impl Drop for FromMemory {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}
