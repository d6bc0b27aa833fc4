//! Durations written as text.

/// The seconds of a text such as `200 millis`, `10m` or `1 hour 30 minutes`.
pub(super) fn seconds_of(text: &str) -> Option<f64> {
    let mut total = 0.0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest.get(..digits)?.parse().ok()?;
        rest = rest.get(digits..)?.trim_start();
        let letters = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let factor = match rest.get(..letters)? {
            "" | "ms" | "millis" | "milli" | "msec" | "msecs" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
            "d" | "day" | "days" => 86_400.0,
            "w" | "week" | "weeks" => 604_800.0,
            "micros" | "micro" => 1e-6,
            "nanos" | "nano" => 1e-9,
            _ => return None,
        };
        total += number * factor;
        rest = rest.get(letters..)?.trim_start_matches([' ', ',']);
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::seconds_of;

    #[test]
    fn durations_as_libraries_write_them() {
        let of = |text: &str| seconds_of(text).map(|s| (s * 1000.0).round());
        assert_eq!(of("200 millis"), Some(200.0));
        assert_eq!(of("10m"), Some(600_000.0));
        assert_eq!(of("1 hour 30 minutes"), Some(5_400_000.0));
        assert_eq!(of("1500"), Some(1_500.0));
        assert_eq!(of("soon"), None);
        assert_eq!(of(""), None);
    }
}
