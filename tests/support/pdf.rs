//! PDFs made by hand.

/// A file of `objects`, numbered from 1, with a sound cross-reference table; object 1 is the catalog.
pub(crate) fn file_of<T: AsRef<[u8]>>(objects: &[T]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(objects) {
        offsets.push(file.len());
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object.as_ref());
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    let size = objects.len() + 1;
    file.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    file.extend(format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

/// A document with one page for each content stream, with the font F.
pub(crate) fn pages_of(contents: &[&str]) -> Vec<u8> {
    let numbers = (0..contents.len()).map(|at| 4 + 2 * at);
    let kids = numbers.clone().map(|number| format!("{number} 0 R ")).collect::<String>();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", contents.len()).into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec(),
    ];
    for (number, content) in numbers.zip(contents) {
        let entries = format!("/Contents {} 0 R /Resources << /Font << /F 3 0 R >> >>", number + 1);
        objects.push(format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] {entries} >>").into_bytes());
        objects.push(stream_of("", content.as_bytes()));
    }
    file_of(&objects)
}

/// The content stream that shows these lines from the top of the page.
pub(crate) fn lines_of(lines: &[&str]) -> String {
    let shown = lines.iter().map(|line| format!("({line}) Tj 0 -14 Td\n"));
    format!("BT /F 12 Tf 20 280 Td\n{}ET", shown.collect::<String>())
}

/// A stream of `data` with these entries.
pub(crate) fn stream_of(entries: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("<<{entries}/Length {}>>stream\n", data.len());
    [head.as_bytes(), data, b"\nendstream"].concat()
}
