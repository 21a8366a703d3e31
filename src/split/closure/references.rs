//! References from the chunk to objects of the source, and the numbers of their copies.

use super::roles::{self, ObjectRole};
use super::{Closure, PendingObject};
use crate::resources::ResourceScope;
use crate::writer::serialize;
use pagewise_base::limits::{Limit, LimitExceeded};
use pagewise_document::DocumentError;
use pagewise_document::object::{Object, ObjectId};
use pagewise_document::objects::ResolvedObject;
use std::sync::Arc;

impl Closure<'_> {
    /// Writes a reference to the chunk's copy of `id`, which is created on first use. Returns false if it is dropped.
    pub(super) fn write_reference(
        &mut self,
        id: ObjectId,
        role: ObjectRole,
        holder: ResourceScope,
        out: &mut Vec<u8>,
    ) -> Result<bool, DocumentError> {
        if let Some(known) = self.numbers.get(&id.number) {
            if let Some(number) = *known {
                serialize::reference(out, number);
            }
            return Ok(known.is_some());
        }
        let reference = Object::Reference(id);
        let object = match self.objects.resolve(&reference)? {
            ResolvedObject::Fetched(object) => object,
            ResolvedObject::Direct(_) => return Ok(false),
        };
        match &*object {
            Object::Null => Ok(self.leave_out(id)),
            // A dictionary in `/Contents` has no meaning, and makes some readers reject the page.
            Object::Dictionary(_) if role == ObjectRole::Contents => Ok(false),
            // Direct numbers and names are shorter than references.
            Object::Boolean(_) | Object::Integer(_) | Object::Real(_) | Object::Name(_) => {
                self.write_value(&object, role, holder, None, out)
            }
            Object::Dictionary(dictionary) if !roles::is_kept(self, dictionary, role, Some(id))? => {
                Ok(self.leave_out(id))
            }
            _ => {
                let number = self.assign(id, object, role)?;
                serialize::reference(out, number);
                Ok(true)
            }
        }
    }

    fn leave_out(&mut self, id: ObjectId) -> bool {
        self.numbers.insert(id.number, None);
        false
    }

    fn assign(&mut self, id: ObjectId, object: Arc<Object>, role: ObjectRole) -> Result<u32, DocumentError> {
        self.last_number += 1;
        LimitExceeded::check(Limit::PageObjects, u64::from(self.last_number), u64::from(self.limits.max_page_objects))?;
        self.numbers.insert(id.number, Some(self.last_number));
        if self.members.groups.contains(&id.number) {
            self.groups.push(id.number);
        }
        self.pending.push_back(PendingObject { number: self.last_number, id, object, role: role.of_indirect(id) });
        Ok(self.last_number)
    }
}
