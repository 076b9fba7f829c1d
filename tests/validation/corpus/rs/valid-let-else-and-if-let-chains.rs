use std::collections::HashMap;

pub fn lookup<'a>(map: &'a HashMap<String, Option<&'a str>>, key: &str) -> Result<&'a str, String> {
    let Some(value) = map.get(key) else {
        return Err(format!("no {key}"));
    };
    if let Some(text) = value && !text.is_empty() && let Some(first) = text.chars().next() {
        println!("{first:?} {{not a placeholder}} {0:>width$}", text, width = 8);
        return Ok(text);
    }
    Err("empty".into())
}
