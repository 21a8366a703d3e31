//! Guidance for clients that ask for it: prompts, and the skill of reading documents.

/// A prompt that a person can start with.
#[derive(Debug)]
pub struct Prompt {
    /// The name it is asked for by.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [PromptArgument],
    /// The message to the model, with each argument in braces. A line with an argument that was not given is left out.
    template: &'static str,
}

/// An argument of a prompt.
#[derive(Debug)]
pub struct PromptArgument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Whether the prompt needs it.
    pub is_required: bool,
}

const DOCUMENT: PromptArgument =
    PromptArgument { name: "document", description: "Path or URL of the document", is_required: true };

/// All prompts.
pub const PROMPTS: [Prompt; 4] = [
    Prompt {
        name: "summarise_document",
        title: "Summarise a document",
        description: "Reads a document by its outline and sums it up with page numbers",
        arguments: &[
            DOCUMENT,
            PromptArgument { name: "focus", description: "What matters most to you", is_required: false },
        ],
        template: "\
Summarise the document {document}.
What matters most: {focus}
Call get_file with its path alone first. From the outline, choose the pages that matter, and read them in few calls. Give the \
summary in short paragraphs with the page of each fact. Say which pages you did not read.",
    },
    Prompt {
        name: "answer_from_folder",
        title: "Answer a question from a folder",
        description: "Finds the pages of a folder's documents that answer a question, and quotes them",
        arguments: &[
            PromptArgument { name: "folder", description: "Path of the folder", is_required: true },
            PromptArgument { name: "question", description: "The question", is_required: true },
        ],
        template: "\
Answer this question from the documents in the folder {folder}: {question}
Call pdf_search with that path, the question as query and ranked: true. Read the best pages with get_file. Answer with the \
document and page of each fact, and check each quotation with pdf_search and quote. If no page answers it, say so, and name \
the files that could not be searched.",
    },
    Prompt {
        name: "extract_tables",
        title: "Extract tables",
        description: "Gives the tables of a document as CSV, each with its page",
        arguments: &[
            DOCUMENT,
            PromptArgument { name: "pages", description: "Pages, such as 3,7-9", is_required: false },
        ],
        template: "\
Extract the tables of the document {document}.
Use only pages: {pages}.
Call get_file with its path alone first, then pdf_extract_text with format: \"markdown\" for the pages with tables. Give each \
table as CSV with its page and caption, and every cell as it stands. If an answer notes that columns are a guess, look at that \
page with pdf_render_page and correct them.",
    },
    Prompt {
        name: "compare_versions",
        title: "Compare two versions",
        description: "Says what changed between two versions of a document",
        arguments: &[
            PromptArgument { name: "old", description: "Path or URL of the earlier version", is_required: true },
            PromptArgument { name: "new", description: "Path or URL of the later version", is_required: true },
        ],
        template: "\
Compare two versions of a document: {old} is the earlier one, {new} the later one.
Call get_file with the later one as filePath and the earlier one as against. Read the changed pages where the words alone do \
not say what the change means. List the changes that matter first, with the pages in both versions, then the small ones.",
    },
];

impl Prompt {
    /// The message to the model. `given` has the arguments by name.
    ///
    /// # Errors
    /// The name of a required argument that is not given.
    pub fn message<'a>(&self, given: impl Fn(&str) -> Option<&'a str>) -> Result<String, &'static str> {
        let value = |name: &str| given(name).map(str::trim).filter(|value| !value.is_empty());
        if let Some(missing) =
            self.arguments.iter().find(|argument| argument.is_required && value(argument.name).is_none())
        {
            return Err(missing.name);
        }
        let lines = self.template.lines().filter_map(|line| filled(line, value));
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }
}

/// A line with the values in their places; `None` if one is missing.
fn filled<'a>(mut line: &str, value: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let mut text = String::new();
    while let Some((before, (name, after))) =
        line.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        text.push_str(before);
        text.push_str(value(name)?);
        line = after;
    }
    text.push_str(line);
    Some(text)
}

/// The URI of the skill, by which clients read it as a resource.
pub const SKILL_URI: &str = "skill://read-documents/SKILL.md";

/// The skill, as clients with tools of this server use it.
pub const SKILL: &str = include_str!("skills/read-documents/SKILL.md");

/// The fields of the skill's front matter, each on a line of its own.
pub fn skill_fields() -> impl Iterator<Item = (&'static str, &'static str)> {
    let front = SKILL.lines().skip(1).take_while(|line| *line != "---");
    front.filter_map(|line| line.split_once(": "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::find_tool;

    #[test]
    fn a_prompt_says_what_was_given_and_leaves_out_the_rest() {
        let [summarise, ..] = &PROMPTS;
        let message = |focus: Option<&'static str>| {
            summarise.message(|name| if name == "document" { Some("a {focus}.pdf") } else { focus })
        };
        assert!(message(Some("costs")).is_ok_and(|text| text.contains("\nWhat matters most: costs\n")));
        let plain = message(Some(" ")).unwrap_or_default();
        assert!(plain.starts_with("Summarise the document a {focus}.pdf.\nCall get_file"), "{plain}");
        assert_eq!(summarise.message(|_| None), Err("document"));
    }

    #[test]
    fn prompts_and_skill_name_tools_and_parameters_that_exist() {
        let values = |_: &str| Some("value");
        let texts = PROMPTS.iter().filter_map(|prompt| prompt.message(values).ok()).chain([SKILL.to_owned()]);
        for text in texts {
            let words = text.split(|character: char| !character.is_ascii_lowercase() && character != '_');
            let tools = words.filter(|word| word.starts_with("pdf_") || word.starts_with("context_"));
            tools.for_each(|tool| assert!(find_tool(tool).is_some(), "{tool}"));
        }
        let fields: Vec<_> = skill_fields().map(|(name, _)| name).collect();
        assert_eq!(fields, ["name", "description"]);
    }
}
