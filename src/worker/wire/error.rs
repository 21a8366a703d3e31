//! Wire types for errors.

use std::io::{self, ErrorKind};

use serde::{Deserialize, Serialize};

use crate::worker::pages::{PdfAction, PdfError};
use pagewise_base::limits::{Limit, LimitExceeded, StopReason};

/// [`PdfError`] on the wire.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum WireError {
    NotAPdf { beginning: String },
    Damaged { what: String, offset: Option<u64> },
    Encrypted { password_given: bool },
    Limit { which: String, limit: u64, found: u64 },
    Timeout { deadline_ms: u64 },
    Cancelled,
    Io(String),
    NotJoinable { reason: String },
    NoEngine { reason: String },
    Failed { action: WireAction, reason: String },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum WireAction {
    ReadInfo,
    ExtractPage,
    ExtractText,
    RenderPage,
    RecogniseText,
    AddTextLayer,
}

impl From<PdfError> for WireError {
    fn from(error: PdfError) -> Self {
        match error {
            PdfError::NotAPdf { beginning } => Self::NotAPdf { beginning },
            PdfError::Damaged { what, offset } => Self::Damaged { what, offset },
            PdfError::Encrypted { password_given } => Self::Encrypted { password_given },
            PdfError::Limit(LimitExceeded { which, limit, found }) => {
                Self::Limit { which: which.name().to_owned(), limit, found }
            }
            PdfError::Stopped(StopReason::Timeout { deadline_ms }) => Self::Timeout { deadline_ms },
            PdfError::Stopped(StopReason::Cancelled) => Self::Cancelled,
            PdfError::Io(error) => Self::Io(error.to_string()),
            PdfError::NotJoinable { reason } => Self::NotJoinable { reason },
            PdfError::NoEngine { reason } => Self::NoEngine { reason },
            PdfError::Failed { action, reason } => Self::Failed { action: action.into(), reason },
            // A worker has no workers, so this does not occur.
            PdfError::Worker(error) => Self::Io(error.to_string()),
        }
    }
}

impl From<WireError> for PdfError {
    fn from(failure: WireError) -> Self {
        match failure {
            WireError::NotAPdf { beginning } => Self::NotAPdf { beginning },
            WireError::Damaged { what, offset } => Self::Damaged { what, offset },
            WireError::Encrypted { password_given } => Self::Encrypted { password_given },
            WireError::Limit { which, limit, found } => match Limit::named(&which) {
                Some(which) => LimitExceeded { which, limit, found }.into(),
                None => Self::Io(io::Error::new(ErrorKind::InvalidData, "the worker named an unknown limit")),
            },
            WireError::Timeout { deadline_ms } => StopReason::Timeout { deadline_ms }.into(),
            WireError::Cancelled => StopReason::Cancelled.into(),
            WireError::Io(reason) => Self::Io(io::Error::other(reason)),
            WireError::NotJoinable { reason } => Self::NotJoinable { reason },
            WireError::NoEngine { reason } => Self::NoEngine { reason },
            WireError::Failed { action, reason } => Self::Failed { action: action.into(), reason },
        }
    }
}

impl From<PdfAction> for WireAction {
    fn from(action: PdfAction) -> Self {
        match action {
            PdfAction::ReadInfo => Self::ReadInfo,
            PdfAction::ExtractPage => Self::ExtractPage,
            PdfAction::ExtractText => Self::ExtractText,
            PdfAction::RenderPage => Self::RenderPage,
            PdfAction::RecogniseText => Self::RecogniseText,
            PdfAction::AddTextLayer => Self::AddTextLayer,
        }
    }
}

impl From<WireAction> for PdfAction {
    fn from(action: WireAction) -> Self {
        match action {
            WireAction::ReadInfo => Self::ReadInfo,
            WireAction::ExtractPage => Self::ExtractPage,
            WireAction::ExtractText => Self::ExtractText,
            WireAction::RenderPage => Self::RenderPage,
            WireAction::RecogniseText => Self::RecogniseText,
            WireAction::AddTextLayer => Self::AddTextLayer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_keeps_its_name_on_the_way_from_a_worker() {
        for &which in Limit::ALL {
            let sent = PdfError::Limit(LimitExceeded { which, limit: 1, found: 2 });
            let received = PdfError::from(WireError::from(sent));
            assert!(matches!(received, PdfError::Limit(limit) if limit.which == which), "{received:?}");
        }
    }
}
