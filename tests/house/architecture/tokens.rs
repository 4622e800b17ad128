//! The words of a source file.

/// A word with its line.
pub type Token = (usize, String);

/// Names, `::` and single characters with their lines; comments, strings and characters are left
/// out.
pub fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut line, mut i) = (Vec::new(), 1, 0);
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    while i < chars.len() {
        let start = i;
        match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => {
                let mut open = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (open, i) = (open + 1, i + 2),
                        ('*', '/') => (open, i) = (open - 1, i + 2),
                        _ => i += 1,
                    }
                    if open == 0 || i >= chars.len() {
                        break;
                    }
                }
            }
            '"' => {
                i += 1;
                while i < chars.len() && at(i) != '"' {
                    i += if at(i) == '\\' { 2 } else { 1 };
                }
                i += 1;
            }
            '\'' if at(i + 1) == '\\' => {
                i += 3;
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            }
            '\'' if at(i + 2) == '\'' => i += 3,
            ':' if at(i + 1) == ':' => {
                i += 2;
                found.push((line, "::".to_string()));
            }
            c if c.is_alphanumeric() || c == '_' => {
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
                let name: String = chars[start..i].iter().collect();
                let hashes = (i..).take_while(|&i| at(i) == '#').count();
                if ["r", "br"].contains(&name.as_str()) && at(i + hashes) == '"' {
                    i += hashes + 1;
                    while i < chars.len()
                        && !(at(i) == '"' && (1..=hashes).all(|j| at(i + j) == '#'))
                    {
                        i += 1;
                    }
                    i += 1 + hashes;
                } else {
                    found.push((line, name));
                }
            }
            c => {
                i += 1;
                if !c.is_whitespace() {
                    found.push((line, c.to_string()));
                }
            }
        }
        line += chars[start..i.min(chars.len())].iter().filter(|&&c| c == '\n').count();
    }
    found
}
