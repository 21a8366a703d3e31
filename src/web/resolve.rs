//! Resolves a host name once, and lets the client connect only to the addresses that were found and checked.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::guard::normalize_host;
use crate::http::{Addrs, Name, Resolve, Resolving};

/// A future that resolves to addresses.
pub type Lookup = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Resolves host names to addresses.
pub trait Resolver: Send + Sync {
    /// All addresses of `host`, which is a name, not an address.
    fn lookup(&self, host: String) -> Lookup;
}

/// The operating system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn lookup(&self, host: String) -> Lookup {
        Box::pin(async move {
            let lookup = move || Ok((host, 0).to_socket_addrs()?.map(|address| address.ip()).collect());
            tokio::task::spawn_blocking(lookup).await?
        })
    }
}

/// The checked addresses of each host, for as long as a request needs them.
///
/// The client's connector asks only this resolver, so a second DNS answer (DNS rebinding) has no effect.
#[derive(Debug, Clone, Default)]
pub(super) struct CheckedAddresses {
    checked: Arc<Mutex<HashMap<String, Vec<AddressList>>>>,
}

type AddressList = Arc<Vec<IpAddr>>;

/// Lets the client connect to the addresses of a host until it is dropped.
#[derive(Debug)]
pub(super) struct AddressHold {
    checked_addresses: CheckedAddresses,
    host: String,
    addresses: AddressList,
}

impl CheckedAddresses {
    /// Lets the client connect to `addresses` for `host`.
    pub(super) fn hold(&self, host: &str, addresses: Vec<IpAddr>) -> AddressHold {
        let addresses = Arc::new(addresses);
        self.lock_addresses().entry(host.to_owned()).or_default().push(Arc::clone(&addresses));
        AddressHold { checked_addresses: self.clone(), host: host.to_owned(), addresses }
    }

    fn lock_addresses(&self) -> MutexGuard<'_, HashMap<String, Vec<AddressList>>> {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AddressHold {
    fn drop(&mut self) {
        let mut checked = self.checked_addresses.lock_addresses();
        let Some(pinned) = checked.get_mut(&self.host) else { return };
        if let Some(at) = pinned.iter().position(|one| Arc::ptr_eq(one, &self.addresses)) {
            pinned.swap_remove(at);
        }
        if pinned.is_empty() {
            checked.remove(&self.host);
        }
    }
}

impl Resolve for CheckedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let host = normalize_host(name.as_str());
        let pinned = self.lock_addresses().get(&host).and_then(|pinned| pinned.last().cloned());
        let found = match pinned {
            // The client replaces port 0 with the URL's port.
            Some(pinned) => {
                let addresses = pinned.iter().map(|ip| SocketAddr::new(*ip, 0)).collect::<Vec<_>>();
                Ok(Box::new(addresses.into_iter()) as Addrs)
            }
            None => Err(format!("{host} was not checked").into()),
        };
        Box::pin(std::future::ready(found))
    }
}
