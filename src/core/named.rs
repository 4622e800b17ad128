//! Enums whose variants have names.

/// Defines an enum whose variants have names for the command line, files and reports.
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $type:ident { $($(#[$of:meta])* $variant:ident = $name:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
        pub enum $type {
            $($(#[$of])* #[serde(rename = $name)] $variant,)+
        }

        impl $type {
            /// All variants, in order.
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$variant),+];

            /// The name in the command line, files and reports.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }
    };
}
