#![allow(dead_code, unused)]
#![feature(gen_blocks)]
//! Crate docs
use std::{
    collections::{BTreeMap as Map, HashMap},
    fmt::{self, Display, Write as _},
    future::Future,
    ops::{ControlFlow, Deref},
    pin::Pin,
};

pub trait LendingIterator {
    type Item<'a>
    where
        Self: 'a;
    const N: usize = 4;

    fn next<'a>(&'a mut self) -> Option<Self::Item<'a>>;
    fn boxed(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send + 'static>>;
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[repr(C, align(8))]
pub(crate) struct Matrix<T, const R: usize, const C: usize = { 2 + 1 }>
where
    T: Copy + Default,
{
    data: [[T; C]; R],
    pub r#type: Option<T>,
}

impl<T: Copy + Default, const R: usize, const C: usize> Matrix<T, R, C> {
    #[must_use]
    pub const fn new(data: [[T; C]; R]) -> Self {
        Self { data, r#type: None }
    }
    async fn each<F>(&self, f: F) -> Result<(), Box<dyn std::error::Error>>
    where
        F: AsyncFn(&T) -> bool,
        for<'x> &'x T: Into<i64>,
    {
        for row in &self.data {
            let [first, .., last] = row.as_slice() else { continue };
            let Some(x) = row.iter().max_by_key(|v| { let n: i64 = (*v).into(); n }) else {
                return Err("empty".into());
            };
            if f(x).await && let Some(y) = row.first() && row.len() > 1 {
                println!("{first:?} {last:?} {0:>1$}", 1, 2);
            }
        }
        let add = async move |a: u8| -> u8 { a + 1 };
        add(1).await;
        Ok(())
    }
}
