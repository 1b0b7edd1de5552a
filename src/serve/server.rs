//! The server: listens, answers, stops.
//!
//! Memory is bounded by hyper's own limits, which are relied on here: a head of a request has at most 100 headers (else 431)
//! and about 400 kB, its target at most 65,534 bytes (else 414). Bodies are not read. Connections are as many as the system
//! lets a process open.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, header};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tower_http::set_header::SetResponseHeaderLayer;

use super::answer::{Shown, answer};
use super::hosts::Hosts;
use super::site::Site;

/// How long running requests may take to finish.
const PATIENCE: Duration = Duration::from_secs(3);

/// How many ports above a taken one are tried for a free one to offer.
const OFFERED: u16 = 100;

/// What pages may do: styles and pictures of their own, the one script, its connection. Nothing comes from elsewhere, nothing
/// is sent, no other site shows them in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CACHE_CONTROL, "no-cache"),
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// An address can't be listened at.
#[derive(Debug, thiserror::Error)]
#[error("can't listen at {address}: {cause}")]
pub struct PortError {
    /// The address.
    pub address: SocketAddr,
    /// The next port that is free, if the wanted one is taken.
    pub free: Option<u16>,
    /// What the system said.
    pub cause: io::Error,
}

/// A server that listens and shows the latest site.
pub struct Server {
    address: SocketAddr,
    sites: watch::Sender<Arc<Site>>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<io::Result<()>>,
}

/// A port that is taken and not yet answered at: who connects waits.
pub struct Bound {
    address: SocketAddr,
    listener: TcpListener,
}

impl Bound {
    /// The address, with its port.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where a browser on this machine finds the site.
    #[must_use]
    pub fn url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        format!("http://{}/", SocketAddr::new(ip, self.address.port()))
    }

    /// Answers from now on.
    #[must_use]
    pub fn show(self, site: Site) -> Server {
        let (sites, site) = watch::channel(Arc::new(site));
        let (stop, stopped) = oneshot::channel::<()>();
        let app = HEADERS.into_iter().fold(
            Router::new().fallback(answer).with_state(Shown { site, hosts: Hosts::new(self.address) }),
            |app, (name, value)| app.layer(SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))),
        );
        // Events are short and must not wait for more; a socket that refuses this still works.
        let listener = self.listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let serving = axum::serve(listener, app).with_graceful_shutdown(async {
            // Told to stop, or left alone: both are the end.
            let _stopped = stopped.await;
        });
        Server { address: self.address, sites, stop, task: tokio::spawn(serving.into_future()) }
    }
}

impl Server {
    /// Takes a port; 0 is any that is free.
    ///
    /// # Errors
    /// [`PortError`] if it is taken, or not ours to take.
    pub async fn bind(ip: IpAddr, port: u16) -> Result<Bound, PortError> {
        let address = SocketAddr::new(ip, port);
        let bound = TcpListener::bind(address).await.and_then(|listener| Ok(Bound { address: listener.local_addr()?, listener }));
        match bound {
            Ok(bound) => Ok(bound),
            Err(cause) => Err(PortError { address, free: free(address, &cause).await, cause }),
        }
    }

    /// The site that is shown.
    #[must_use]
    pub fn site(&self) -> Arc<Site> {
        self.sites.borrow().clone()
    }

    /// Shows another site, and tells the open pages.
    pub fn show(&self, site: Site) {
        self.sites.send_replace(Arc::new(site));
    }

    /// The address listened at.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts nothing more, ends the streams of events at once, lets running requests finish, for some seconds.
    pub async fn stop(self) {
        let Self { sites, stop, task, .. } = self;
        drop((sites, stop));
        // Whoever has not finished by then reads nothing any more.
        let _finished = tokio::time::timeout(PATIENCE, task).await;
    }
}

/// The next port that is free, if it is the port that is at fault.
async fn free(address: SocketAddr, cause: &io::Error) -> Option<u16> {
    if !matches!(cause.kind(), io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied) {
        return None;
    }
    // Ports below 1024 are not for everybody.
    let from = address.port().max(1023);
    for port in (from..=u16::MAX).skip(1).take(usize::from(OFFERED)) {
        if TcpListener::bind(SocketAddr::new(address.ip(), port)).await.is_ok() {
            return Some(port);
        }
    }
    None
}
