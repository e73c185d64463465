//! The arithmetic of identifiers: how long time bits last, until which day, how
//! likely worker numbers collide, how many ids fit into a second.

use crate::units::{DAY, Seconds};

/// How many numbers so many bits hold.
#[must_use]
pub fn power_of_two(bits: u32) -> f64 {
    // More bits than any number has are as many as make sense.
    libm::ldexp(1.0, i32::try_from(bits).unwrap_or(i32::MAX).min(1000))
}

/// Seconds that so many bits of ticks count.
#[must_use]
pub fn lifetime(bits: u32, tick: Seconds) -> f64 {
    power_of_two(bits) * tick.get()
}

/// Ids that one generator can make in a second.
#[must_use]
pub fn ids_a_second(sequence_bits: u32, tick: Seconds) -> f64 {
    power_of_two(sequence_bits) / tick.get().max(1e-9)
}

/// Probability that two of `drawn` numbers, each drawn at random of `numbers`, are equal.
///
/// # Model
///
/// `1 − Π (1 − i/n)` for i < k, the birthday problem.
#[must_use]
pub fn collision(drawn: u64, numbers: f64) -> f64 {
    let enough = numbers >= 1.0 && numbers >= drawn as f64;
    if !enough {
        return if drawn <= 1 { 0.0 } else { 1.0 };
    }
    let mut log = 0.0;
    for i in 1..drawn {
        log += libm::log1p(-(i as f64) / numbers);
        // Certain enough; the product only falls.
        if log < -40.0 {
            return 1.0;
        }
    }
    -libm::expm1(log)
}

/// How many random numbers of `numbers` make a collision as likely as not.
#[must_use]
pub fn even_odds(numbers: f64) -> u64 {
    let mut k = 1;
    while collision(k, numbers) < 0.5 && k < 1 << 20 {
        k += 1;
    }
    k
}

/// The day, as `2093-09-06`, so many seconds after the start of a day that is
/// counted from 1970-01-01.
#[must_use]
pub fn date_after(epoch_days: i64, seconds: f64) -> String {
    let days = epoch_days as f64 + libm::floor(seconds / DAY);
    // A thousand millennia are far enough.
    if !(-3.6e8..3.6e8).contains(&days) {
        return "in more than 900,000 years".to_owned();
    }
    let (year, month, day) = civil(days as i64);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a day counted from 1970-01-01 in the proleptic
/// Gregorian calendar.
///
/// # Source
///
/// Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
fn civil(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = (of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::YEAR;

    fn ms() -> Seconds {
        Seconds::new(1e-3).unwrap()
    }

    /// Days from 1970-01-01, counted the slow way.
    fn days(year: i64, month: u32, day: u32) -> i64 {
        let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let mut all = 0;
        for y in 1970..year {
            all += if leap(y) { 366 } else { 365 };
        }
        let months = [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        all + months[..month as usize - 1].iter().sum::<i64>() + i64::from(day) - 1
    }

    #[test]
    fn forty_one_bits_of_milliseconds_last_69_7_years() {
        assert!((lifetime(41, ms()) / YEAR - 69.683).abs() < 0.001);
        assert!((lifetime(40, ms()) / YEAR - 34.842).abs() < 0.001);
        assert_eq!(date_after(days(2024, 1, 1), lifetime(41, ms())), "2093-09-06");
        assert_eq!(date_after(days(2010, 11, 4), lifetime(41, ms())), "2080-07-10");
        assert_eq!(date_after(days(2015, 1, 1), lifetime(42, ms())), "2154-05-15");
        assert_eq!(date_after(days(2011, 8, 24), lifetime(40, ms())), "2046-06-26");
    }

    #[test]
    fn days_are_counted_over_leap_years_and_centuries() {
        for (year, month, day) in
            [(1970, 1, 1), (2000, 2, 29), (2000, 3, 1), (2100, 2, 28), (2100, 3, 1), (2399, 12, 31)]
        {
            let expected = format!("{year:04}-{month:02}-{day:02}");
            assert_eq!(date_after(days(year, month, day), 0.0), expected);
        }
        assert_eq!(date_after(-1, 0.0), "1969-12-31");
    }

    #[test]
    fn worker_numbers_collide_by_the_birthday_rule() {
        for (workers, expected) in [(10, 0.0431), (38, 0.501), (100, 0.993)] {
            assert!((collision(workers, 1024.0) - expected).abs() < 0.0006, "{workers}");
        }
        assert_eq!(even_odds(1024.0), 38);
        assert_eq!(even_odds(365.0), 23);
        assert!(collision(1, 1024.0).abs() < 1e-15);
        assert!((collision(1025, 1024.0) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_generator_is_limited_by_its_sequence() {
        assert!((ids_a_second(12, ms()) - 4_096_000.0).abs() < 1e-3);
        assert!((ids_a_second(8, Seconds::new(0.01).unwrap()) - 25_600.0).abs() < 1e-6);
    }

    #[test]
    fn hostile_numbers_end_in_an_answer() {
        assert!(!lifetime(u32::MAX, ms()).is_nan());
        assert_eq!(date_after(i64::MAX, f64::INFINITY), "in more than 900,000 years");
        assert!(collision(u64::MAX, 1e9) > 0.99);
        assert!(collision(5, f64::NAN).is_finite());
    }
}
