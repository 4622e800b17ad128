//! The process that runs is named, and options that would do nothing are refused.

use super::*;

/// A block that falls on two corners, and the same as an event.
fn directory() -> Folder {
    let dir = Folder::new();
    let mut block: Value = serde_json::from_str(BLOCK).unwrap();
    block.as_object_mut().unwrap().remove("contacts");
    write(&dir, "block.json", block.to_string());
    block["measured"] = json!([0, 0, 0]);
    write(&dir, "events.json", json!({ "events": [block] }).to_string());
    dir
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let dir = directory();
    let cases = "
        2 sample block.json --hypothesis poisson => --hypothesis | restitution
        2 sample block.json --hypothesis stronge => --hypothesis | --restitution E
        2 sample block.json --restitution 0 --hypothesis poisson => --hypothesis
        2 sample block.json --uncertainty mu=0..1 --hypothesis poisson => --hypothesis
        2 reality events.json --hypothesis poisson => --hypothesis | restitution
        2 sample block.json --law propagative --restitution 0.5 --hypothesis poisson => \
            --hypothesis | belongs to routh
        2 resolve icosahedron-tetrahedron --law darboux-keller --restitution 0 --hypothesis newton => \
            --hypothesis | restitution
        2 sample cube-on-edge --solution lemke => --solution | `inclusion` | --facets K
        2 sample block.json --process exact --solution lemke => --solution | `events` | leave it out
        2 reality events.json --process exact --solution lemke => --solution
        2 sample block.json --restitution 0.5 --persist 2 => persist | leave --persist out
        2 sample block.json --process events --last-step 0.1 => \
            --last-step | `events` | --process steps
        2 sample block.json --theta-max 0.1 => --theta-max | the law routh has no such option | plus
        2 sample block.json --law plus --max-steps 5 => \
            --max-steps | belongs to routh, sequential, propagative
        2 sample block.json --law plus --hypothesis stronge => --hypothesis | belongs to routh
        2 plot icosahedron-tetrahedron --law darboux-keller -o x.svg -n 10 => \
            --samples | one outcome | leave it out
        2 plot icosahedron-tetrahedron --law darboux-keller -o x.svg --seed 1 => \
            --seed | one outcome
        2 plot billiard-break --sweep theta=60..90 -o x.svg -n 10 => --samples | --sweep
        2 plot billiard-break --sweep theta=60..90 -o x.svg --law routh => --law | propagative
        2 plot billiard-break --sweep theta=60..90 -o x.svg --restitution 0.5 => \
            --restitution | --sweep";
    refusals(&dir, "", cases);
}

#[test]
fn what_is_the_default_may_be_said() {
    let dir = directory();
    for args in [
        "sample cube-on-edge --solution random --persist 1 --sampler coverage",
        "sample block.json --law sequential --solution random --sampler uniform",
        "sample block.json --restitution 0 --solution lemke",
        "sample cube-on-edge --law sequential --restitution 0.5",
        "sample block.json --uncertainty e=0..0.5 --hypothesis stronge",
        "plot block.json --law routh --seed 0 -o set.svg",
        "plot block.json --law plus --uncertainty mu=0.1..1 -n 50 -o set.svg",
        "plot billiard-break --sweep theta=60..90 -o swept.svg --law propagative",
    ] {
        let few = if args.starts_with("sample") { "-n 20" } else { "" };
        done(&dir, &format!("{args} {few}"));
    }
}

#[test]
fn the_law_is_named_with_the_process_that_ran() {
    let dir = directory();
    let cases = "
        sample block.json => routh: from event to event in blocks of constant rates | --process steps
        sample block.json --process steps => routh: steps by complementarity | --law sequential
        sample block.json --persist 2 => routh: steps by complementarity |
        sample cube-on-edge => routh: inclusion integrated, circular friction cones | --facets K
        sample cube-on-edge --facets 8 => \
            routh: steps by complementarity, friction cones of 8 facets | without --facets
        sample block.json --restitution 0.5 => \
            routh: from event to event in blocks of constant rates | --process steps
        sample block.json --process exact => \
            routh: from event to event in blocks of constant rates | --process steps
        sample block.json --restitution 0.5 --process inclusion => routh: inclusion integrated |
        sample block.json --restitution 0.5 --process steps => routh: steps by complementarity |
        sample block.json --law sequential => \
            sequential: single impacts in random order | --law routh
        sample block.json --law plus --uncertainty mu=0.1..1 => \
            plus: rounds of compression and expansion, one outcome a draw | --law routh
        compare cube-on-edge => routh: inclusion integrated, circular friction cones | --facets K
        reality events.json => routh: from event to event in blocks of constant rates | other shares";
    for case in cases.lines().skip(1) {
        let (line, said) = case.split_once(" => ").unwrap();
        let (law, other) = said.split_once(" |").unwrap();
        let report = text(&run(&dir, &format!("{line} -n 20 --device cpu")).stdout);
        assert!(report.contains(&format!("\nlaw         {law}\n")), "{line}\n{report}");
        assert!(report.contains(other.trim()), "{line}\n{report}");
    }
}
