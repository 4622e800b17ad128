//! The variants that `carom bench --tune` found fastest, remembered from run to run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::adapter::AdapterReport;
use carom_shaders::Variant;

/// The variant that suits a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuned {
    /// The adapter's name.
    pub name: String,
    /// The adapter's driver, with version.
    pub driver: String,
    /// The version of carom that measured the variant.
    pub version: String,
    /// The fastest variant.
    pub variant: Variant,
}

impl Tuned {
    /// The variant that was measured on an open device.
    pub fn new(report: &AdapterReport, variant: Variant) -> Self {
        let (name, driver) = (report.name.clone(), report.driver.clone());
        Tuned { name, driver, version: env!("CARGO_PKG_VERSION").to_string(), variant }
    }

    /// Whether the variant is valid for a device, with its present driver and this version of
    /// carom.
    fn serves(&self, report: &AdapterReport) -> bool {
        self.variant.share > 0 && *self == Tuned::new(report, self.variant)
    }

    /// The file of remembered variants: `CAROM_TUNED`, or `carom/tuned.json` in the user's folder
    /// of settings; `None` where there is no such folder.
    pub fn path() -> Option<PathBuf> {
        let folder =
            |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        folder("CAROM_TUNED").or_else(|| {
            let settings = folder("XDG_CONFIG_HOME")
                .or_else(|| folder("APPDATA"))
                .or_else(|| folder("HOME").map(|home| home.join(".config")));
            settings.map(|folder| folder.join("carom").join("tuned.json"))
        })
    }

    /// The remembered variants of all devices; none where the file is damaged, so that no run fails
    /// for it.
    pub fn all() -> Vec<Tuned> {
        let text = Self::path().and_then(|path| std::fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// The remembered variant of a device.
    pub fn of(report: &AdapterReport) -> Option<Variant> {
        Self::all().into_iter().find(|tuned| tuned.serves(report)).map(|tuned| tuned.variant)
    }
}
