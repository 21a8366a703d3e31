//! A door for fuzz targets. Only in builds with debug assertions.

use super::colors::DeviceColors;
use super::names::UsedNames;

/// Finds names and colours in content, in one stretch and in two.
///
/// # Panics
/// Where content in two parts is said to use less than the same in one.
pub fn content(data: &[u8]) {
    let mut whole = UsedNames::default();
    whole.scan(data);
    let (head, tail) = data.split_at(data.len() / 2);
    let mut parts = UsedNames::default();
    parts.scan_parts(&[head, tail]);
    if let UsedNames::Only(names) = &whole {
        assert!(names.iter().all(|name| parts.contains(name.as_bytes())), "a name is lost between two parts");
    }
    DeviceColors::default().scan(data);
}
