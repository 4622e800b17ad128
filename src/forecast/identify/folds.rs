use crate::bootstrap::tosses;
use crate::ridge::members;
use carom_core::event::Event;
use carom_core::rng::{Purpose, Stream};

/// Tosses of events; events of one toss share errors. An event without a toss is its own toss.
#[derive(Clone, Debug)]
pub struct Tosses {
    /// Indices of the events of each toss.
    pub events: Vec<Vec<usize>>,
}

impl Tosses {
    pub fn new(events: &[Event]) -> Self {
        Tosses { events: members(&tosses(events)) }
    }

    /// Events of `count` folds: tosses in a random order, dealt out one by one.
    pub fn folds(&self, count: usize, seed: u64) -> Vec<Vec<usize>> {
        let draw = |toss: usize| Stream::new(seed, toss as u64).draw(0, Purpose::User, 0);
        let mut order: Vec<usize> = (0..self.events.len()).collect();
        order.sort_by_key(|&toss| draw(toss));
        let mut folds = vec![Vec::new(); count];
        for (k, &toss) in order.iter().enumerate() {
            folds[k % count].extend(&self.events[toss]);
        }
        folds.iter_mut().for_each(|fold| fold.sort_unstable());
        folds
    }

    /// Mean over the events, and its standard error with the tosses as independent: `sqrt(T / (T -
    /// 1) sum_t (sum_i (x_i - mean))^2) / N`, where i runs over the events of toss t.
    pub fn mean(&self, numbers: &[f64]) -> (f64, f64) {
        let (n, tosses) = (numbers.len() as f64, self.events.len() as f64);
        let mean = numbers.iter().sum::<f64>() / n;
        let of = |toss: &Vec<usize>| toss.iter().map(|&i| numbers[i] - mean).sum::<f64>().powi(2);
        let squares: f64 = self.events.iter().map(of).sum();
        let error = (tosses / (tosses - 1.0) * squares).sqrt() / n;
        (mean, if tosses > 1.0 { error } else { f64::INFINITY })
    }
}
