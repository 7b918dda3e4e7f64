//! The commands as users see them, for what is made from their definitions.

use clap::{Command, CommandFactory};

/// Under which shells and manuals know the tool.
pub const NAME: &str = "tollgate";

/// `tollgate` without its hidden commands: clap's makers of completions list those, too.
pub fn shown() -> Command {
    let all = crate::Cli::command();
    Command::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .about(all.get_about().cloned().unwrap_or_default())
        .after_help(all.get_after_help().cloned().unwrap_or_default())
        .subcommand_required(true)
        .args(all.get_arguments().cloned())
        .subcommands(all.get_subcommands().filter(|command| !command.is_hide_set()).cloned())
}
