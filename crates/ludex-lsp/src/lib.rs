//! The language server of Ludex for rulesheets: what an editor shows of them while they are written.
//!
//! [`serve_stdio`] speaks the Language Server Protocol over standard input and output, [`serve`] over any connection. The loop
//! (`server`) keeps the open documents and hands requests to functions over a [`document::Document`], a file for each feature.
//! What takes long runs on threads of its own, within a budget.
#![forbid(unsafe_code)]

mod board;
mod capabilities;
mod commands;
mod completion;
mod cursor;
pub mod document;
mod findings;
mod formatting;
mod hover;
mod inlay_hints;
mod keywords;
pub mod knowledge;
mod lenses;
mod library_fix;
mod names;
pub mod positions;
mod prepared;
mod rename;
mod requests;
mod semantic_tokens;
mod server;
mod settings;
mod signature;
mod symbols;
mod tasks;

use lsp_server::Connection;

pub use server::{End, serve};

/// Why a connection over standard input and output ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client ended it without asking the server to shut down first.
    #[error("the client ended the connection without `shutdown`")]
    Abrupt,
    /// What came was no message of the protocol, or nothing could be written any more.
    #[error("the connection failed: {0}")]
    Connection(#[from] std::io::Error),
}

/// Speaks with a client over standard input and output until it is done.
///
/// # Errors
/// [`ServeError`].
pub fn serve_stdio() -> Result<(), ServeError> {
    let (stdio, threads) = Connection::stdio();
    // The reader hands messages over one by one: behind this channel those can queue that belong together.
    let (queue, receiver) = crossbeam_channel::unbounded();
    let incoming = stdio.receiver;
    let reader = std::thread::Builder::new().name("ludex-lsp-queue".to_owned()).spawn(move || {
        for message in incoming {
            if queue.send(message).is_err() {
                break;
            }
        }
    })?;
    let end = serve(Connection { sender: stdio.sender, receiver });
    let joined = threads.join();
    let _ = reader.join();
    joined?;
    match end {
        End::Ordered => Ok(()),
        End::Abrupt => Err(ServeError::Abrupt),
    }
}
