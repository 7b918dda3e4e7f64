//! A report as one HTML file: light, dark and on paper, and nothing in it is loaded from anywhere. The plots in it are
//! [`chart`]'s.

pub mod chart;

use std::fmt::Write;

use crate::picture::theme;
use crate::text::{escape, printable};

const STYLE: &str = include_str!("page.css");

/// A page in the making. What is called HTML is put in as it stands; all else is escaped.
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    /// `title` is a text.
    pub fn new(title: &str) -> Self {
        Self { title: escape(&printable(title)), body: String::new() }
    }

    /// What came of it, in one paragraph of HTML in larger letters; goes first.
    pub fn lede(mut self, html: &str) -> Self {
        let _ = writeln!(self.body, "<p class=\"lede\">{html}</p>");
        self
    }

    /// HTML under what stands above it.
    pub fn add(mut self, html: &str) -> Self {
        self.body += html;
        self.body += "\n";
        self
    }

    /// HTML under a heading, which is a text.
    pub fn section(mut self, heading: &str, html: &str) -> Self {
        let _ = writeln!(self.body, "<h2>{}</h2>\n{html}", escape(&printable(heading)));
        self
    }

    /// The whole file.
    pub fn render(&self) -> String {
        // The policy makes a browser refuse what would have to be loaded. Dark is for screens: paper stays light.
        format!(
            "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>Tollgate: {title}</title>
<style>
:root {{ {light} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} {dark_rules} }}
{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}</main>
</body>
</html>
",
            title = self.title,
            body = self.body,
            light = theme::variables(false),
            dark = theme::variables(true),
            dark_rules = theme::dark_rules(),
        )
    }
}

/// A table of texts as HTML. The first `left` columns are words, the first of them names the row; the rest are numbers.
pub fn table(head: &[&str], left: usize, rows: &[Vec<String>]) -> String {
    let words = |column: usize| if column < left { " class=\"words\"" } else { "" };
    let mut html = String::from("<div class=\"wide\"><table>\n<thead><tr>");
    for (column, cell) in head.iter().enumerate() {
        // A cell without a text is no heading to those who hear the table.
        let _ = if cell.is_empty() {
            write!(html, "<td></td>")
        } else {
            write!(html, "<th scope=\"col\"{}>{}</th>", words(column), escape(&printable(cell)))
        };
    }
    html += "</tr></thead>\n<tbody>\n";
    for row in rows {
        html += "<tr>";
        for (column, cell) in row.iter().enumerate() {
            let cell = escape(&printable(cell));
            let _ = if column == 0 && left > 0 {
                write!(html, "<th scope=\"row\">{cell}</th>")
            } else {
                write!(html, "<td{}>{cell}</td>", words(column))
            };
        }
        html += "</tr>\n";
    }
    html + "</tbody>\n</table></div>\n"
}

/// A picture as HTML with a caption, which is a text and may be empty.
pub fn figure(svg: &str, caption: &str) -> String {
    if caption.is_empty() {
        format!("<figure>{svg}</figure>\n")
    } else {
        format!("<figure>{svg}<figcaption>{}</figcaption></figure>\n", escape(&printable(caption)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_in_the_order_of_its_making_and_its_texts_are_escaped() {
        let page =
            Page::new("a <b> & c").lede("<b>one</b>").add("<p>two</p>").section("x < y", "three").render();
        let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} in {page}"));
        assert!(at("<title>Tollgate: a &lt;b&gt; &amp; c</title>") < at("<h1>a &lt;b&gt; &amp; c</h1>"));
        assert!(at("<p class=\"lede\"><b>one</b></p>") < at("<p>two</p>"));
        assert!(at("<p>two</p>") < at("<h2>x &lt; y</h2>\nthree"));
    }

    #[test]
    fn dark_is_for_screens_only() {
        let page = Page::new("x").render();
        assert_eq!(page.matches("prefers-color-scheme").count(), 1);
        assert!(page.contains("@media screen and (prefers-color-scheme: dark)"));
    }

    #[test]
    fn a_table_tells_words_from_numbers_and_names_its_rows() {
        let rows = [vec!["<t>".to_owned(), "User:a\u{1b}".to_owned(), "1".to_owned()]];
        let html = table(&["", "who", "n"], 2, &rows);
        for part in [
            "<tr><td></td><th scope=\"col\" class=\"words\">who</th><th scope=\"col\">n</th></tr>",
            "<tr><th scope=\"row\">&lt;t&gt;</th><td class=\"words\">User:a\u{fffd}</td><td>1</td></tr>",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
    }

    #[test]
    fn a_figure_without_a_caption_has_none() {
        assert_eq!(figure("<svg/>", ""), "<figure><svg/></figure>\n");
        assert_eq!(figure("<svg/>", "a<b"), "<figure><svg/><figcaption>a&lt;b</figcaption></figure>\n");
    }
}
