//! The `details` of a result, for programs.

use serde_json::{Map, Value, json};

use crate::context::{
    AnswerDetails, FolderListing, ListedPages, ListedPdf, NextCall, PageEstimate, SentPage, form_name,
};
use crate::tool::context::pages_json;
use pagewise_base::page::PageSet;
use pagewise_library::date_text;

/// `details` as JSON. Unknown values are left out.
#[must_use]
pub fn details_json(details: &AnswerDetails, conversation: Option<&str>) -> Value {
    let mut object = ObjectBuilder::default();
    object.put("file", json!(details.file));
    object.put("mimeType", json!(details.mime_type));
    object.put_some("blake3", details.blake3.map(|hash| json!(hash.to_string())));
    object.put_some("pages", details.pages.map(Value::from));
    object.put_some("supportsPageExtraction", details.supports_page_extraction.map(Value::from));
    object.put_some("conversation", conversation.map(Value::from));
    object.put_some("point", details.point.map(|point| json!(point.0)));
    object.put_some("changes", details.changes.as_ref().map(|changes| Value::Object(pages_json(changes))));
    object.put_list("sent", details.sent.iter().map(sent).collect());
    object.put_pages("alreadyHeld", &details.already_held);
    object.put_pages("replaced", &details.replaced);
    object.put_pages("deferred", &details.deferred);
    object.put_some("readSoFar", details.read_so_far.as_ref().map(|pages| json!(pages.to_string())));
    object.put_some("next", details.next.as_ref().map(next));
    if let Some(listing) = &details.folder {
        object.0.extend(folder_json(listing));
    }
    object.put_list("estimates", details.estimates.iter().map(estimate).collect());
    object.put_list("notes", details.notes.iter().map(|note| json!(note)).collect());
    Value::Object(object.0)
}

/// The PDFs of a folder, for programs.
pub(crate) fn folder_json(listing: &FolderListing) -> Map<String, Value> {
    let mut object = ObjectBuilder::default();
    object.put("total", json!(listing.total));
    object.put("documents", listing.documents.iter().map(listed_pdf).collect());
    let last = listing.first.saturating_sub(1) + listing.documents.len();
    object.put_some("nextDocument", (last < listing.total).then(|| json!(last + 1)));
    object.0
}

/// The PDFs of a folder in short: for each its page count, or why it cannot be read. It is shorter than the text.
pub(crate) fn folder_brief(listing: &FolderListing) -> Value {
    let documents = listing.documents.iter().map(|pdf| {
        let known = match &pdf.pages {
            ListedPages::Seen(glance) => json!(glance.pages),
            ListedPages::NotSeen => Value::Null,
            ListedPages::Unreadable(why) => json!(why),
        };
        (pdf.name.clone(), known)
    });
    json!({ "total": listing.total, "documents": documents.collect::<Map<_, _>>() })
}

fn listed_pdf(pdf: &ListedPdf) -> Value {
    let mut object = ObjectBuilder::default();
    object.put("name", json!(pdf.name));
    object.put_some("bytes", pdf.bytes.map(Value::from));
    object.put_some("sameAs", pdf.same_as.as_ref().map(|first| json!(first)));
    match &pdf.pages {
        ListedPages::Seen(glance) => {
            object.put("pages", json!(glance.pages));
            object.put_some("title", glance.title.as_ref().map(|title| json!(title)));
            object.put_some("date", glance.date.map(|date| json!(date_text(date))));
            object.put_some("language", glance.language.map(Value::from));
            object.put_some("subject", glance.subject.as_ref().map(|subject| json!(subject)));
            object.put("tokens", json!(glance.tokens));
            object.put_some("isScan", glance.is_scan.then_some(Value::Bool(true)));
        }
        ListedPages::NotSeen => {}
        ListedPages::Unreadable(why) => object.put("problem", json!(why)),
    }
    Value::Object(object.0)
}

#[derive(Default)]
struct ObjectBuilder(Map<String, Value>);

impl ObjectBuilder {
    fn put(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    fn put_some(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    fn put_list(&mut self, name: &str, values: Vec<Value>) {
        self.put_some(name, (!values.is_empty()).then_some(Value::Array(values)));
    }

    fn put_pages(&mut self, name: &str, pages: &PageSet) {
        self.put_some(name, (!pages.is_empty()).then(|| json!(pages.to_string())));
    }
}

fn sent(page: &SentPage) -> Value {
    let mut object = ObjectBuilder::default();
    object.put("page", json!(page.page.get()));
    object.put_some("label", page.label.as_ref().map(|label| json!(label.0)));
    object.put("form", json!(form_name(page.form)));
    object.put("bytes", json!(page.bytes));
    object.put("blake3", json!(page.blake3.to_string()));
    object.put_some("fingerprint", page.fingerprint.map(|print| json!(print.to_string())));
    object.put_some("tier", page.tier.as_ref().map(|tier| json!(tier)));
    object.put_list("notes", page.notes.iter().map(|note| json!(note)).collect());
    object.put_list("leftOut", page.left_out.iter().map(|line| json!(line)).collect());
    Value::Object(object.0)
}

fn next(call: &NextCall) -> Value {
    match call {
        NextCall::Pages(pages) => json!({ "pages": pages.to_string() }),
        NextCall::Lines { first, count: None } => json!({ "startLine": first }),
        NextCall::Lines { first, count } => json!({ "startLine": first, "numLines": count }),
    }
}

fn estimate(page: &PageEstimate) -> Value {
    let mut object = ObjectBuilder::default();
    object.put("page", json!(page.page.get()));
    object.put_some("textTokens", page.text_tokens.map(Value::from));
    object.put_some("imageTokens", page.image_tokens.map(Value::from));
    object.put_some("mixedTokens", page.mixed_tokens.map(Value::from));
    object.put_some("pdfBytes", page.pdf_bytes.map(Value::from));
    Value::Object(object.0)
}
