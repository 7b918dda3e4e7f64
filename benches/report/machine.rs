//! The machine that measured, as far as it bears on the numbers; no names of hosts.

use std::path::Path;
use std::process::Command;

/// What it is, and its value.
pub type Fact = (&'static str, String);

pub fn describe(jvm: Option<String>) -> Vec<Fact> {
    let cores = std::thread::available_parallelism().map_or_else(|_| "?".to_owned(), |n| n.to_string());
    let system = |file| read(Path::new("/proc/sys/kernel").join(file).as_path());
    let kernel = system("ostype").zip(system("osrelease")).map(|(name, version)| format!("{name} {version}"));
    let facts = [
        ("processor", field("/proc/cpuinfo", "model name")),
        ("architecture", Some(std::env::consts::ARCH.to_owned())),
        ("processors to run on", Some(cores)),
        ("caches", caches()),
        ("memory", field("/proc/meminfo", "MemTotal").as_deref().and_then(gibibytes)),
        ("transparent huge pages", read(Path::new("/sys/kernel/mm/transparent_hugepage/enabled"))),
        ("kernel", kernel),
        ("rustc", rustc()),
        ("JVM", jvm),
    ];
    facts.map(|(name, value)| (name, value.unwrap_or_else(|| "unknown".to_owned()))).into()
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// The first `key : value` line of that key.
fn field(path: &str, key: &str) -> Option<String> {
    let text = read(Path::new(path))?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn gibibytes(kilobytes: &str) -> Option<String> {
    let kilobytes: f64 = kilobytes.split(' ').next()?.parse().ok()?;
    Some(format!("{:.1} GiB", kilobytes / f64::from(1 << 20)))
}

/// As the first processor sees them.
fn caches() -> Option<String> {
    let all = (0..8).map_while(|index| {
        let dir = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
        let part = |file| read(&Path::new(&dir).join(file));
        Some(format!("L{} {} {}", part("level")?, part("type")?.to_lowercase(), part("size")?))
    });
    Some(all.collect::<Vec<_>>().join(", ")).filter(|list| !list.is_empty())
}

fn rustc() -> Option<String> {
    let said = Command::new("rustc").arg("--version").output().ok()?;
    String::from_utf8(said.stdout).ok().map(|text| text.trim().trim_start_matches("rustc ").to_owned())
}
