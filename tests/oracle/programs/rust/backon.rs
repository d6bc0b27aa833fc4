// oracle: rust; 503 400 drop
use backon::{ExponentialBuilder, Retryable};
use std::env;

async fn hit() -> Result<(), reqwest::Error> {
    reqwest::get(env::var("BASE_URL").unwrap_or_default()).await?.error_for_status()?;
    Ok(())
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let _ = hit.retry(ExponentialBuilder::default()).await;
}
