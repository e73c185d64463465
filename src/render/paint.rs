//! Colours, where they are wanted; none carries a meaning that no word does.

/// How a piece of text stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Style {
    /// Not at all.
    #[default]
    Plain,
    /// A heading, a name.
    Bold,
    /// Beside the point.
    Dim,
    /// Bad.
    Red,
    /// Dear.
    Yellow,
    /// Good to know.
    Blue,
    /// Good.
    Green,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Red => "1;31",
            Self::Yellow => "33",
            Self::Blue => "34",
            Self::Green => "32",
        }
    }

    /// The text with this style, if there are colours at all.
    pub(super) fn paint(self, text: &str, color: bool) -> String {
        if color && self != Self::Plain && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", self.code())
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_coloured_unless_asked_for() {
        assert_eq!(Style::Red.paint("x", false), "x");
        assert_eq!(Style::Red.paint("x", true), "\x1b[1;31mx\x1b[0m");
        assert_eq!(Style::Plain.paint("x", true), "x");
        assert_eq!(Style::Bold.paint("", true), "");
    }
}
