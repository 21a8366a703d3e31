//! The library in an asynchronous program: `cargo run --example async_front`
//!
//! Every method of `Pagewise` blocks its thread, and one value serves all of them. So a request runs on a thread where
//! blocking is allowed, and ends early if the future that waits for it is dropped.

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

use pagewise::{Answer, Cancellation, Pagewise, Request};

/// Cancels the work when the future that waits for it is dropped.
struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

async fn get_file(pagewise: &Arc<Pagewise>, request: Request) -> Result<Answer, Box<dyn Error + Send + Sync>> {
    let guard = CancelOnDrop(Cancellation::new());
    let (pagewise, request) = (Arc::clone(pagewise), request.cancellation(&guard.0));
    Ok(tokio::task::spawn_blocking(move || pagewise.get_file(&request)).await??)
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    run(&mut io::stdout().lock())
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error + Send + Sync>> {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
    let pagewise = Arc::new(Pagewise::builder().root(fixtures).build()?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    runtime.block_on(async {
        let pages = (1..=4).map(|page: u32| {
            let pagewise = Arc::clone(&pagewise);
            let request = Request::new("latex.pdf").pages(page.to_string()).conversation("chat");
            (page, tokio::spawn(async move { get_file(&pagewise, request).await }))
        });
        for (page, answer) in pages.collect::<Vec<_>>() {
            let answer = answer.await??;
            writeln!(out, "page {page}: {}", if answer.sent_pages() == [page] { "sent" } else { "held" })?;
            // Once the provider has accepted the request. It may wait for the disk.
            tokio::task::spawn_blocking(move || answer.commit()).await??;
        }
        Ok(())
    })
}
