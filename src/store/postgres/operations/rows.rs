//! Converts between rows and values.

use std::collections::BTreeSet;
use std::time::SystemTime;

use tokio_postgres::types::{FromSqlOwned, ToSql};
use tokio_postgres::{Error, Row};

use crate::held_rows::HeldItemRow;
use crate::postgres::connections::DatabaseClock;
use crate::{ConversationHead, ConversationRecord, Usage, Version};
use pagewise_base::hash::ContentHash;
use pagewise_view::{FileKey, Holding, Principal, Sequence};

/// A parameter of a statement.
pub(in crate::postgres) type Parameter<'a> = &'a (dyn ToSql + Sync);

/// A number as the database's signed integer.
pub(in crate::postgres) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// A count in a column; negative values become 0.
pub(in crate::postgres) fn count(row: &Row, column: usize) -> Result<u64, Error> {
    row.try_get(column).map(unsigned)
}

/// A version in the first two columns.
pub(in crate::postgres) fn version(row: &Row) -> Result<Version, Error> {
    Ok(Version { begun: count(row, 0)?, latest: Sequence(count(row, 1)?) })
}

/// 32 bytes, or `None` for any other length.
pub(super) fn hash(row: &Row, column: usize) -> Result<Option<[u8; 32]>, Error> {
    let bytes: Option<Vec<u8>> = row.try_get(column)?;
    Ok(bytes.and_then(|bytes| bytes.try_into().ok()))
}

/// A head in the first nine columns.
pub(in crate::postgres) fn head(row: &Row) -> Result<ConversationHead, Error> {
    let sent = Usage { blocks: count(row, 5)?, pages: count(row, 6)?, bytes: count(row, 7)?, tokens: count(row, 8)? };
    let Version { begun, latest } = version(row)?;
    let forgotten = Sequence(count(row, 2)?);
    Ok(ConversationHead {
        begun,
        latest,
        forgotten,
        generation: count(row, 3)?,
        owner: hash(row, 4)?.map(Principal),
        sent,
    })
}

/// A head, name, two times and a count; `None` for a handle that this version rejects.
pub(in crate::postgres) fn conversation_record(
    row: &Row,
    clock: &DatabaseClock,
) -> Result<Option<ConversationRecord>, Error> {
    let name: String = row.try_get(9)?;
    let moment = |column| row.try_get(column).map(|seconds| clock.moment_of(seconds));
    let (created, used): (SystemTime, SystemTime) = (moment(10)?, moment(11)?);
    let (head, holdings) = (head(row)?, count(row, 12)?);
    Ok(name.parse().ok().map(|id| ConversationRecord { id, created, used, holdings, head }))
}

/// A holding in the eight columns from `first`; `None` for a row that this version does not know.
pub(in crate::postgres) fn holding(row: &Row, first: usize) -> Result<Option<(Holding, Sequence)>, Error> {
    let (content, file) = (hash(row, first)?, hash(row, first + 1)?);
    let kind = narrow::<i16, u8>(row, first + 2)?;
    let (start, end) = (narrow::<i64, u32>(row, first + 3)?, narrow::<i64, u32>(row, first + 4)?);
    let form = narrow::<i16, u8>(row, first + 5)?;
    let fingerprint: Vec<u8> = row.try_get(first + 6)?;
    let at = Sequence(count(row, first + 7)?);
    let (Some(content), Some(file), Some(kind), Some(start), Some(end), Some(form)) =
        (content, file, kind, start, end, form)
    else {
        return Ok(None);
    };
    let held = HeldItemRow { kind, first: start, last: end, form, fingerprint }.held();
    Ok(held.map(|what| (Holding { content: ContentHash(content), file: FileKey(file), what }, at)))
}

/// A number of a narrower type; `None` if it does not fit.
pub(super) fn narrow<W: FromSqlOwned, N: TryFrom<W>>(row: &Row, column: usize) -> Result<Option<N>, Error> {
    row.try_get::<_, W>(column).map(|wide| N::try_from(wide).ok())
}

/// Rows as statement parameters: one array per column.
#[derive(Debug, Default)]
pub(in crate::postgres) struct HoldingColumns {
    pub(in crate::postgres) contents: Vec<Vec<u8>>,
    pub(in crate::postgres) files: Vec<Vec<u8>>,
    pub(in crate::postgres) kinds: Vec<i16>,
    pub(in crate::postgres) firsts: Vec<i64>,
    pub(in crate::postgres) lasts: Vec<i64>,
    pub(in crate::postgres) forms: Vec<i16>,
    pub(in crate::postgres) fingerprints: Vec<Vec<u8>>,
}

impl<'a> FromIterator<&'a Holding> for HoldingColumns {
    /// Deduplicates: a statement cannot write a row twice.
    fn from_iter<I: IntoIterator<Item = &'a Holding>>(holdings: I) -> Self {
        let distinct: BTreeSet<&Holding> = holdings.into_iter().collect();
        distinct.into_iter().fold(Self::default(), |mut columns, holding| {
            columns.push(holding);
            columns
        })
    }
}

impl HoldingColumns {
    /// The arrays, in column order.
    pub(in crate::postgres) fn parameters(&self) -> [Parameter<'_>; 7] {
        [&self.contents, &self.files, &self.kinds, &self.firsts, &self.lasts, &self.forms, &self.fingerprints]
    }

    pub(in crate::postgres) fn push(&mut self, holding: &Holding) {
        let row = HeldItemRow::of(holding.what);
        self.contents.push(holding.content.0.to_vec());
        self.files.push(holding.file.0.to_vec());
        self.kinds.push(row.kind.into());
        self.firsts.push(row.first.into());
        self.lasts.push(row.last.into());
        self.forms.push(row.form.into());
        self.fingerprints.push(row.fingerprint);
    }
}

/// A key and a value, from two columns.
pub(in crate::postgres) fn entry<V: FromSqlOwned>(row: &Row) -> Result<Option<([u8; 32], V)>, Error> {
    Ok(hash(row, 0)?.zip(Some(row.try_get(1)?)))
}
