//! Cases of the dispatch estimator, by its formula.

use crate::random::Random;
use crate::Case;

struct Run {
    precise: bool,
    average: Option<f64>,
    case: Case,
}

impl Run {
    fn new(name: &str, precise: bool, starting_at: Option<f64>) -> Self {
        let start = starting_at.map_or("null".to_owned(), |average| format!("{average:?}"));
        let made = format!(r#""precise": {precise}, "starting_at": {start}"#);
        let case = Case { name: name.to_owned(), made, steps: Vec::new() };
        Self { precise, average: starting_at, case }
    }

    fn entries_to_read(&self, permits: i64, batch: u64) -> u64 {
        let each = match self.average {
            Some(average) if self.precise => average.max(1.0),
            _ => 1.0,
        };
        let mut entries = 1;
        // Less than a thousand-millionth of an entry more is what a double rounds away.
        while (entries as f64 + 1e-9) * each < permits as f64 && entries < batch {
            entries += 1;
        }
        if permits <= 0 {
            0
        } else {
            entries
        }
    }

    fn step(&mut self, (messages, entries): (u64, u64), permits: i64, batch: u64) {
        if messages > 0 && entries > 0 {
            let pushed = messages as f64 / entries as f64;
            self.average = Some(self.average.map_or(pushed, |average| 0.9 * average + 0.1 * pushed));
        }
        let average = self.average.map_or("null".to_owned(), |average| format!("{average:?}"));
        let read = self.entries_to_read(permits, batch);
        self.case.steps.push(format!(
            r#"{{ "messages": {messages}, "entries": {entries}, "average": {average}, "permits": {permits}, "read_batch_size": {batch}, "entries_to_read": {read} }}"#
        ));
    }

    fn with(mut self, pushed: (u64, u64), permits: &[i64]) -> Self {
        permits.iter().enumerate().for_each(|(n, &permits)| {
            self.step(if n == 0 { pushed } else { (0, 0) }, permits, 500);
        });
        self
    }
}

fn random(name: &str, precise: bool, random: &mut Random) -> Run {
    let start = (random.below(2) == 0).then(|| 1.0 + random.below(4000) as f64 / 4.0);
    let mut run = Run::new(name, precise, start);
    for _ in 0..200 {
        let entries = [0, 1, 1, 1 + random.below(5), 1 + random.below(500)][random.below(5) as usize];
        let each = [0, 1, 1 + random.below(10), 1 + random.below(5000)][random.below(4) as usize];
        let messages = entries * each + random.below(entries + 1);
        let permits =
            [random.below(2000), random.below(100), random.below(1 << 40)][random.below(3) as usize] as i64;
        let permits = if random.below(8) == 0 { -permits } else { permits };
        let batch = [500, 100, 1, 0, 1 + random.below(2000)][random.below(5) as usize];
        run.step((messages, entries), permits, batch);
    }
    run
}

pub fn cases() -> Vec<Case> {
    let mut seeded = Random::new(0x0064_6973_7061_7463);
    let mut d2 = Run::new("d2", true, Some(1000.0));
    (0..250).for_each(|_| d2.step((1, 1), 100, 500));
    let mut d4 = Run::new("d4", true, None);
    [(0, 0), (5, 0), (0, 5), (10, 1), (0, 0), (5, 0), (0, 5)]
        .iter()
        .for_each(|&push| d4.step(push, 100, 500));
    let mut runs = vec![
        Run::new("d1", true, None).with((0, 0), &[1000]).with((1000, 1), &[1000, 1001]),
        d2,
        Run::new("d3", true, None).with((10, 1), &[10, 11]),
        Run::new("d3_off", false, None).with((1000, 1), &[1000, 30]),
        d4,
        Run::new("d5", true, None).with((10, 1), &[-43, -8, 100, 0]),
    ];
    for n in 1..=4 {
        runs.push(random(&format!("random_{n}"), n % 3 > 0, &mut seeded));
    }
    runs.into_iter().map(|run| run.case).collect()
}
