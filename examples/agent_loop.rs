//! An agent loop with a scripted model in the provider's place: `cargo run --example agent_loop`

use std::error::Error;
use std::io::{self, Write};

use pagewise::{Api, Pagewise, Request};
use serde_json::{Value, json};

/// The arguments with which the model calls the tool `get_file`, one turn after the other.
const CALLS: [&str; 5] = [
    r#"{ "filePath": "report.pdf" }"#,
    r#"{ "filePath": "report.pdf", "pages": "1-2" }"#,
    r#"{ "filePath": "report.pdf", "pages": "2-3" }"#,
    r#"{ "filePath": "report.pdf", "pages": "99" }"#,
    r#"{ "filePath": "report.pdf", "pages": "1-4" }"#,
];

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout().lock())
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
    let folder = tempfile::tempdir()?;
    let report = folder.path().join("report.pdf");
    std::fs::copy(format!("{fixtures}/report-v1.pdf"), &report)?;
    let pagewise = Pagewise::builder().root(folder.path()).data_folder(folder.path().join("memory")).build()?;
    let tools = [Api::Anthropic.get_file_tool()];
    let mut messages = vec![json!({ "role": "user", "content": "What does report.pdf say?" })];
    for (turn, call) in CALLS.iter().enumerate() {
        // A real loop posts this, and reads the call from the reply.
        let _request = json!({ "model": "a model", "max_tokens": 4096, "tools": tools, "messages": messages });
        let (id, input) = (format!("call_{turn}"), serde_json::from_str::<Value>(call)?);
        let call = json!({ "type": "tool_use", "id": id, "name": "get_file", "input": input });
        messages.push(json!({ "role": "assistant", "content": [call] }));
        let answer = Request::from_json(&input).and_then(|asked| pagewise.get_file(&asked.conversation("chat")));
        let content = match &answer {
            Ok(answer) => answer.to_json(Api::Anthropic),
            Err(error) => vec![json!({ "type": "text", "text": error.text() })],
        };
        let kinds = content.iter().filter_map(|block| block["type"].as_str()).collect::<Vec<_>>();
        writeln!(out, "{input}: {}", kinds.join(", "))?;
        let result =
            json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": answer.is_err() });
        messages.push(json!({ "role": "user", "content": [result] }));
        // A real loop commits once the provider has accepted the request with this result.
        if let Ok(answer) = answer {
            writeln!(out, "  sent {:?}, held {:?}", answer.sent_pages(), answer.held_pages())?;
            answer.commit()?;
        }
        if turn == 3 {
            std::fs::copy(format!("{fixtures}/report-v2.pdf"), &report)?;
            writeln!(out, "the file changes")?;
        }
    }
    Ok(())
}
