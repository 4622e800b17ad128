//! Numbers that no motion can have are refused when a file is read, where they stand.

use super::*;

const MOTION: &str = "integrator = \"midpoint\"\ntime_step = 0.01\nlaw = \"sequential\"\nfriction = 0.3\nrestitution = 0.5\n\
    [[bodies]]\nname = \"a\"\nmass = 1\nshapes = [{ box = [1, 1] }]\nposition = [0, 3]\n\
    [[bodies]]\nname = \"b\"\nmass = 1\nshapes = [{ disk = 0.5 }]\nposition = [0, 5]\n\
    [[pairs]]\nbetween = [\"a\", \"b\"]\nfriction = 0.4\nrestitution = 0.2\n";

/// Place and words of the error with `bad` instead of `good`, which the text points to.
fn refused(good: &str, bad: &str) -> (String, String) {
    let mut all = Vec::new();
    for integrator in ["midpoint", "inclusion"] {
        let text = MOTION.replace("midpoint", integrator);
        assert!(Document::new("m.toml", text.clone(), Format::Toml).unwrap().motion().is_ok());
        assert_eq!(text.matches(good).count(), 1, "{good}");
        let text = text.replace(good, bad);
        let error =
            Document::new("m.toml", text.clone(), Format::Toml).unwrap().motion().unwrap_err();
        let span = error.excerpt.clone().unwrap().span;
        let value = bad.split(" = ").nth(1).unwrap();
        assert_eq!(&text[span], value, "{bad}: {error}");
        all.push((
            error.at.clone().unwrap_or_default(),
            format!("{}; {}", error.what, error.hint.unwrap_or_default()),
        ));
    }
    assert_eq!(all[0], all[1], "{bad}");
    all.swap_remove(0)
}

#[test]
fn coefficients_out_of_range() {
    let cases = "
friction = 0.3 => friction = -0.3 | friction | a coefficient of friction is >= 0, found -0.3
friction = 0.3 => friction = nan | friction | finite number
friction = 0.4 => friction = -0.4
    | pairs[0].friction | a coefficient of friction is >= 0, found -0.4
restitution = 0.5 => restitution = 1.5 | restitution | lies in [0, 1], found 1.5
restitution = 0.5 => restitution = -0.1 | restitution | lies in [0, 1], found -0.1
restitution = 0.2 => restitution = 2 | pairs[0].restitution | lies in [0, 1], found 2
time_step = 0.01 => time_step = 0 | time_step | > 0, found 0
time_step = 0.01 => time_step = -1 | time_step | > 0, found -1
";
    for [good, bad, place, words] in table(cases) {
        let (at, what) = refused(&good, &bad);
        assert!(at.starts_with(&place) && what.contains(&words), "{bad}: {at}: {what}");
    }
}

/// What a law cannot honour is no surprise of the first impact either.
#[test]
fn laws_that_know_no_restitution() {
    for law in ["anitescu-potra", "cone-complementarity", "convex-relaxation"] {
        let with = |text: &str| text.replace("sequential", law);
        let read = |text: String| {
            Document::new("m.toml", text, Format::Toml).unwrap().motion().map(|_| ())
        };
        let error = read(with(MOTION)).unwrap_err();
        assert!(error.at.as_deref().unwrap().starts_with("restitution"), "{error}");
        assert!(error.what.contains("inelastic"), "{error}");
        assert!(error.hint.as_deref().unwrap().contains("another `law`"), "{error}");
        let pair = read(with(MOTION).replace("restitution = 0.5\n", "")).unwrap_err();
        assert!(pair.at.as_deref().unwrap().starts_with("pairs[0].restitution"), "{pair}");
        assert_eq!(
            read(
                with(MOTION).replace("restitution = 0.5\n", "").replace("restitution = 0.2\n", "")
            ),
            Ok(())
        );
    }
}
