//! Enums whose variants have names.

/// Defines an enum whose variants have names: those that the command line, files and reports use.
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
            /// All of them, in their order.
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$variant),+];

            /// The name that the command line, files and reports use.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }
    };
}
