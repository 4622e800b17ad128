//! `<default>`: attributes by class, and elements completed by their classes.

use std::collections::BTreeMap;

use crate::robot::xml::{Attribute, Element};
use carom_core::error::Result;
use carom_mechanics::model::spatial::Vector;
use carom_scene::fields::suggestion;

/// The root class, from which all others inherit.
const MAIN: &str = "main";

#[derive(Default)]
pub(super) struct Defaults<'a> {
    classes: BTreeMap<&'a str, Class<'a>>,
    main: Option<&'a str>,
}

#[derive(Default)]
struct Class<'a> {
    parent: Option<&'a str>,
    elements: Vec<&'a Element>,
}

/// An element with the attributes of its class.
#[derive(Clone)]
pub(super) struct Given<'a> {
    pub element: &'a Element,
    /// Defaults of the class, then of its ancestors.
    defaults: Vec<&'a Element>,
}

impl<'a> Defaults<'a> {
    pub fn read(root: &'a Element) -> Result<Self> {
        let mut found = Defaults::default();
        for top in root.all("default") {
            let name = top.text("class").unwrap_or(found.main.unwrap_or(MAIN));
            found.main.get_or_insert(name);
            found.class(top, name, None)?;
        }
        Ok(found)
    }

    fn class(
        &mut self,
        element: &'a Element,
        name: &'a str,
        parent: Option<&'a str>,
    ) -> Result<()> {
        let class = self.classes.entry(name).or_insert(Class { parent, elements: Vec::new() });
        if parent.is_some() && !class.elements.is_empty() {
            return Err(element.error(format!("a second default class `{name}`")));
        }
        for child in element.children.iter().filter(|child| child.name != "default") {
            if child.name != "joint" {
                no_armature(child)?;
            }
            class.elements.push(child);
        }
        for nested in element.all("default") {
            self.class(nested, &nested.require("class")?.value, Some(name))?;
        }
        Ok(())
    }

    /// An element with the attributes of its class; `inherited`: `childclass` of enclosing bodies.
    pub fn given(&self, element: &'a Element, inherited: Option<&Attribute>) -> Result<Given<'a>> {
        let class = match element.get("class").or(inherited) {
            None => self.main,
            Some(class) => Some(self.known(class)?),
        };
        let mut defaults = Vec::new();
        let mut next = class;
        while let Some(class) = next.and_then(|name| self.classes.get(name)) {
            defaults.extend(class.elements.iter().rev().filter(|e| e.name == element.name));
            next = class.parent;
        }
        Ok(Given { element, defaults })
    }

    pub fn known(&self, class: &Attribute) -> Result<&'a str> {
        let found = self.classes.get_key_value(class.value.as_str());
        let known = || suggestion(&class.value, self.classes.keys().copied());
        found.map(|(name, _)| *name).ok_or_else(|| {
            class.error(format!("no default class is called `{}`", class.value)).hint(known())
        })
    }
}

impl<'a> Given<'a> {
    pub fn bare(element: &'a Element) -> Given<'a> {
        Given { element, defaults: Vec::new() }
    }

    /// The attribute of the element, otherwise of the nearest class.
    pub fn get(&self, name: &str) -> Option<&'a Attribute> {
        self.levels().find_map(|element| element.get(name))
    }

    /// The element and its defaults, the nearest first.
    pub fn levels(&self) -> impl Iterator<Item = &'a Element> + '_ {
        std::iter::once(self.element).chain(self.defaults.iter().copied())
    }

    /// Refuses attributes that are not in `known`.
    pub fn check(&self, known: &str) -> Result<()> {
        self.levels().try_for_each(|element| element.check(known))
    }

    pub fn number(&self, name: &str, default: f64) -> Result<f64> {
        self.get(name).map_or(Ok(default), Attribute::number)
    }

    pub fn integer(&self, name: &str, default: i64) -> Result<i64> {
        self.get(name).map_or(Ok(default), Attribute::integer)
    }

    pub fn vector(&self, name: &str) -> Result<Vector> {
        self.get(name).map_or(Ok(Vector::zeros()), Attribute::vector)
    }

    /// Whether an attribute is given with a number that is not 0.
    pub fn has(&self, name: &str) -> Result<bool> {
        Ok(self.get(name).map_or(Ok(Vec::new()), Attribute::numbers)?.iter().any(|x| *x != 0.0))
    }
}

/// Refuses the armature of actuators and tendons, which changes the mass matrix.
pub(super) fn no_armature(element: &Element) -> Result<()> {
    match element.get("armature") {
        Some(armature) if armature.number()? != 0.0 => Err(armature
            .error(format!("the armature of <{}> is not supported", element.name))
            .hint("give it to the joint")),
        _ => Ok(()),
    }
}
