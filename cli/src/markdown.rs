//! Parts of a page that a program writes.

use std::fmt::Write;

/// The lines between which `command` writes.
fn markers(command: &str) -> (String, String) {
    (format!("<!-- made by `{command}`: begin -->"), format!("<!-- made by `{command}`: end -->"))
}

/// The page with another text between the command's markers.
///
/// # Errors
/// A sentence that names the markers which the page lacks.
pub fn replace(page: &str, command: &str, text: &str) -> Result<String, String> {
    let (begin, end) = markers(command);
    let parts = page.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = parts.ok_or_else(|| format!("lacks the lines {begin} and {end}"))?;
    Ok(format!("{before}{begin}\n\n{text}\n{end}{after}"))
}

/// A Markdown table whose columns also line up on a terminal; the first `left` ones are text.
pub fn table(head: &[&str], left: usize, lines: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let width = |column: usize| {
        lines.iter().chain([&head]).map(|line| line[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut out = String::new();
    let mut line = |cells: &[String]| {
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let _ = if column < left {
                write!(out, "| {cell:<width$} ")
            } else {
                write!(out, "| {cell:>width$} ")
            };
        }
        out.push_str("|\n");
    };
    line(&head);
    let rule = |(column, width): (usize, &usize)| {
        format!("{}{}", "-".repeat(width - 1), if column < left { '-' } else { ':' })
    };
    line(&widths.iter().enumerate().map(rule).collect::<Vec<_>>());
    lines.iter().for_each(|cells| line(cells));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_markers_changes() {
        let (begin, end) = markers("make x");
        let page = format!("before\n{begin}\nold\n{end}\nafter\n");
        let once = replace(&page, "make x", "new\n").unwrap();
        assert_eq!(once, format!("before\n{begin}\n\nnew\n\n{end}\nafter\n"));
        assert_eq!(replace(&once, "make x", "new\n").unwrap(), once);
        let lacks = format!("lacks the lines {begin} and {end}");
        assert_eq!(replace("no markers", "make x", "new").unwrap_err(), lacks);
        assert_eq!(replace(&format!("{end} {begin}"), "make x", "new").unwrap_err(), lacks);
    }

    #[test]
    fn columns_line_up() {
        let text = table(&["what", "n"], 1, &[vec!["a".to_owned(), "1,000".to_owned()]]);
        assert_eq!(text, "| what |     n |\n| ---- | ----: |\n| a    | 1,000 |\n");
    }
}
