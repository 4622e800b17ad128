//! Warnings about a model used for numbers of contacts outside its training events.

use std::collections::BTreeMap;

/// Numbers of contacts of some problems, ascending, each with its count.
pub(super) fn counted(contacts: &[usize]) -> Vec<[usize; 2]> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    contacts.iter().for_each(|m| *counts.entry(*m).or_default() += 1);
    counts.into_iter().map(|(m, count)| [m, count]).collect()
}

/// Warning about a model applied to problems with the numbers `contacts`. The model was fitted to
/// `events` events; `fitted` has their numbers of contacts, each with its count. A model fitted to
/// no event has parameters chosen by its author.
pub(super) fn unfitted(events: usize, fitted: &[[usize; 2]], contacts: &[usize]) -> Option<String> {
    if fitted.is_empty() {
        let unknown = "the model does not say how many contacts the events had that it was fitted \
                       to, and with other numbers its forecasts may be far off; `carom identify` \
                       writes `contacts` into its file";
        return (events > 0).then(|| unknown.to_string());
    }
    let is_other = |m: &usize| fitted.iter().all(|[known, _]| known != m);
    let others: Vec<usize> = contacts.iter().copied().filter(is_other).collect();
    let least = *others.iter().min()?;
    let number = |m: usize| if m == 1 { "1 contact".to_string() } else { format!("{m} contacts") };
    let listed = |of: &[[usize; 2]], each: &dyn Fn(usize) -> String| {
        let words = of.iter().map(|&[m, count]| format!("{}{}", number(m), each(count)));
        words.collect::<Vec<_>>().join(", ")
    };
    let all = contacts.len();
    let share = |count| if all == 1 { String::new() } else { format!(" ({count} of {all})") };
    let known = listed(fitted, &|count| format!(" ({count})"));
    let used = listed(&counted(&others), &share);
    Some(format!(
        "the model was fitted to events with {known}, and is used with {used}, where its forecasts may be far off; \
         `carom identify --contacts {least}` takes events with {} and more",
        number(least)
    ))
}
