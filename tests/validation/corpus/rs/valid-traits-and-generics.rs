use std::fmt::{self, Display};

pub trait Shape {
    const SIDES: usize;
    type Unit: Display + 'static;
    fn area(&self) -> f64;
    fn name(&self) -> String where Self: Sized { String::from("shape") }
}

pub struct Grid<T, const W: usize, const H: usize = 4>([[T; W]; H])
where
    T: Copy + Default;

impl<T: Copy + Default, const W: usize, const H: usize> Grid<T, W, H> {
    pub const fn width() -> usize { W }
    pub fn rows(&self) -> impl Iterator<Item = &[T; W]> + use<'_, T, W, H> { self.0.iter() }
}

impl fmt::Display for Grid<u8, 2, 2> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.0[0][1]) }
}
