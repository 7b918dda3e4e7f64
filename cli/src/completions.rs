//! `tollgate completions`: what a shell needs to complete the tool's commands and options.

use clap::Args;
use clap_complete::Shell;

use crate::{commands, files};

#[derive(Args)]
#[command(after_help = "Examples:
  mkdir -p ~/.local/share/bash-completion/completions
  tollgate completions bash > ~/.local/share/bash-completion/completions/tollgate
  mkdir -p ~/.zfunc
  tollgate completions zsh > ~/.zfunc/_tollgate
  mkdir -p ~/.config/fish/completions
  tollgate completions fish > ~/.config/fish/completions/tollgate.fish")]
pub struct Arguments {
    /// Whose words to print
    shell: Shell,
}

/// Prints the shell's script.
///
/// # Errors
/// What the output doesn't take.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut commands::shown(), commands::NAME, &mut script);
    files::print(&script)
}
