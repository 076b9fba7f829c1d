use std::ops::{Add, Index};

#[derive(Clone, Copy, Debug)]
pub struct V2 { pub x: f32, pub y: f32 }

impl Add for V2 {
    type Output = Self;
    fn add(self, Self { x, y }: Self) -> Self::Output { V2 { x: self.x + x, ..V2 { y: self.y + y, ..self } } }
}

impl Index<usize> for V2 {
    type Output = f32;
    fn index(&self, i: usize) -> &f32 {
        match i { 0 => &self.x, 1 => &self.y, n => panic!("index {n}") }
    }
}

pub fn sum<I>(it: I) -> Option<V2> where I: IntoIterator<Item = V2, IntoIter: Clone> {
    it.into_iter().reduce(|a, b| a + b)
}
