//! Reads references (ISO 32000-2, 7.3.10), the most frequent objects of all.

use super::{Lexer, Syntax, is_regular};
use crate::object::ObjectId;

/// Reads at most nine decimal digits and the space after them.
#[inline]
fn digits_and_space(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u32> {
    let mut value = 0_u32;
    for count in 0..10 {
        let byte = *bytes.next()?;
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (byte == b' ' && count > 0).then_some(value);
        }
        value = value.wrapping_mul(10).wrapping_add(u32::from(digit));
    }
    None
}

impl Lexer<'_> {
    /// Reads `number generation R` spelled with single spaces; reads nothing for any other spelling.
    #[inline]
    pub(super) fn plain_reference(&mut self) -> Option<ObjectId> {
        let rest = self.rest();
        let mut bytes = rest.iter();
        let number = digits_and_space(&mut bytes)?;
        let generation = u16::try_from(digits_and_space(&mut bytes)?).ok()?;
        if *bytes.next()? != b'R' || is_regular(*bytes.as_slice().first()?) {
            return None;
        }
        self.position += rest.len() - bytes.len();
        Some(ObjectId { number, generation })
    }

    /// Reads `generation R` after an integer; reads nothing if something else follows.
    pub(super) fn reference_tail(&mut self, number: i64) -> Result<Option<ObjectId>, Syntax> {
        let mut ahead = self.clone();
        ahead.skip_space();
        let digits = ahead.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == ahead.rest().len() {
            return Err(Syntax::Incomplete);
        }
        if digits == 0 || digits > 5 {
            return Ok(None);
        }
        let generation = ahead.read_unsigned()?;
        ahead.skip_space();
        if ahead.peek().ok_or(Syntax::Incomplete)? != b'R' {
            return Ok(None);
        }
        if is_regular(*ahead.bytes.get(ahead.position + 1).ok_or(Syntax::Incomplete)?) {
            return Ok(None);
        }
        let (Ok(number), Ok(generation)) = (u32::try_from(number), u16::try_from(generation)) else {
            return self.malformed();
        };
        self.position = ahead.position + 1;
        Ok(Some(ObjectId { number, generation }))
    }
}
