//! Files of problems and scenes, good and bad; the built-in scenes.

mod design;
mod dialects;
mod files;
mod hulls;
mod parameters;
mod robots;
mod robots_refused;
mod spatial;
