//! Programs that squall once got wrong, and forms that must never be: text, and requests by class of failure.

use super::compare;
