//! `pdf_render_page`: one page, several pages, or a contact sheet.

mod drawing;
mod fitted;
mod page;
mod pages;
mod place;

pub use self::fitted::draw_to_width;
pub use self::page::{RenderAnswer, RenderResult, render_page, write_picture, write_quote_picture};
pub use self::pages::{RenderedPages, SheetResult, write_pictures, write_sheet};
