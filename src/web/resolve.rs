//! From a name to addresses: asked once, and connected to nothing else.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::guard::one_spelling;
use crate::http::{Addrs, Name, Resolve, Resolving};

/// Addresses, some time later.
pub type Lookup = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// What knows the addresses of a host.
pub trait Resolver: Send + Sync {
    /// All addresses of `host`, which is a name.
    fn lookup(&self, host: String) -> Lookup;
}

/// The system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn lookup(&self, host: String) -> Lookup {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Addresses that were checked, by name, for as long as a request needs them.
///
/// The client's connector asks here and nowhere else: it finds what was checked, or nothing. Whatever a second look-up
/// would say is never known.
#[derive(Debug, Clone, Default)]
pub(super) struct Pins {
    checked: Arc<Mutex<HashMap<String, Vec<Pinned>>>>,
}

type Pinned = Arc<Vec<IpAddr>>;

/// Holds checked addresses until it is dropped.
#[derive(Debug)]
pub(super) struct Hold {
    pins: Pins,
    host: String,
    addresses: Pinned,
}

impl Pins {
    /// Lets the client connect to `addresses` for `host`.
    pub(super) fn hold(&self, host: &str, addresses: Vec<IpAddr>) -> Hold {
        let addresses = Arc::new(addresses);
        self.checked().entry(host.to_owned()).or_default().push(Arc::clone(&addresses));
        Hold { pins: self.clone(), host: host.to_owned(), addresses }
    }

    fn checked(&self) -> MutexGuard<'_, HashMap<String, Vec<Pinned>>> {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut checked = self.pins.checked();
        let Some(pinned) = checked.get_mut(&self.host) else { return };
        if let Some(at) = pinned.iter().position(|one| Arc::ptr_eq(one, &self.addresses)) {
            pinned.swap_remove(at);
        }
        if pinned.is_empty() {
            checked.remove(&self.host);
        }
    }
}

impl Resolve for Pins {
    fn resolve(&self, name: Name) -> Resolving {
        let host = one_spelling(name.as_str());
        let pinned = self.checked().get(&host).and_then(|pinned| pinned.last().cloned());
        let found = match pinned {
            // Port 0 stands for the URL's.
            Some(pinned) => {
                let addresses = pinned.iter().map(|ip| SocketAddr::new(*ip, 0)).collect::<Vec<_>>();
                Ok(Box::new(addresses.into_iter()) as Addrs)
            }
            None => Err(format!("{host} was not checked").into()),
        };
        Box::pin(std::future::ready(found))
    }
}
