// oracle: rust; 503 400 drop
use std::env;

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let _ = reqwest::get(env::var("BASE_URL").unwrap_or_default()).await;
}
