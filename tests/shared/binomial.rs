//! How many wrong answers chance allows.

/// A normal variable is above five sigma once in 3.5 million times.
const FIVE_SIGMA: f64 = 2.87e-7;

/// The most wrong answers that `asked` ids, each wrong with a probability of at most `rate`, give but once in 3.5 million runs.
///
/// By Chernoff's bound, which holds for every n and p: `P(X >= k) <= exp(-n KL(k/n || p))`. So the result is the k at which
/// that falls below [`FIVE_SIGMA`], and honest also where only a handful is expected and a normal approximation is not.
#[must_use]
pub fn most_wrong(asked: u64, rate: f64) -> u64 {
    let n = asked as f64;
    let is_likely = |wrong: f64| {
        let share = wrong / n;
        let right = if share < 1.0 { (1.0 - share) * ((1.0 - share) / (1.0 - rate)).ln() } else { 0.0 };
        -n * (share * (share / rate).ln() + right) > FIVE_SIGMA.ln()
    };
    let (mut low, mut high) = (n * rate, n);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if is_likely(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low as u64
}
