//! Values that were made before, with what they were made of.

use std::collections::{BTreeMap, BTreeSet};

use super::print::Print;
use crate::cmd::parallel;

/// Values by name. A value is made again exactly when what it is made of has another fingerprint than when it was made.
#[derive(Debug)]
pub(in crate::cmd) struct Memo<K, V> {
    values: BTreeMap<K, V>,
    prints: BTreeMap<K, Prints>,
}

#[derive(Clone, Copy, Debug)]
struct Prints {
    made_of: Print,
    own: Print,
}

/// A value that is wanted.
#[derive(Clone, Debug)]
pub(in crate::cmd) struct Wanted<K, W> {
    /// Its name.
    pub name: K,
    /// The fingerprint of all that it is made of.
    pub made_of: Print,
    /// What it takes to make it.
    pub parts: W,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), prints: BTreeMap::new() }
    }
}

impl<K: Ord + Clone + Sync, V: Send> Memo<K, V> {
    /// Makes what is wanted and not there yet or made of something else, on all threads, and forgets what is not wanted. `print` is the
    /// fingerprint of a value.
    ///
    /// # Errors
    /// The first failure in the order of what is wanted. What could be made is kept, and what could not be made is wanted again.
    pub(in crate::cmd) fn renew<W: Sync, E: Send>(
        &mut self,
        wanted: &[Wanted<K, W>],
        print: impl Fn(&V) -> Print + Sync,
        make: impl Fn(&W) -> Result<V, E> + Sync,
    ) -> Result<(), E> {
        let is_kept = |one: &Wanted<K, W>| self.prints.get(&one.name).is_some_and(|prints| prints.made_of == one.made_of);
        let unmade: Vec<&Wanted<K, W>> = wanted.iter().filter(|one| !is_kept(one)).collect();
        let results = parallel::each(&unmade, |one| make(&one.parts).map(|value| (print(&value), value)));
        let mut failed = None;
        for (one, result) in unmade.into_iter().zip(results) {
            match result {
                Ok((own, value)) => {
                    self.values.insert(one.name.clone(), value);
                    self.prints.insert(one.name.clone(), Prints { made_of: one.made_of, own });
                }
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
        let names: BTreeSet<&K> = wanted.iter().map(|one| &one.name).collect();
        self.values.retain(|name, _| names.contains(name));
        self.prints.retain(|name, _| names.contains(name));
        failed.map_or(Ok(()), Err)
    }

    /// The values.
    pub(in crate::cmd) fn values(&self) -> &BTreeMap<K, V> {
        &self.values
    }

    /// The values, for good.
    pub(in crate::cmd) fn into_values(self) -> BTreeMap<K, V> {
        self.values
    }

    /// The fingerprint of a value.
    pub(in crate::cmd) fn print(&self, name: &K) -> Option<Print> {
        self.prints.get(name).map(|prints| prints.own)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::print;
    use super::*;

    fn wanted(parts: &[(&'static str, i32)]) -> Vec<Wanted<&'static str, i32>> {
        parts.iter().map(|(name, parts)| Wanted { name: *name, made_of: print::of(parts), parts: *parts }).collect()
    }

    #[test]
    fn only_what_is_made_of_something_else_is_made_again() {
        let count = AtomicUsize::new(0);
        let make = |parts: &i32| {
            count.fetch_add(1, Ordering::Relaxed);
            if *parts < 0 { Err(*parts) } else { Ok(parts * 10) }
        };
        let mut memo = Memo::default();
        let mut renew = |parts: &[(&'static str, i32)]| {
            let before = count.load(Ordering::Relaxed);
            let answer = memo.renew(&wanted(parts), |value: &i32| print::of(value), make);
            (answer, count.load(Ordering::Relaxed) - before, memo.values().clone().into_iter().collect::<Vec<_>>())
        };
        assert_eq!(renew(&[("a", 1), ("b", 2)]), (Ok(()), 2, vec![("a", 10), ("b", 20)]));
        assert_eq!(renew(&[("a", 1), ("b", 3)]), (Ok(()), 1, vec![("a", 10), ("b", 30)]));
        // A failure keeps what was, which is never taken for what was wanted.
        assert_eq!(renew(&[("a", -1), ("b", 4)]), (Err(-1), 2, vec![("a", 10), ("b", 40)]));
        assert_eq!(renew(&[("a", -1), ("b", 4)]), (Err(-1), 1, vec![("a", 10), ("b", 40)]));
        assert_eq!(renew(&[("a", 1)]), (Ok(()), 0, vec![("a", 10)]));
    }
}
