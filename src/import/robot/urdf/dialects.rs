//! Friction and restitution of links, which only dialects of URDF define: `<proximity_properties>`
//! of Drake, `<contact>` of Bullet, `<gazebo>`.

use std::collections::{BTreeMap, BTreeSet};

use crate::robot::links::{Combining, Notes, Surface};
use crate::robot::xml::{Attribute, Element};
use carom_core::error::Result;

/// Children of `<gazebo>` without an effect on an impact.
const ASIDE: &str = "cfmDamping dampingFactor fudgeFactor gravity implicitSpringDamper laserRetro \
                     laser_retro material plugin preserveFixedJoint provideFeedback sensor \
                     springReference springStiffness turnGravityOff velocity_decay visual";
/// Elements of SDF that enclose the coefficients.
const AROUND: [&str; 6] = ["bounce", "bullet", "collision", "friction", "ode", "surface"];

/// The dialects in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dialect {
    Drake,
    Bullet,
    Gazebo,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stated {
    coefficients: [Option<f64>; 2],
    /// Friction along a second direction, or static friction.
    across: Option<f64>,
}

pub(super) struct Dialects {
    /// The friction that replaces the file's friction.
    friction: Option<f64>,
    gazebo: BTreeMap<String, Stated>,
    /// The dialects that define friction and restitution of some shape.
    used: [BTreeSet<Dialect>; 2],
    /// Whether some shapes have friction, and whether some have none.
    rough: [bool; 2],
}

impl Dialects {
    /// Reads the `<gazebo>` elements of a file.
    pub fn read(root: &Element, friction: Option<f64>, notes: &mut Notes) -> Result<Self> {
        let mut gazebo: BTreeMap<String, Stated> = BTreeMap::new();
        for element in root.all("gazebo") {
            let name = element.text("reference").unwrap_or_default();
            let of_link = root.all("link").any(|link| link.text("name") == Some(name));
            let mut stated = gazebo.get(name).copied().unwrap_or_default();
            for child in &element.children {
                stated.gazebo(child, notes)?;
            }
            if of_link {
                gazebo.insert(name.to_string(), stated);
            } else if stated.all().iter().any(Option::is_some) {
                notes.ignore(format!("<gazebo> of `{name}`, which is no link"));
            }
        }
        let differs =
            |stated: &&Stated| stated.across.is_some() && stated.all()[0] != stated.across;
        gazebo.values().filter(differs).for_each(|_| notes.ignore("<mu2> that differs from <mu1>"));
        let (used, rough) = (Default::default(), [false; 2]);
        Ok(Dialects { friction, gazebo, used, rough })
    }

    /// The numbers of a link, by dialect.
    pub fn link(&self, link: &Element, notes: &mut Notes) -> Result<[(Dialect, Stated); 2]> {
        let mut bullet = Stated::default();
        for child in link.all("contact").flat_map(|contact| &contact.children) {
            match child.name.as_str() {
                "lateral_friction" => bullet.friction(&child.value())?,
                "restitution" => bullet.restitution(&child.value())?,
                other => notes.ignore(format!("<{other}> of <contact>")),
            }
        }
        let name = link.text("name").unwrap_or_default();
        let gazebo = self.gazebo.get(name).copied().unwrap_or_default();
        Ok([(Dialect::Bullet, bullet), (Dialect::Gazebo, gazebo)])
    }

    /// The surface of a shape; `of_link`: coefficients of its link, which the shape's own override.
    pub fn collision(
        &mut self,
        shape: &Element,
        of_link: &[(Dialect, Stated); 2],
        link: &Element,
        notes: &mut Notes,
    ) -> Result<Surface> {
        let drake = (Dialect::Drake, Stated::drake(shape, notes)?);
        let all = [drake, of_link[0], of_link[1]];
        let name = link.text("name").unwrap_or_default();
        let mut found = [None; 2];
        for (k, what) in ["friction", "restitution"].into_iter().enumerate() {
            let mut stated = all.iter().filter_map(|(of, stated)| Some((*of, stated.all()[k]?)));
            let Some((dialect, number)) = stated.next() else { continue };
            for (other, differs) in stated.filter(|(_, other)| *other != number) {
                notes.say(format!(
                    "{what} of `{name}`: {number} of {dialect:?} counts, not {differs} of {other:?}"
                ));
            }
            self.used[k].insert(dialect);
            found[k] = Some(number);
        }
        let [friction, restitution] = found;
        self.rough[usize::from(friction.is_none())] = true;
        Ok(Surface::rubbing(self.friction.or(friction), restitution))
    }

    /// The combining rules of friction and restitution: of the first dialect in use. Drake has no
    /// restitution.
    pub fn combining(&self) -> [Combining; 2] {
        let of = |k: usize| match self.used[k].first() {
            Some(Dialect::Bullet) => Combining::Product,
            Some(Dialect::Gazebo) => Combining::Smallest,
            Some(Dialect::Drake) => Combining::Harmonic,
            None => Combining::Largest,
        };
        [if self.friction.is_some() { Combining::Largest } else { of(0) }, of(1)]
    }

    pub fn notes(&self, notes: &mut Notes) {
        for (k, what) in ["friction", "restitution"].into_iter().enumerate() {
            let names: Vec<String> = self.used[k].iter().map(|of| format!("{of:?}")).collect();
            let rule = match self.combining()[k] {
                Combining::Largest => "the larger one",
                Combining::Product => "the product",
                Combining::Smallest => "the smaller one",
                Combining::Harmonic => "2 a b / (a + b)",
            };
            let names = names.join(", ");
            match (self.friction.filter(|_| k == 0), names.is_empty()) {
                (Some(friction), false) => {
                    notes.say(format!("{what} is {friction}, not that of {names} in the file"))
                }
                (None, false) => notes.say(format!(
                    "{what} is that of {names} in the file; of two shapes a and b that have it: {rule}"
                )),
                (None, true) if k == 0 => notes.say(
                    "URDF has no friction, and neither Bullet, Drake nor Gazebo state one here: the \
                     coefficient is 1; --friction gives another",
                ),
                _ => {}
            }
        }
        if self.rough == [true; 2] && self.friction.is_none() {
            notes.say(
                "shapes without friction take that of what they touch, and 1 where neither has any",
            );
        }
    }
}

impl Stated {
    fn all(&self) -> [Option<f64>; 2] {
        let [friction, restitution] = self.coefficients;
        [friction.or(self.across), restitution]
    }

    fn friction(&mut self, number: &Attribute) -> Result<()> {
        self.coefficients[0] = Some(nonnegative(number)?);
        Ok(())
    }

    fn restitution(&mut self, number: &Attribute) -> Result<()> {
        match nonnegative(number)? {
            e if e <= 1.0 => self.coefficients[1] = Some(e),
            e => return Err(number.error(format!("expected a number from 0 to 1, found {e}"))),
        }
        Ok(())
    }

    /// The coefficients of a shape by Drake. Dynamic friction takes precedence over a different
    /// static friction; either applies alone.
    fn drake(shape: &Element, notes: &mut Notes) -> Result<Stated> {
        let mut found = Stated::default();
        for child in &shape.children {
            match child.name.as_str() {
                "geometry" | "origin" | "verbose" => {}
                "proximity_properties" => {
                    for property in &child.children {
                        match property.name.as_str() {
                            "mu_dynamic" => found.friction(&property.value())?,
                            "mu_static" => found.across = Some(nonnegative(&property.value())?),
                            other => notes.ignore(format!("<{other}> of <proximity_properties>")),
                        }
                    }
                }
                other => notes.ignore(format!("<{other}> of <collision>")),
            }
        }
        if found.across.is_some() && found.all()[0] != found.across {
            notes.ignore("<mu_static> that differs from <mu_dynamic>");
        }
        Ok(found)
    }

    fn gazebo(&mut self, element: &Element, notes: &mut Notes) -> Result<()> {
        match element.name.as_str() {
            around if AROUND.contains(&around) && !element.children.is_empty() => {
                element.children.iter().try_for_each(|child| self.gazebo(child, notes))?;
            }
            "mu" | "mu1" | "friction" => self.friction(&element.value())?,
            "mu2" | "friction2" => self.across = Some(nonnegative(&element.value())?),
            "restitution_coefficient" => self.restitution(&element.value())?,
            aside if ASIDE.split(' ').any(|known| known == aside) => {
                notes.leave_out(format!("<{aside}> of <gazebo>"))
            }
            other => notes.ignore(format!("<{other}> of <gazebo>")),
        }
        Ok(())
    }
}

fn nonnegative(number: &Attribute) -> Result<f64> {
    match number.number()? {
        x if x >= 0.0 => Ok(x),
        x => Err(number.error(format!("expected a number >= 0, found {x}"))),
    }
}
