//! The command `carom`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Mesa's device-select layer complains on stderr wherever there is no desktop session.
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    ExitCode::from(carom::cli::run(std::env::args_os()))
}
