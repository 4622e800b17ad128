use super::fields::Item;
use super::problem::{self, of_length};
use carom_core::error::Result;
use carom_core::event::Event;

/// The events of an event file, under the key `events`.
pub(super) fn read(root: &Item<'_>) -> Result<Vec<Event>> {
    let file = root.open_table()?;
    let list = file.require("events", "the list of measured impacts")?;
    let events: Vec<Event> =
        list.list()?.iter().enumerate().map(|(i, item)| event(i, item)).collect::<Result<_>>()?;
    if events.is_empty() {
        return Err(list.error("there is no event; expected at least one measured impact"));
    }
    Ok(events)
}

fn event(i: usize, item: &Item<'_>) -> Result<Event> {
    let table = item.open_table()?;
    let problem = problem::of(item, &table, &format!("event {i}"))?;
    let n = problem.coordinate_count();
    let measured =
        table.require("measured", "the velocity measured after the impact, n numbers")?;
    let after = of_length(&measured, n, "entries of the velocity")?;
    if problem.kinetic_energy(problem.velocity().as_slice()) <= 0.0 {
        let at = table.require("velocity", "the velocity before the impact, n numbers")?;
        return Err(at.error(
            "nothing moves before the impact; distances are measured in units of this velocity",
        ));
    }
    let not_negative = |item: Item<'_>| match item.number()? {
        x if x >= 0.0 => Ok(x),
        x => Err(item.error(format!("expected a number >= 0, found {x}"))),
    };
    Ok(Event {
        number: i,
        measured: after,
        noise: table.get("noise").map(not_negative).transpose()?,
        clean: table.get("clean").map(|item| item.boolean()).transpose()?,
        gap: problem.spec().gap.clone(),
        toss: table.get("toss").map(|item| item.number()).transpose()?,
        problem,
    })
}
