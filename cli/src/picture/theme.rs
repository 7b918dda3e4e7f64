//! Light and dark. The plots are drawn in the light colours below, each used for one thing only; [`apply`] then
//! marks every element with a class for its colour, and the style sheet gives the classes their dark colours.
//!
//! The light colours stay in the elements' attributes: a viewer without style sheets, or paper, shows the light
//! picture.

use plotters::style::RGBColor;

/// A colour's name (its class is `f-name` where it fills and `s-name` where it strokes), and its two values.
struct Colour {
    name: &'static str,
    light: RGBColor,
    dark: &'static str,
}

pub const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
pub const MUTED: RGBColor = RGBColor(0x59, 0x63, 0x6e);
pub const GRID: RGBColor = RGBColor(0xe3, 0xe7, 0xec);
pub const SURFACE: RGBColor = RGBColor(0xff, 0xff, 0xfe);
pub const BAND: RGBColor = RGBColor(0xf5, 0xf6, 0xf8);
pub const DEEP_BAND: RGBColor = RGBColor(0xec, 0xee, 0xf2);
/// The two brokers: a blue and an orange that stay apart for every kind of colour vision, and in grey.
pub const GUARDED: RGBColor = RGBColor(0x09, 0x69, 0xda);
pub const STOCK: RGBColor = RGBColor(0xc2, 0x41, 0x0c);
/// Further curves of one plot, after the two above.
const THIRD: RGBColor = RGBColor(0x9a, 0x2f, 0x8f);
const FOURTH: RGBColor = RGBColor(0x0f, 0x76, 0x6e);
/// A plot's curves in their order.
pub const CURVES: [RGBColor; 4] = [GUARDED, STOCK, THIRD, FOURTH];
/// Bars beside the one that is marked.
pub const PALE: RGBColor = RGBColor(0x8f, 0xb8, 0xec);
/// A line that curves are held against.
pub const LIMIT: RGBColor = RGBColor(0x24, 0x29, 0x2f);

const COLOURS: [Colour; 12] = [
    Colour { name: "ink", light: INK, dark: "#e6edf3" },
    Colour { name: "muted", light: MUTED, dark: "#9aa5b1" },
    Colour { name: "grid", light: GRID, dark: "#2a3038" },
    Colour { name: "surface", light: SURFACE, dark: "#0d1117" },
    Colour { name: "band", light: BAND, dark: "#141a21" },
    Colour { name: "deep-band", light: DEEP_BAND, dark: "#1b222b" },
    Colour { name: "guarded", light: GUARDED, dark: "#58a6ff" },
    Colour { name: "stock", light: STOCK, dark: "#ff8f4d" },
    Colour { name: "third", light: THIRD, dark: "#e58be0" },
    Colour { name: "fourth", light: FOURTH, dark: "#4fd1c5" },
    Colour { name: "pale", light: PALE, dark: "#2c4f7c" },
    Colour { name: "limit", light: LIMIT, dark: "#f0f6fc" },
];

const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// What the name of a colour stands for in the page's own style sheet: `--ink: #1f2328` and so on.
pub fn variables(dark: bool) -> String {
    COLOURS
        .iter()
        .map(|c| {
            if dark {
                format!("--{}: {};", c.name, c.dark)
            } else {
                format!("--{}: {};", c.name, hex(c.light))
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// The rules that turn any picture dark, to stand within a `prefers-color-scheme: dark` query.
pub fn dark_rules() -> String {
    rules(|_| true)
}

/// The same for one picture: only of the colours that it has.
pub fn dark_rules_of(svg: &str) -> String {
    rules(|name| ["f", "s"].iter().any(|kind| svg.contains(&format!("class=\"{kind}-{name}"))))
}

fn rules(has: impl Fn(&str) -> bool) -> String {
    let rule =
        |Colour { name, dark, .. }: &Colour| format!(".f-{name}{{fill:{dark}}}.s-{name}{{stroke:{dark}}}");
    let rules: String = COLOURS.iter().filter(|colour| has(colour.name)).map(rule).collect();
    let surface = COLOURS.iter().find(|c| c.light == SURFACE).map_or("", |c| c.dark);
    rules + &format!(".halo{{stroke:{surface}}}")
}

/// Marks each element of a plot with its colour's class, sets the fonts, and lays a halo of the background's colour
/// behind the labels that stand among the curves (those in a curve's colour or in a limit's).
pub fn apply(svg: &str) -> String {
    let mut text = svg.replace("font-family=\"sans-serif\"", &format!("font-family=\"{FONTS}\""));
    for Colour { name, light, .. } in COLOURS {
        let value = hex(light).to_uppercase();
        let halo = if light == LIMIT || CURVES.contains(&light) { " halo" } else { "" };
        text = text.lines().map(|line| mark(line, name, &value, halo)).collect::<Vec<_>>().join("\n");
    }
    text
}

/// `plotters` writes one element a line (a text's content on lines of its own).
fn mark(line: &str, name: &str, value: &str, halo: &str) -> String {
    let surface = hex(SURFACE);
    if line.starts_with("<text") && !halo.is_empty() {
        return line.replace(
            &format!("fill=\"{value}\""),
            &format!(
                "class=\"f-{name}{halo}\" fill=\"{value}\" stroke=\"{surface}\" stroke-width=\"4\" \
                 stroke-linejoin=\"round\" paint-order=\"stroke\""
            ),
        );
    }
    line.replace(&format!("fill=\"{value}\""), &format!("class=\"f-{name}\" fill=\"{value}\""))
        .replace(&format!("stroke=\"{value}\""), &format!("class=\"s-{name}\" stroke=\"{value}\""))
}

fn hex(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_gets_the_class_of_its_colour() {
        let svg = "<line stroke=\"#E3E7EC\"/>\n<rect fill=\"#F5F6F8\" stroke=\"none\"/>\n<text fill=\"#1F2328\">\nA\n</text>";
        let themed = apply(svg);
        assert!(themed.contains("<line class=\"s-grid\" stroke=\"#E3E7EC\"/>"), "{themed}");
        assert!(themed.contains("<rect class=\"f-band\" fill=\"#F5F6F8\" stroke=\"none\"/>"), "{themed}");
        assert!(themed.contains("<text class=\"f-ink\" fill=\"#1F2328\">"), "{themed}");
    }

    #[test]
    fn a_label_among_the_curves_gets_one_class_attribute_and_a_halo() {
        let themed = apply("<text fill=\"#C2410C\">\nstock\n</text>");
        assert_eq!(themed.matches("class=").count(), 1, "{themed}");
        assert!(themed.contains("class=\"f-stock halo\""), "{themed}");
        assert!(themed.contains("paint-order=\"stroke\""), "{themed}");
    }

    #[test]
    fn a_picture_brings_the_rules_of_its_own_colours() {
        let rules = dark_rules_of("<line class=\"s-grid\"/><text class=\"f-stock halo\"/>");
        assert!(
            rules.contains(".s-grid{") && rules.contains(".f-stock{") && rules.contains(".halo{"),
            "{rules}"
        );
        assert!(!rules.contains("ink") && !rules.contains("guarded"), "{rules}");
    }

    #[test]
    fn every_colour_has_its_own_light_value_and_a_dark_rule() {
        let rules = dark_rules();
        for (i, colour) in COLOURS.iter().enumerate() {
            assert!(rules.contains(&format!(".f-{}{{fill:{}}}", colour.name, colour.dark)));
            assert!(COLOURS[..i].iter().all(|other| other.light != colour.light), "{} twice", colour.name);
        }
    }
}
