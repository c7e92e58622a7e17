//! The boxed future that the trait objects of this crate return.

use std::{future::Future, pin::Pin};

/// A future behind a pointer, so that traits with asynchronous methods can be trait objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
