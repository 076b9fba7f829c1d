#![allow(dead_code, clippy::needless_return)]
//! Inner documentation with `{` and "quotes.

/// Outer documentation: `fn x() {`
#[derive(Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
pub(crate) struct Config {
    #[doc(hidden)]
    pub(super) r#type: String,
    pub timeout: Option<std::time::Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    #[should_panic(expected = "boom")]
    fn works() { panic!("boom") }
}

unsafe extern "C" { pub safe fn abs(x: i32) -> i32; }
pub union Bits { f: f32, u: u32 }
