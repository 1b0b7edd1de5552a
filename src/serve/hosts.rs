//! Whom a request may be meant for. A page of another site can give its own name the address of this machine (DNS rebinding)
//! and would then read what is shown here; its requests still carry its name.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The names of a server that listens at an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hosts {
    bound: SocketAddr,
}

impl Hosts {
    /// Those of a server that listens at `bound`.
    pub(super) fn new(bound: SocketAddr) -> Self {
        Self { bound }
    }

    /// Whether an authority, `host:port`, means this server: `localhost`, this machine's own address, the one listened at; any
    /// address, if all of them are listened at. A name can be anybody's, an address can't.
    pub(super) fn allow(self, authority: &str) -> bool {
        let Some((host, port)) = parts(authority) else { return false };
        if port != self.bound.port() {
            return false;
        }
        match host {
            Host::Name(name) => name.eq_ignore_ascii_case("localhost"),
            Host::Address(address) => self.bound.ip().is_unspecified() || address == self.bound.ip() || is_this_machine(address),
        }
    }
}

fn is_this_machine(address: IpAddr) -> bool {
    address == IpAddr::V4(Ipv4Addr::LOCALHOST) || address == IpAddr::V6(Ipv6Addr::LOCALHOST)
}

enum Host<'a> {
    Name(&'a str),
    Address(IpAddr),
}

/// The host and the port, 80 if none is written.
fn parts(authority: &str) -> Option<(Host<'_>, u16)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        let port = if port.is_empty() { 80 } else { number(port.strip_prefix(':')?)? };
        return Some((Host::Address(IpAddr::V6(address.parse().ok()?)), port));
    }
    let (name, port) = match authority.split_once(':') {
        Some((name, port)) => (name, number(port)?),
        None => (authority, 80),
    };
    Some((name.parse().map_or(Host::Name(name), |address| Host::Address(IpAddr::V4(address))), port))
}

/// A port; `parse` alone would take a sign, too.
fn number(port: &str) -> Option<u16> {
    port.bytes().all(|byte| byte.is_ascii_digit()).then(|| port.parse().ok())?
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn hosts(bound: &str) -> Hosts {
        Hosts::new(bound.parse().unwrap())
    }

    #[test]
    fn this_machine_is_meant_by_its_names_and_the_port() {
        for good in ["127.0.0.1:4000", "localhost:4000", "LocalHost:4000", "[::1]:4000"] {
            assert!(hosts("127.0.0.1:4000").allow(good), "{good}");
        }
        assert!(hosts("127.0.0.1:80").allow("localhost") && hosts("[::1]:80").allow("[::1]"));
    }

    #[test]
    fn nobody_else_is() {
        let bad = [
            "",
            ":4000",
            "evil.example",
            "evil.example:4000",
            "localhost",
            "127.0.0.1",
            "localhost:4001",
            "localhost.evil.example:4000",
            "localhost.:4000",
            "127.0.0.1.evil.example:4000",
            "127.1:4000",
            "2130706433:4000",
            "0x7f000001:4000",
            "0.0.0.0:4000",
            "192.168.1.7:4000",
            "[::1]",
            "[::1:4000",
            "::1:4000",
            "[::]:4000",
            "[localhost]:4000",
            "[::ffff:127.0.0.1]:4000",
            "localhost:+4000",
            "localhost:4000:4000",
            "localhost:",
            "localhost:69536",
            "evil@localhost:4000",
            "localhost:4000@evil",
            " localhost:4000",
            "localhost :4000",
            "[::1%eth0]:4000",
            "127.0.0.1:4000/",
            "127.0.0.1:4000, evil.example:4000",
        ];
        for bad in bad {
            assert!(!hosts("127.0.0.1:4000").allow(bad), "{bad}");
        }
    }

    #[test]
    fn an_address_of_the_network_is_meant_where_it_is_listened_at() {
        assert!(hosts("192.168.1.7:4000").allow("192.168.1.7:4000"));
        assert!(!hosts("192.168.1.7:4000").allow("192.168.1.8:4000"));
        for all in ["0.0.0.0:4000", "[::]:4000"] {
            assert!(
                hosts(all).allow("192.168.1.8:4000") && hosts(all).allow("[fe80::1]:4000") && hosts(all).allow("localhost:4000")
            );
            assert!(!hosts(all).allow("evil.example:4000") && !hosts(all).allow("192.168.1.8:4001"));
        }
    }
}
