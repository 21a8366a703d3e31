//! One test per rule of typesetting, on layouts that are sketched line by line.

mod blocks;
mod columns;
mod evidence;
mod figures;
mod hostile;
mod line_ends;
mod line_numbers;
mod looks;
mod pages;
mod papers;
mod sheet;
mod tagged;
mod typesetting;
mod writing;
