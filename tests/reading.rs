//! Documents open, with the reader, the pages and the facts that the fixtures name.
