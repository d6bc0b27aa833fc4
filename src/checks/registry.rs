//! All checks, in the order of their codes.

use super::*;

static ALL: [Check; 30] = [
    unused_ignore::CHECK,
    stacked_retries::CHECK,
    hidden_sdk_retries::CHECK,
    unbounded_retries::CHECK,
    no_deadline::CHECK,
    retry_count_mismatch::CHECK,
    fixed_wait::CHECK,
    backoff_without_jitter::CHECK,
    no_wait::CHECK,
    uncapped_backoff::CHECK,
    retry_after_ignored::CHECK,
    retry_after_clamped::CHECK,
    retry_after_date_unparsed::CHECK,
    fast_job_retry::CHECK,
    sleep_after_last_attempt::CHECK,
    retries_permanent_errors::CHECK,
    retries_spend_limit::CHECK,
    retry_by_message::CHECK,
    stream_restart::CHECK,
    non_resumable_job::CHECK,
    side_effect_in_retry::CHECK,
    idempotency_key_per_attempt::CHECK,
    idempotency_key_missing::CHECK,
    unlimited_fan_out::CHECK,
    batch_fails_together::CHECK,
    shared_client::CHECK,
    no_circuit_breaker::CHECK,
    shared_circuit_breaker::CHECK,
    missing_timeout::CHECK,
    silent_retries::CHECK,
];

/// Every check, in the order of the documentation.
pub fn registry() -> &'static [Check] {
    &ALL
}

/// The check of that name or code.
pub fn by_name(name: &str) -> Option<&'static Check> {
    registry().iter().find(|check| check.name == name || check.code.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_and_names_are_unique() {
        let codes: Vec<&str> = registry().iter().map(|check| check.code).collect();
        assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "{codes:?}");
        assert!(registry().iter().all(|c| registry().iter().filter(|d| d.name == c.name).count() == 1));
    }

    #[test]
    fn every_page_says_what_why_how_and_when_not() {
        for check in registry() {
            for part in ["## What it finds", "## Why", "## How to fix", "## When to ignore"] {
                assert!(check.page.contains(part), "{}: no {part}", check.name);
            }
            assert!(check.page.starts_with(&format!("# {}\n", check.name)), "{}", check.name);
            assert!(check.page.contains("## Example"), "{}", check.name);
            assert!(check.page.contains("```python\n"), "{}: no Python example", check.name);
            assert!(!check.summary.ends_with('.') && check.summary.len() < 120, "{}", check.name);
        }
    }
}
