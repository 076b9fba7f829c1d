use std::{error::Error, future::Future, pin::Pin};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub async fn fetch_all(urls: &[&str]) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
    let mut out = Vec::with_capacity(urls.len());
    'outer: for (i, url) in urls.iter().enumerate() {
        let body = get(url).await?;
        if body.is_empty() { continue 'outer; }
        out.push(body);
        if i >= 10 { break 'outer; }
    }
    let f = async |x: u32| x + 1;
    let _ = async move { f(1).await };
    Ok(out)
}

async fn get(_url: &str) -> Result<String, std::io::Error> { Ok(String::new()) }
