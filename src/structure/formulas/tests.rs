//! Formulas through the path of a page: words in their places become Markdown.

#![allow(clippy::indexing_slicing, reason = "a failed test may stop where it stands")]

use crate::{DocumentPage, PageStructure, read_document, read_page, read_tagged_page, to_markdown};
use pagewise_document::{PageTags, StructureElement, StructureType};
use pagewise_text::{Bounds, ContentMark, MathFont, PageLayout, Rule, Script, Word};

/// A page whose lines are written from top to bottom.
struct Sheet {
    layout: PageLayout,
    line: u32,
}

const SIZE: f32 = 10.0;
const SMALL: f32 = 7.0;

impl Sheet {
    fn new() -> Self {
        Self { layout: PageLayout { width: 400.0, height: 600.0, ..PageLayout::default() }, line: 0 }
    }

    fn word(&mut self, text: &str, x: f32, y: f32, size: f32) -> &mut Word {
        let width = 0.5 * size * text.chars().map(|_| 1.0).sum::<f32>();
        let bounds = Bounds { x0: x, y0: y - 0.8 * size, x1: x + width, y1: y + 0.2 * size };
        let (text, line, is_spaced) = (text.to_owned(), self.line, true);
        self.layout.words.push(Word { text, bounds, baseline: y, size, line, is_spaced, ..Word::default() });
        self.last()
    }

    fn last(&mut self) -> &mut Word {
        let last = self.layout.words.len() - 1;
        &mut self.layout.words[last]
    }

    /// A line of prose at the left margin. Returns where the next word stands.
    fn prose(&mut self, y: f32, text: &str) -> f32 {
        self.prose_at(50.0, y, text)
    }

    fn prose_at(&mut self, mut x: f32, y: f32, text: &str) -> f32 {
        for word in text.split(' ') {
            self.word(word, x, y, SIZE);
            x = self.layout.words.last().map_or(x, |word| word.bounds.x1) + 3.0;
        }
        x
    }

    /// Signs that touch: `_` lowers the next word and `^` raises it. Letters are those of a font of formulas.
    fn formula(&mut self, mut x: f32, y: f32, signs: &[&str]) -> f32 {
        for (at, sign) in signs.iter().enumerate() {
            let (text, script, rise) = match (sign.strip_prefix('_'), sign.strip_prefix('^')) {
                (Some(low), _) => (low, Script::Lowered, -1.5),
                (_, Some(high)) => (high, Script::Raised, 3.6),
                _ => (*sign, Script::Baseline, 0.0),
            };
            let size = if script == Script::Baseline { SIZE } else { SMALL };
            let word = self.word(text, x, y - rise, size);
            (word.script, word.is_spaced, word.baseline) = (script, at == 0, y);
            word.math = if text.contains(char::is_alphabetic) { MathFont::Letters } else { MathFont::None };
            let next = signs.get(at + 1).is_some_and(|next| next.starts_with(['_', '^']));
            let is_pair = sign.starts_with('_') && next;
            x = if is_pair { x } else { word.bounds.x1 };
        }
        x
    }

    /// A sign of which `top` and `bottom` are the ends of its ink.
    fn high(&mut self, sign: &str, x: f32, top: f32, bottom: f32) -> &mut Self {
        let word = self.word(sign, x, top, SIZE);
        word.bounds = Bounds { x0: x, y0: top, x1: x + 6.0, y1: bottom };
        word.math = MathFont::Letters;
        self
    }

    fn rule(&mut self, x0: f32, x1: f32, y: f32) {
        let bounds = Bounds { x0, y0: y - 0.2, x1, y1: y + 0.2 };
        self.layout.rules.push(Rule { bounds, is_horizontal: true, color: [0; 3] });
    }

    fn next(&mut self) {
        self.line += 1;
    }

    fn markdown(&self) -> String {
        markdown_of(read_page(&self.layout, &[]))
    }
}

fn markdown_of(structure: PageStructure) -> String {
    let page = DocumentPage { number: 1, label: None, structure, is_wanted: true };
    to_markdown(&read_document(&[page], &[]), &|_, _| None).concat()
}

/// The Markdown of a line of prose with signs within it.
fn inline(signs: &[&str]) -> String {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes");
    let x = sheet.formula(x, 100.0, signs);
    sheet.prose_at(x + 3.0, 100.0, "and goes on with words.");
    sheet.markdown()
}

/// The displayed formulas of a page. `write` puts them at (150, 150), between two lines of prose.
fn displayed(write: impl Fn(&mut Sheet)) -> String {
    let mut sheet = Sheet::new();
    sheet.prose(100.0, "A paragraph stands above the formula and shows");
    sheet.next();
    write(&mut sheet);
    sheet.next();
    sheet.prose(200.0, "where its sentence goes on below.");
    let markdown = sheet.markdown();
    markdown.split("\n\n").filter(|block| block.contains('$')).collect::<Vec<_>>().join("\n")
}

#[test]
fn scripts_within_a_line_are_a_formula() {
    assert_eq!(inline(&["x", "^2"]), "Here one writes $x²$ and goes on with words.");
    assert_eq!(inline(&["a", "_ij", "+", "1"]), "Here one writes $aᵢⱼ+1$ and goes on with words.");
    assert_eq!(inline(&["x", "_n", "^k"]), "Here one writes $xₙ^k$ and goes on with words.");
    assert_eq!(inline(&["x", "_1", "^2"]), "Here one writes $x₁^2$ and goes on with words.");
    assert_eq!(
        inline(&["f", "(", "x", ")", "=", "e", "^−x", ","]),
        "Here one writes $f(x)=e^{-x}$, and goes on with words."
    );
    assert_eq!(inline(&["T", "_Z", "∈", "α"]), "Here one writes $T_Z∈α$ and goes on with words.");
}

#[test]
fn a_tagged_paragraph_has_its_formulas() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes");
    let x = sheet.formula(x, 100.0, &["x", "^2"]);
    sheet.prose_at(x + 3.0, 100.0, "and goes on with words.");
    sheet.layout.words.iter_mut().for_each(|word| word.mark = ContentMark::Sequence(0));
    let paragraph =
        StructureElement { id: 1, kind: StructureType::Paragraph, parent: None, spans: [1, 1], alternate: None };
    let tags = PageTags { elements: vec![paragraph], owners: vec![Some(0)], places: vec![0] };
    let structure = read_tagged_page(&sheet.layout, &tags).map(|(structure, _)| structure);
    assert_eq!(structure.map(markdown_of), Some("Here one writes $x²$ and goes on with words.".to_owned()));
}

#[test]
fn terms_that_a_sign_joins_are_a_formula() {
    assert_eq!(inline(&["α", "≤", "β"]), "Here one writes $α≤β$ and goes on with words.");
    assert_eq!(inline(&["f", "(", "x", ")"]), "Here one writes $f(x)$ and goes on with words.");
    assert_eq!(inline(&["x", ":"]), "Here one writes x: and goes on with words.");
    assert_eq!(inline(&["x", "="]), "Here one writes x= and goes on with words.");
}

#[test]
fn variables_and_plain_superscripts_stay_text() {
    assert_eq!(inline(&["x"]), "Here one writes x and goes on with words.");
    assert_eq!(inline(&["10", "^6"]), "Here one writes 10<sup>6</sup> and goes on with words.");
    assert_eq!(inline(&["$5"]), "Here one writes $5 and goes on with words.");
}

#[test]
fn words_of_the_greek_language_are_text() {
    let formulas = displayed(|sheet| {
        sheet.prose(150.0, "Ονομα:");
    });
    assert_eq!(formulas, "");
    for word in ["πεπυρωµένοι", "ὧν"] {
        let text = inline(&[word, "^9"]);
        assert!(text.contains(word) && !text.contains('$'), "{text}");
    }
}

#[test]
fn signs_that_join_terms_have_the_spaces_of_the_page() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes");
    sheet.formula(x, 100.0, &["x", "_i", "+", "⋅", "⋅", "⋅", "+", "x", "_n", "=", "1"]);
    let spaced = sheet.layout.words.iter_mut().skip(5).filter(|word| word.script == Script::Baseline);
    spaced.for_each(|word| word.is_spaced = true);
    assert_eq!(sheet.markdown(), "Here one writes $xᵢ + ⋯ + xₙ = 1$");
}

#[test]
fn a_formula_that_is_broken_at_a_line_end_is_one() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes for every one of the known values");
    sheet.formula(x, 100.0, &["x", "_i", "="]);
    sheet.next();
    let x = sheet.formula(50.0, 112.0, &["y", "_j"]);
    sheet.prose_at(x + 3.0, 112.0, "and goes on with words that fill the next line too.");
    assert!(sheet.markdown().contains("values $xᵢ= yⱼ$ and goes on"), "{}", sheet.markdown());
}

#[test]
fn a_bracket_that_closes_on_another_line_is_text_beside_formulas() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes for every one of the known pairs");
    let x = sheet.formula(x, 100.0, &["(x", "_i", ",", "z", "^k", "(y", "_n"]);
    sheet.next();
    sheet.prose_at(50.0, 112.0, "and goes on with words that fill the next line too.");
    assert!(x < 400.0 && sheet.markdown().contains("pairs ($xᵢ,z^k$($yₙ$ and goes on"), "{}", sheet.markdown());
}

#[test]
fn scripts_between_high_bars_are_a_formula() {
    let mut sheet = Sheet::new();
    let bar = |sheet: &mut Sheet, x: f32| {
        let bar = sheet.word("|", x, 100.0, SIZE);
        (bar.bounds.y0, bar.bounds.y1, bar.is_spaced) = (91.0, 104.0, false);
        bar.bounds.x1
    };
    let x = sheet.prose(100.0, "Here one writes");
    let x = bar(&mut sheet, x + 2.0);
    let x = sheet.formula(x, 100.0, &["x", "_i"]);
    let x = bar(&mut sheet, x);
    sheet.prose_at(x + 3.0, 100.0, "and goes on with words.");
    assert_eq!(sheet.markdown(), "Here one writes$\\left|xᵢ\\right|$ and goes on with words.");
}

#[test]
fn every_line_of_formulas_below_text_is_read_as_text_is() {
    let mut sheet = Sheet::new();
    sheet.prose(100.0, "Here one writes words over the whole width of the line and then");
    for line in [112.0, 124.0] {
        sheet.next();
        let x = sheet.formula(50.0, line, &["(", "x", "_1", ",", "x", "_2", ")", ","]);
        sheet.formula(x + 3.0, line, &["(", "y", "_1", ",", "y", "_2", ")", ","]);
    }
    let markdown = sheet.markdown();
    assert_eq!(
        markdown.matches(" $(x₁,x₂), (y₁,y₂)$,").count() + markdown.matches("\n$(x₁,x₂), (y₁,y₂)$,").count(),
        2,
        "{markdown}"
    );
}

#[test]
fn units_marks_and_ordinals_stay_text() {
    for (word, raised) in [("40 m", "2"), ("the 1", "st"), ("his words.", "3"), ("of Smith", "1"), ("H", "2")] {
        let mut sheet = Sheet::new();
        let x = sheet.prose(100.0, &format!("Here stands {word}"));
        let mark = sheet.word(raised, x - 3.0, 96.4, SMALL);
        (mark.script, mark.is_spaced) = (Script::Raised, false);
        sheet.prose_at(x + 6.0, 100.0, "with words after it.");
        let markdown = sheet.markdown();
        assert!(!markdown.contains('$'), "{markdown}");
    }
}

#[test]
fn italic_letters_are_variables_among_upright_words_alone() {
    let write = |is_italic: bool| {
        let mut sheet = Sheet::new();
        let x = sheet.prose(100.0, "Here one writes");
        sheet.layout.words.iter_mut().for_each(|word| word.is_italic = is_italic);
        sheet.word("x", x, 100.0, SIZE).is_italic = true;
        let raised = sheet.word("2", x + 5.0, 96.4, SMALL);
        (raised.script, raised.is_spaced, raised.is_italic) = (Script::Raised, false, is_italic);
        sheet.markdown()
    };
    assert_eq!(write(false), "Here one writes $x²$");
    assert!(!write(true).contains('$'), "{}", write(true));
}

#[test]
fn a_dollar_of_the_text_opens_no_formula() {
    let write = |text: &str, signs: &[&str]| {
        let mut sheet = Sheet::new();
        let x = sheet.prose(100.0, text);
        sheet.formula(x, 100.0, signs);
        sheet.markdown()
    };
    assert_eq!(write("A price of $5 for each", &["x", "^2"]), "A price of \\$5 for each $x²$");
    assert_eq!(write("From $5 to $6 a piece", &[]), "From $5 to $6 a piece");
    assert_eq!(write("From $5-$6 a piece", &[]), "From \\$5-\\$6 a piece");
}

#[test]
fn a_rule_divides_a_fraction() {
    let formula = displayed(|sheet| {
        sheet.formula(150.0, 150.0, &["y", "="]);
        sheet.next();
        sheet.formula(165.0, 143.0, &["a", "+", "b"]);
        sheet.next();
        sheet.formula(170.0, 157.0, &["c"]);
        sheet.rule(165.0, 180.0, 147.5);
    });
    assert_eq!(formula, "$$y= \\frac{a+b}{c}$$");
}

#[test]
fn limits_stand_at_their_operator() {
    let formula = displayed(|sheet| {
        sheet.high("∑", 150.0, 140.0, 154.0);
        sheet.next();
        sheet.formula(151.0, 138.0, &["^n"]);
        sheet.layout.words.iter_mut().for_each(|word| word.script = Script::Baseline);
        sheet.next();
        sheet.formula(148.0, 158.5, &["_i", "_=", "_1"]);
        sheet.next();
        sheet.formula(160.0, 150.0, &["x", "_i", "=", "y"]);
    });
    assert_eq!(formula, "$$∑_{i=1}^n xᵢ=y$$");
}

#[test]
fn the_rule_of_a_root_covers_what_it_is_of() {
    let formula = displayed(|sheet| {
        sheet.formula(130.0, 150.0, &["z", "="]);
        sheet.next();
        sheet.high("√", 144.0, 141.0, 153.0);
        sheet.rule(150.0, 165.0, 141.2);
        sheet.next();
        sheet.formula(150.0, 150.0, &["x", "+", "y"]);
        sheet.next();
        sheet.word("(7)", 300.0, 150.0, SIZE);
    });
    assert_eq!(formula, "$$z= \\sqrt{x+y}$$ (7)");
}

#[test]
fn rows_between_high_brackets_are_a_matrix() {
    let formula = displayed(|sheet| {
        sheet.formula(120.0, 150.0, &["A", "="]);
        sheet.high("(", 131.0, 135.0, 160.0);
        for (y, row) in [(143.0, ["a", "b"]), (156.0, ["c", "d"])] {
            sheet.next();
            sheet.formula(138.0, y, &[row[0]]);
            sheet.formula(155.0, y, &[row[1]]);
        }
        sheet.next();
        sheet.high(")", 161.0, 135.0, 160.0);
    });
    assert_eq!(formula, "$$A= \\begin{pmatrix}a&b\\cr c&d\\end{pmatrix}$$");
}

#[test]
fn a_brace_without_its_other_side_opens_cases() {
    let formula = displayed(|sheet| {
        sheet.formula(120.0, 150.0, &["f", "="]);
        sheet.high("{", 131.0, 135.0, 160.0);
        for (y, value, words) in [(143.0, "x", "if"), (156.0, "y", "otherwise")] {
            sheet.next();
            let x = sheet.formula(138.0, y, &[value]);
            sheet.prose_at(x + 10.0, y, words);
        }
    });
    assert_eq!(formula, "$$f= \\begin{cases}x&\\text{if}\\cr y&\\text{otherwise}\\end{cases}$$");
}

#[test]
fn a_character_that_latex_does_not_have_leaves_the_text() {
    assert!(!inline(&["x", "^2", "=", "\u{f8ff}"]).contains("$x²="));
}

#[test]
fn a_line_of_a_paragraph_is_no_displayed_formula() {
    let mut sheet = Sheet::new();
    sheet.prose(100.0, "The words of a paragraph fill their first line to its end and");
    sheet.next();
    sheet.formula(50.0, 112.0, &["x", "^2", "=", "y"]);
    let markdown = sheet.markdown();
    assert!(markdown.ends_with("$x²=y$") && !markdown.contains("$$"), "{markdown}");
}

#[test]
fn nested_and_crowded_pages_stay_text() {
    let mut sheet = Sheet::new();
    for level in 0..3_000_u16 {
        let y = 100.0 + 0.1 * f32::from(level);
        sheet.formula(100.0, y, &["x", "="]);
        sheet.rule(100.0, 110.0, y);
        sheet.next();
    }
    assert!(!sheet.markdown().contains("\\frac"));
}

#[test]
fn text_goes_on_below_a_line_that_ends_with_a_formula() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "the drift stays below the least of the known limits");
    sheet.formula(x, 100.0, &["(", "V", "_h", ")"]);
    sheet.next();
    // Formulas need more than the leading.
    sheet.prose(117.0, "at which the plate bends far enough to make another step");
    sheet.next();
    sheet.prose(129.0, "and so on.");
    let text = sheet.markdown();
    assert_eq!(text.matches("\n\n").count(), 0, "{text}");
    assert!(text.contains("limits $(Vₕ)$ at which the plate"), "{text}");
}

#[test]
fn a_relation_at_the_end_of_a_line_ends_its_formula() {
    assert_eq!(inline(&["V", "_i", "<", "V", "_j", "<"]), "Here one writes $Vᵢ< Vⱼ<$ and goes on with words.");
}

#[test]
fn a_line_over_letters_is_an_overline_and_over_a_number_an_axis() {
    let below_rule = |signs: &[&str]| {
        displayed(|sheet| {
            sheet.rule(150.0, 162.0, 140.5);
            let x = sheet.formula(150.0, 150.0, signs);
            sheet.formula(x + 2.0, 150.0, &["=", "z"]);
        })
    };
    assert_eq!(below_rule(&["x", "y"]), "$$\\overline{xy} =z$$");
    assert!(!below_rule(&["≥", "65"]).contains("overline"));
}

#[test]
fn punctuation_and_the_number_of_a_displayed_formula_are_text() {
    let markdown = displayed(|sheet| {
        sheet.formula(150.0, 150.0, &["x", "_i", "=", "y", "."]);
        sheet.word("(7)", 200.0, 150.0, SIZE);
    });
    assert_eq!(markdown, "$$xᵢ=y$$. (7)");
    let dots = displayed(|sheet| {
        sheet.formula(150.0, 150.0, &["x", "_i", "=", "1", ".", ".", "."]);
    });
    assert_eq!(dots, "$$xᵢ=1…$$");
}

#[test]
fn a_formula_whose_line_is_broken_below_an_exponent_is_one() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes");
    let index = sheet.formula(x, 100.0, &["S", "=", "N", "^s"]) - 3.5;
    sheet.next();
    let x = sheet.formula(index, 100.0, &["_0", "(", "T", ")"]);
    sheet.prose_at(x + 3.0, 100.0, "and goes on with words.");
    assert_eq!(sheet.markdown(), "Here one writes $S=N^s₀(T)$ and goes on with words.");
}

#[test]
fn a_prime_of_an_index_stays_in_it() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes");
    let x = sheet.formula(x, 100.0, &["x", "_m"]);
    let prime = sheet.word("′", x, 99.0, 5.0);
    (prime.script, prime.is_spaced, prime.math) = (Script::Lowered, false, MathFont::Script);
    sheet.prose_at(x + 5.0, 100.0, "and goes on with words.");
    assert_eq!(sheet.markdown(), "Here one writes $x_{m'}$ and goes on with words.");
}

#[test]
fn upright_names_are_parts_of_formulas() {
    let formula = displayed(|sheet| {
        let x = sheet.formula(150.0, 150.0, &["x", "="]);
        sheet.word("Gal(", x, 150.0, SIZE).is_spaced = false;
        let x = sheet.formula(x + 20.0, 150.0, &["E", ")", "+"]);
        sheet.last().is_spaced = false;
        sheet.layout.words.iter_mut().filter(|word| word.text == "E").for_each(|word| word.is_spaced = false);
        sheet.word("Ann", x, 150.0, SIZE).is_spaced = false;
        sheet.formula(x + 15.0, 150.0, &["_R"]);
        sheet.last().is_spaced = false;
    });
    assert_eq!(formula, "$$x=\\mathrm{Gal}(E)+\\mathrm{Ann}_R$$");
}

#[test]
fn the_name_of_an_operator_is_part_of_a_formula_before_a_high_bracket() {
    let formula = |gap: f32| {
        displayed(|sheet| {
            let x = sheet.formula(100.0, 150.0, &["A", "="]);
            sheet.word("softmax", x + 3.0, 150.0, SIZE);
            let x = sheet.last().bounds.x1 + gap;
            sheet.high("(", x, 136.0, 160.0).last().is_spaced = true;
            sheet.formula(x + 8.0, 144.0, &["Q", "K"]);
            sheet.formula(x + 11.0, 156.0, &["d"]);
            sheet.rule(x + 7.0, x + 19.0, 148.0);
            sheet.high(")", x + 20.0, 136.0, 160.0);
            sheet.formula(x + 27.0, 150.0, &["V"]);
        })
    };
    assert_eq!(formula(1.7), "$$A= \\mathrm{softmax} \\left(\\frac{QK}{d}\\right)V$$");
    assert!(!formula(4.0).contains("softmax} "), "{}", formula(4.0));
}

#[test]
fn a_function_that_is_centred_below_text_and_the_end_of_an_aligned_formula_are_displayed() {
    let formula = |x: f32, signs: &[&str]| {
        displayed(|sheet| {
            sheet.formula(x, 150.0, signs);
        })
    };
    assert_eq!(formula(150.0, &["O", "(", "n", ")"]), "$$O(n)$$");
    assert_eq!(formula(230.0, &["O", "(", "n", ")"]), "");
    assert_eq!(formula(110.0, &["=", "d"]), "$$=d$$");
    assert_eq!(formula(110.0, &["+", "d"]), "");
}

#[test]
fn a_few_words_are_part_of_a_formula_that_is_set_apart() {
    let mut sheet = Sheet::new();
    sheet.prose(100.0, "A paragraph stands above the formula and fills its line to the very end");
    sheet.next();
    let x = sheet.formula(150.0, 125.0, &["x", "_i", "=", "y", "+", "z"]);
    let x = sheet.prose_at(x + 10.0, 125.0, "for all");
    sheet.formula(x, 125.0, &["z", ">", "y"]);
    sheet.next();
    sheet.prose(150.0, "where its sentence goes on below.");
    assert!(sheet.markdown().contains("$$xᵢ=y+z\\text{ for all }z>y$$"), "{}", sheet.markdown());
}

#[test]
fn pieces_of_bars_in_any_order_are_stretched_bars() {
    let formula = displayed(|sheet| {
        for (x, places) in [(140.0, [0.0, 6.0, 12.0]), (165.0, [12.0, 0.0, 6.0])] {
            for top in places {
                sheet.high("∥", x, 136.0 + top, 142.4 + top);
            }
        }
        sheet.next();
        sheet.formula(148.0, 150.0, &["x", "+", "y"]);
        sheet.formula(171.0, 155.0, &["_Ω"]);
        sheet.formula(178.0, 150.0, &["=", "z"]);
    });
    assert_eq!(formula, "$$\\left\\|x+y\\right\\|_Ω =z$$");
}

#[test]
fn a_wide_accent_covers_letters_and_a_narrow_one_stands_over_one() {
    let accented = |is_wide: bool| {
        displayed(|sheet| {
            let accent = sheet.word("ˆ", 150.0, 148.0, 2.0 * SIZE);
            (accent.size, accent.math) = (SIZE, if is_wide { MathFont::Letters } else { MathFont::None });
            sheet.last().bounds.y1 = 150.0;
            sheet.formula(150.0, 150.0, &["A", "B", "=", "C"]);
        })
    };
    assert_eq!(accented(true), "$$\\widehat{AB}=C$$");
    assert!(accented(false).contains("\\hat{"), "{}", accented(false));
}

#[test]
fn signs_above_each_other_are_one_relation() {
    let formula = displayed(|sheet| {
        let x = sheet.formula(150.0, 150.0, &["A", "_i"]);
        sheet.word("∼", x + 3.0, 147.4, SIZE).math = MathFont::Script;
        sheet.word("=", x + 3.0, 150.5, SIZE);
        sheet.formula(x + 12.0, 150.0, &["B"]);
    });
    assert_eq!(formula, "$$Aᵢ ≅ B$$");
}

#[test]
fn a_bar_after_a_fraction_is_where_it_is_taken() {
    let formula = displayed(|sheet| {
        sheet.formula(165.0, 143.0, &["a", "+", "b"]);
        sheet.next();
        sheet.formula(170.0, 157.0, &["c"]);
        sheet.rule(165.0, 180.0, 147.5);
        sheet.next();
        sheet.high("|", 181.0, 137.0, 158.0);
        sheet.next();
        sheet.formula(188.0, 158.0, &["_t", "_=", "_0"]);
        sheet.next();
        sheet.formula(203.0, 150.0, &["=", "z"]);
    });
    assert_eq!(formula, "$$\\left.\\frac{a+b}{c}\\right|ₜ₌₀ =z$$");
}

#[test]
fn a_number_in_brackets_after_a_space_is_a_reference() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes");
    let x = sheet.formula(x, 100.0, &["x", "_i"]);
    sheet.prose_at(x + 3.0, 100.0, "[14] and goes on with words.");
    assert_eq!(sheet.markdown(), "Here one writes $xᵢ$ [14] and goes on with words.");
}

#[test]
fn punctuation_after_a_formula_stays_after_it() {
    // The operator is drawn after its line, so that the word with the comma is not the last one.
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes");
    let operator = sheet.formula(x, 100.0, &["y", "_i", "="]);
    let end = sheet.formula(operator + 6.0, 100.0, &["x,"]);
    sheet.prose_at(end + 5.0, 100.0, "and goes on with words");
    sheet.next();
    sheet.word("∑", operator + 1.0, 100.0, SIZE);
    assert_eq!(sheet.markdown(), "Here one writes $yᵢ= ∑ x$, and goes on with words");
}

#[test]
fn an_accent_of_a_line_is_put_over_its_letter_once() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes");
    sheet.word("¯", x, 99.0, SIZE).math = MathFont::Letters;
    let x = sheet.formula(x, 100.0, &["p", "∈", "S"]);
    sheet.layout.words.iter_mut().filter(|word| word.text == "p").for_each(|word| word.is_spaced = false);
    sheet.prose_at(x + 3.0, 100.0, "and goes on with words.");
    assert_eq!(sheet.markdown(), "Here one writes $\\bar{p}∈S$ and goes on with words.");
}

#[test]
fn the_stop_of_a_sentence_ends_a_formula() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes");
    let x = sheet.formula(x, 100.0, &["x", "_i", "."]);
    let x = sheet.formula(x + 3.0, 100.0, &["y", "_j"]);
    sheet.prose_at(x + 3.0, 100.0, "goes on with words.");
    assert_eq!(sheet.markdown(), "Here one writes $xᵢ$. $yⱼ$ goes on with words.");
}

#[test]
fn a_short_word_of_an_italic_sentence_is_no_variable() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "There is no measure on");
    sheet.layout.words.iter_mut().for_each(|word| word.is_italic = true);
    sheet.formula(x, 100.0, &["(", "X", "_i", ",", "Y", ")"]);
    assert_eq!(sheet.markdown(), "*There is no measure on* $(Xᵢ,Y)$");
}

#[test]
fn brackets_that_nothing_opens_divide_formulas_and_those_of_open_intervals_face_outwards() {
    assert!(inline(&["x", "_i", ")", "=", "y", "_k"]).contains(" $xᵢ$)"));
    assert!(inline(&["x", "_i", "∈", "]", "0", ",", "1", "["]).contains(" $xᵢ∈]0,1[$ "));
}

#[test]
fn the_room_after_a_slanted_capital_is_no_space() {
    let formula = displayed(|sheet| {
        let x = sheet.formula(150.0, 150.0, &["V"]);
        sheet.formula(x + 2.0, 150.0, &["a", "r", "=", "y"]);
    });
    assert_eq!(formula, "$$Var=y$$");
}

#[test]
fn a_word_with_an_exponent_keeps_it() {
    let mut sheet = Sheet::new();
    sheet.prose(100.0, "A paragraph stands above the formula and fills its line to the very end");
    sheet.next();
    let x = sheet.formula(190.0, 125.0, &["x", "_i", "=", "y", "+", "z", "="]);
    let x = sheet.prose_at(x, 125.0, "JC") - 3.0;
    sheet.last().is_spaced = false;
    sheet.formula(x, 125.0, &["^p"]);
    sheet.last().is_spaced = false;
    sheet.next();
    sheet.prose(150.0, "where its sentence goes on below.");
    assert!(sheet.markdown().contains("\\mathrm{JC}^p"), "{}", sheet.markdown());
}

#[test]
fn calligraphic_and_double_struck_letters_keep_their_form_in_text() {
    let mut sheet = Sheet::new();
    for (text, math) in [("the ring", MathFont::None), ("Z", MathFont::DoubleStruck), ("R", MathFont::Script)] {
        let x = sheet.layout.words.last().map_or(50.0, |word| word.bounds.x1 + 3.0);
        sheet.prose_at(x, 100.0, text);
        (sheet.last().math, sheet.last().is_italic) = (math, math == MathFont::Script);
    }
    assert_eq!(sheet.markdown(), "the ring ℤ ℛ");
}

#[test]
fn a_fraction_within_a_line_is_where_its_rule_is() {
    let mut sheet = Sheet::new();
    sheet.formula(125.0, 93.2, &["1", "+", "6"]);
    sheet.next();
    sheet.prose(100.0, "They average at");
    let x = sheet.formula(143.0, 100.0, &["=", "y"]);
    sheet.prose_at(x + 3.0, 100.0, "over all of them.");
    sheet.next();
    sheet.formula(130.0, 106.9, &["2"]);
    sheet.rule(125.0, 140.0, 97.5);
    assert_eq!(sheet.markdown(), "They average at $\\frac{1+6}{2} =y$ over all of them.");
    let exponent = sheet.word("2", 138.0, 89.6, SMALL);
    (exponent.script, exponent.is_spaced) = (Script::Raised, false);
    assert_eq!(sheet.markdown(), "They average at $\\frac{1+6²}{2} =y$ over all of them.");
}

#[test]
fn a_fraction_may_begin_an_item() {
    let mut sheet = Sheet::new();
    sheet.prose(100.0, "•");
    sheet.word("2", 60.0, 95.0, SMALL).script = Script::Raised;
    sheet.word("3", 60.0, 104.0, SMALL).script = Script::Lowered;
    sheet.rule(60.0, 63.5, 97.5);
    sheet.prose_at(69.0, 100.0, "cup of white wine");
    assert_eq!(sheet.markdown(), "- $\\frac{2}{3}$ cup of white wine");
}

#[test]
fn a_rule_below_words_of_a_line_is_no_fraction_above_the_next_one() {
    let mut sheet = Sheet::new();
    sheet.prose(100.0, "These are words with a rule below some of them");
    sheet.next();
    sheet.prose(112.0, "and these are words of the line that follows them.");
    sheet.rule(79.0, 99.0, 101.5);
    assert!(!sheet.markdown().contains('$'), "{}", sheet.markdown());
}

#[test]
fn a_fraction_may_be_an_exponent() {
    let formula = displayed(|sheet| {
        let x = sheet.formula(150.0, 150.0, &["z", "=", "C"]);
        sheet.rule(x + 0.5, x + 3.0, 144.6);
        sheet.next();
        sheet.word("n", x + 0.5, 143.0, 5.0).math = MathFont::Letters;
        sheet.next();
        sheet.word("2", x + 0.5, 149.0, 5.0);
    });
    assert_eq!(formula, "$$z=C^{\\frac{n}{2}}$$");
}

#[test]
fn an_operator_within_a_line_has_its_limits_beside_it_and_what_follows_them() {
    let sum = |sign: &str| {
        let mut sheet = Sheet::new();
        let x = sheet.prose(100.0, "Here one writes");
        let x = sheet.formula(x, 100.0, &["y", "="]);
        sheet.high(sign, x + 2.0, 92.0, 102.0).last().baseline = 100.0;
        let x = sheet.formula(x + 8.0, 100.0, &["_k", "^n"]);
        let x = sheet.formula(x + 2.0, 100.0, &["x", "_k"]);
        let x = if sign.starts_with('(') { sheet.formula(x, 100.0, &[")"]) } else { x };
        sheet.prose_at(x + 3.0, 100.0, "and goes on with words.");
        sheet.markdown()
    };
    assert_eq!(sum("∑"), "Here one writes $y= ∑_k^n xₖ$ and goes on with words.");
    assert_eq!(sum("⊕"), "Here one writes $y= ⨁_k^n xₖ$ and goes on with words.");
    assert_eq!(sum("(∑"), "Here one writes $y= (∑_k^n xₖ)$ and goes on with words.");
}

#[test]
fn a_binary_operator_with_the_box_of_its_ink_is_no_large_one() {
    let formula = displayed(|sheet| {
        let x = sheet.formula(150.0, 150.0, &["A", "_i"]);
        sheet.high("∩", x + 2.0, 144.0, 150.0).last().baseline = 150.0;
        sheet.formula(x + 10.0, 150.0, &["B", "=", "C"]);
    });
    assert_eq!(formula, "$$Aᵢ ∩ B=C$$");
}

#[test]
fn bars_beside_each_other_are_two() {
    let formula = displayed(|sheet| {
        for x in [150.0, 152.5, 168.0, 170.5] {
            sheet.high("|", x, 141.0, 153.0);
        }
        sheet.formula(157.0, 150.0, &["x", "_i"]);
        sheet.formula(178.0, 150.0, &["=", "y"]);
    });
    assert_eq!(formula.matches('|').count(), 4, "{formula}");
}

#[test]
fn the_words_of_a_fraction_may_be_in_the_line_that_goes_on_beside_it() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "They average at");
    let x = sheet.formula(x, 100.0, &["z", "="]);
    for (sign, y) in [("a", 95.0), ("b", 103.0)] {
        if y > 100.0 {
            sheet.next();
        }
        let side = sheet.word(sign, x + 3.0, y, SMALL);
        (side.math, side.baseline) = (MathFont::Letters, if y > 100.0 { y } else { 100.0 });
        side.script = if y > 100.0 { Script::Baseline } else { Script::Raised };
    }
    sheet.rule(x + 3.0, x + 6.5, 97.5);
    sheet.prose_at(x + 10.0, 100.0, "over all of them.");
    assert_eq!(sheet.markdown(), "They average at $z= \\frac{a}{b}$ over all of them.");
}

#[test]
fn a_high_root_within_a_line_covers_a_fraction() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "They average at");
    sheet.high("√", x, 87.0, 104.0).last().baseline = 100.0;
    let x = x + 6.0;
    for (sign, y) in [("a", 95.0), ("b", 103.0)] {
        let side = sheet.word(sign, x + 1.0, y, SMALL);
        (side.math, side.baseline, side.is_spaced) = (MathFont::Letters, y, false);
    }
    sheet.rule(x, x + 6.0, 87.2);
    sheet.rule(x + 1.0, x + 4.5, 97.5);
    sheet.next();
    sheet.prose_at(x + 10.0, 100.0, "over all of them.");
    assert_eq!(sheet.markdown(), "They average at $\\sqrt{\\frac{a}{b}}$ over all of them.");
}

#[test]
fn the_number_of_a_formula_in_another_column_is_not_that_of_the_first() {
    let markdown = displayed(|sheet| {
        sheet.formula(80.0, 150.0, &["x", "_i", "=", "y"]);
        sheet.next();
        sheet.formula(220.0, 150.0, &["z", "_k", "=", "w"]);
        sheet.word("(7)", 300.0, 150.0, SIZE);
    });
    assert_eq!(markdown, "$$xᵢ=y$$\n$$zₖ=w$$ (7)");
    // Where numbers stand at the left, the next one at the right is that of the next column.
    let mut sheet = Sheet::new();
    sheet.word("(6)", 50.0, 150.0, SIZE);
    sheet.formula(80.0, 150.0, &["x", "_i", "=", "y"]);
    sheet.next();
    sheet.word("(7)", 220.0, 150.0, SIZE);
    let found = super::find(&sheet.layout, &[]);
    assert!(found.len() == 1 && found[0].tag.is_empty(), "{found:?}");
}

#[test]
fn bold_letters_of_a_formula_are_variables_unless_the_line_is_bold() {
    let write = |is_bold: bool| {
        let mut sheet = Sheet::new();
        let x = sheet.prose(100.0, "Here one writes");
        sheet.layout.words.iter_mut().for_each(|word| word.is_bold = is_bold);
        let x = sheet.formula(x, 100.0, &["n", "_1", "=", "m"]);
        sheet.layout.words.iter_mut().skip(3).for_each(|word| (word.is_bold, word.math) = (true, MathFont::None));
        sheet.prose_at(x + 3.0, 100.0, "there.");
        sheet.markdown()
    };
    assert_eq!(write(false), "Here one writes $𝐧₁=𝐦$ there.");
    let mut sheet = Sheet::new();
    sheet.word("i=2.", 50.0, 100.0, SIZE).is_bold = true;
    sheet.prose_at(75.0, 100.0, "This is a label of text.");
    assert!(!sheet.markdown().contains('$'), "{}", sheet.markdown());
    assert!(!write(true).contains('$'), "{}", write(true));
}

#[test]
fn functions_and_signs_of_formulas_are_written_in_their_latex() {
    assert_eq!(inline(&["x", "_i", "∶", "A", "⧵", "B"]), "Here one writes $xᵢ:A∖B$ and goes on with words.");
    assert_eq!(inline(&["x", "↦", "→", "y"]), "Here one writes $x↦y$ and goes on with words.");
    assert!(inline(&["lim", "_n", "a", "^k"]).contains("_na^k$"));
}

#[test]
fn a_term_that_is_centred_below_text_is_a_displayed_formula() {
    let term = |x: f32| {
        displayed(|sheet| {
            sheet.formula(x, 150.0, &["h", "(", "x", "_1", ")"]);
        })
    };
    assert_eq!(term(140.0), "$$h(x₁)$$");
    assert_eq!(term(230.0), "");
}

#[test]
fn the_lower_side_of_a_fraction_within_a_line_is_no_displayed_formula() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "They average at");
    let x = sheet.formula(x, 100.0, &["z", "="]) + 3.0;
    let above = sheet.word("R", x + 3.0, 95.0, SMALL);
    (above.math, above.baseline) = (MathFont::Letters, 95.0);
    sheet.next();
    let mut end = x;
    for sign in ["γ", "−", "1"] {
        let side = sheet.word(sign, end, 103.0, SMALL);
        (side.math, side.baseline, side.is_spaced) = (MathFont::Letters, 103.0, false);
        end = side.bounds.x1;
    }
    sheet.rule(x, end, 97.5);
    sheet.next();
    sheet.prose(120.0, "over all of them.");
    assert_eq!(sheet.markdown(), "They average at $z=\\frac{R}{γ-1}$ over all of them.");
}

#[test]
fn compatibility_forms_of_letters_and_brackets_are_written_as_formulas_have_them() {
    assert_eq!(inline(&["〈", "x", "_i", "〉", "+", "\u{2126}"]), "Here one writes $⟨xᵢ⟩+Ω$ and goes on with words.");
}

#[test]
fn an_accent_belongs_to_the_letter_that_is_drawn_after_it() {
    let mut sheet = Sheet::new();
    let x = sheet.prose(100.0, "Here one writes");
    let x = sheet.formula(x, 100.0, &["y", "_i", "−"]) + 2.0;
    (sheet.word("¯", x, 99.0, SIZE).math, sheet.last().baseline) = (MathFont::Letters, 98.0);
    let x = sheet.formula(x, 100.0, &["y"]);
    sheet.prose_at(x + 3.0, 100.0, "and goes on with words.");
    assert_eq!(sheet.markdown(), "Here one writes $yᵢ- \\bar{y}$ and goes on with words.");
}

#[test]
fn an_operator_of_a_smaller_size_than_its_letters_is_no_script() {
    let formula = displayed(|sheet| {
        let x = sheet.formula(150.0, 150.0, &["z", "_1", "="]);
        sheet.high("∑", x + 2.0, 142.5, 152.5).last().size = 8.3;
        sheet.formula(x + 10.0, 150.0, &["x", "_i"]);
    });
    assert_eq!(formula, "$$z₁= ∑ xᵢ$$");
}

#[test]
fn the_number_between_two_lines_stands_beside_one() {
    let with_lines = |write: fn(&mut Sheet)| {
        displayed(|sheet| {
            write(sheet);
            sheet.next();
            let x = sheet.formula(150.0, 150.0, &["+", "x", "_i", "=", "y"]);
            sheet.word("(1)", x + 6.0, 143.0, SIZE);
        })
    };
    let below_words = with_lines(|sheet| {
        sheet.prose_at(110.0, 136.0, "sum of");
    });
    assert!(below_words.ends_with("$$+xᵢ=y$$ (1)"), "{below_words}");
    let below_formula = with_lines(|sheet| {
        sheet.formula(150.0, 136.0, &["a", "_k", "=", "b"]);
    });
    assert_eq!(below_formula.matches("(1)").count(), 1, "{below_formula}");
}

#[test]
fn a_formula_has_the_size_of_its_letters() {
    let mut sheet = Sheet::new();
    let x = sheet.formula(150.0, 150.0, &["x", "_i", "="]);
    let sum = sheet.high("∑", x + 2.0, 140.0, 154.0).last();
    (sum.size, sum.baseline) = (14.0, 150.0);
    sheet.formula(x + 10.0, 150.0, &["y", "_k"]);
    let found = super::find(&sheet.layout, &[]);
    assert_eq!(found[0].line_words(&sheet.layout)[0].0.style.size, SIZE);
}

#[test]
fn the_limit_of_an_operator_may_stand_below_a_rule() {
    let formula = displayed(|sheet| {
        let x = sheet.formula(150.0, 150.0, &["x", "="]);
        sheet.formula(x + 8.0, 142.0, &["a", "_i", "+", "c"]);
        sheet.rule(x + 3.0, x + 38.0, 147.3);
        sheet.word("n", x + 5.0, 154.5, SMALL).math = MathFont::Letters;
        sheet.high("∑", x + 3.0, 157.0, 171.0).last().baseline = 167.0;
        sheet.word("k", x + 5.0, 177.5, SMALL).math = MathFont::Letters;
        sheet.formula(x + 12.0, 167.0, &["b", "_k"]);
    });
    assert_eq!(formula, "$$x= \\frac{aᵢ+c}{∑_k^n bₖ}$$");
}

#[test]
fn a_row_of_values_is_no_formula() {
    let row = |gap: f32| {
        displayed(|sheet| {
            let x = sheet.formula(150.0, 150.0, &["x", "_i"]);
            let x = sheet.word("2.0", x + 12.0, 150.0, SIZE).bounds.x1;
            sheet.word("1.5", x + gap, 150.0, SIZE);
            sheet.word("<1", x + gap + 28.0, 150.0, SIZE);
        })
    };
    assert!(!row(14.0).contains("$$"), "{}", row(14.0));
}
