//! Files of problems and scenes, good and bad; the built-in scenes.

mod design;
mod dialects;
mod files;
mod hulls;
mod parameters;
mod robots;
mod robots_refused;
mod spatial;

use crate::prelude::*;
use carom::model::spatial::Vector;
use carom_import::robot;
use carom_import::robot::Options;
use std::path::Path;
