// oracle: rust; 503 400 drop
use tokio_retry::Retry;
use tokio_retry::strategy::ExponentialBackoff;
use std::env;

async fn hit() -> Result<(), reqwest::Error> {
    reqwest::get(env::var("BASE_URL").unwrap_or_default()).await?.error_for_status()?;
    Ok(())
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let _ = Retry::spawn(ExponentialBackoff::from_millis(10).take(3), hit).await;
}
