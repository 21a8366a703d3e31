//! The palette of a picture, by median cut: the colours are halved where they differ most.

use super::resample::{Raster, Rgb};

/// Colours of a palette.
const MAX_COLORS: usize = 256;

/// Bits of each channel by which colours are told apart.
const BITS: u32 = 5;

/// Colours that are told apart.
const KINDS: usize = 1 << (3 * BITS);

/// At most 256 colours, and the nearest of them for each colour of the picture.
pub(super) struct Palette {
    pub(super) colors: Vec<Rgb>,
    numbers: Vec<u8>,
}

/// A colour of the picture: the sum of its pixels, and how many these are.
#[derive(Clone, Copy)]
struct Kind {
    key: usize,
    sums: [u64; 3],
    count: u64,
}

impl Palette {
    pub(super) fn of(raster: &Raster) -> Self {
        let mut groups = vec![kinds(raster)];
        while groups.len() < MAX_COLORS {
            let widest = groups.iter().enumerate().max_by_key(|(_, group)| spread(group).1).map(|(at, _)| at);
            let Some(group) = widest.and_then(|at| groups.get_mut(at)).filter(|group| spread(group).1 > 0) else {
                break;
            };
            let other = halve(group);
            groups.push(other);
        }
        let mut palette = Self { colors: Vec::new(), numbers: vec![0; KINDS] };
        groups.sort_by_key(|group| group.iter().map(|kind| kind.key).min());
        for (number, group) in (0..=u8::MAX).zip(groups.iter().filter(|group| !group.is_empty())) {
            palette.colors.push(mean(group));
            for kind in group {
                if let Some(entry) = palette.numbers.get_mut(kind.key) {
                    *entry = number;
                }
            }
        }
        palette
    }

    /// The number of the nearest colour.
    pub(super) fn number(&self, color: Rgb) -> u8 {
        self.numbers.get(key(color)).copied().unwrap_or_default()
    }
}

/// The colours of the picture.
fn kinds(raster: &Raster) -> Vec<Kind> {
    let mut kinds = (0..KINDS).map(|key| Kind { key, sums: [0; 3], count: 0 }).collect::<Vec<_>>();
    for color in raster.rows.iter().flatten() {
        if let Some(kind) = kinds.get_mut(key(*color)) {
            kind.sums.iter_mut().zip(color).for_each(|(sum, channel)| *sum += u64::from(*channel));
            kind.count += 1;
        }
    }
    kinds.retain(|kind| kind.count > 0);
    kinds
}

fn key(color: Rgb) -> usize {
    color.iter().fold(0, |key, channel| (key << BITS) | usize::from(channel >> (8 - BITS)))
}

/// A channel of a key.
fn channel(key: usize, at: usize) -> usize {
    let shift = [2 * BITS, BITS, 0].get(at).copied().unwrap_or_default();
    (key >> shift) & ((1 << BITS) - 1)
}

/// The channel in which a group differs most, and by how much.
fn spread(group: &[Kind]) -> (usize, usize) {
    let of = |at: usize| {
        let values = || group.iter().map(|kind| channel(kind.key, at));
        values().max().unwrap_or_default() - values().min().unwrap_or_default()
    };
    (0..3).map(|at| (at, of(at))).max_by_key(|(_, spread)| *spread).unwrap_or_default()
}

/// Leaves the lower half of the pixels in the group, and returns the upper half. Neither is empty.
fn halve(group: &mut Vec<Kind>) -> Vec<Kind> {
    let (at, _) = spread(group);
    group.sort_by_key(|kind| channel(kind.key, at));
    let all = group.iter().map(|kind| kind.count).sum::<u64>();
    let mut seen = 0;
    let middle = group.iter().position(|kind| {
        seen += kind.count;
        seen * 2 >= all
    });
    let middle = middle.map_or(1, |middle| middle + 1).clamp(1, group.len().saturating_sub(1).max(1));
    group.split_off(middle.min(group.len()))
}

fn mean(group: &[Kind]) -> Rgb {
    let count = group.iter().map(|kind| kind.count).sum::<u64>().max(1);
    [0, 1, 2].map(|at: usize| {
        let sum = group.iter().filter_map(|kind| kind.sums.get(at)).sum::<u64>();
        u8::try_from((sum + count / 2) / count).unwrap_or(u8::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_and_many_are_joined() {
        let few = Raster { width: 2, rows: vec![vec![[255, 0, 0], [7, 8, 9]]] };
        let palette = Palette::of(&few);
        assert_eq!(palette.colors, [[7, 8, 9], [255, 0, 0]]);
        assert_eq!([[7, 8, 9], [255, 0, 0]].map(|color| palette.number(color)), [0, 1]);

        let every = |step: usize| (0..=u8::MAX).step_by(step);
        let many =
            every(16).flat_map(|red| every(16).flat_map(move |green| every(16).map(move |blue| [red, green, blue])));
        let many = Raster { width: 4_096, rows: vec![many.collect()] };
        let palette = Palette::of(&many);
        assert_eq!(palette.colors.len(), MAX_COLORS);
        let far = |color: &Rgb| {
            let found = palette.colors.get(usize::from(palette.number(*color))).copied().unwrap_or_default();
            color.iter().zip(found).any(|(one, other)| one.abs_diff(other) > 48)
        };
        assert_eq!(many.rows.iter().flatten().filter(|color| far(color)).count(), 0);
    }
}
