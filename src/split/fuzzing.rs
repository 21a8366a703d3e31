//! Entry points for fuzz targets, in builds with debug assertions only.

use super::resources::{DeviceColors, UsedNames};

/// Finds names and colours in content, given as one part and as two.
///
/// # Panics
/// If the two parts are found to use fewer names than the whole.
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
