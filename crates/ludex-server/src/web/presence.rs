//! Whether a request of a connection is under way, as its bodies tell.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};

use crate::connections::Visitor;

/// The body of a request. When all of it has come, the connection is being answered.
pub(super) struct Arriving {
    body: Incoming,
    visitor: Arc<Visitor>,
}

impl Arriving {
    pub(super) fn new(body: Incoming, visitor: Arc<Visitor>) -> Self {
        if body.is_end_stream() {
            visitor.answer();
        }
        Self { body, visitor }
    }
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || self.body.is_end_stream() {
            self.visitor.answer();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer. When it has been taken, the next request is awaited.
pub(super) struct Leaving {
    body: Body,
    visitor: Arc<Visitor>,
}

impl Leaving {
    pub(super) fn new(body: Body, visitor: Arc<Visitor>) -> Self {
        Self { body, visitor }
    }
}

impl HttpBody for Leaving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.visitor.listen();
    }
}
