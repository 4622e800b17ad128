//! Files of problems and scenes, good and bad; the built-in scenes.

mod design;
mod files;
mod parameters;
mod robots;
mod robots_refused;
mod spatial;
