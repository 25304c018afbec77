//! A cache that forgets what was not asked for lately.

use std::collections::HashMap;
use std::hash::Hash;

const DEFAULT_CAPACITY: usize = 128;

/// What can be measured in bytes.
pub trait Weight {
    fn weight(&self) -> usize;

    fn is_heavy(&self) -> bool {
        self.weight() > 1_000_000
    }
}

#[derive(Debug, Clone)]
struct Entry<V> {
    value: V,
    used_at: u64,
}

/// Keeps the values that were used last.
#[derive(Debug)]
pub struct Cache<K, V> {
    entries: HashMap<K, Entry<V>>,
    capacity: usize,
    clock: u64,
}

impl<K: Eq + Hash + Clone, V> Cache<K, V> {
    pub fn new() -> Self {
        Self::with_capacity(DEFAULT_CAPACITY)
    }

    pub fn with_capacity(capacity: usize) -> Self {
        Cache { entries: HashMap::new(), capacity, clock: 0 }
    }

    /// The value of a key; it counts as used now.
    pub fn get(&mut self, key: &K) -> Option<&V> {
        self.clock += 1;
        let clock = self.clock;
        self.entries.get_mut(key).map(|entry| {
            entry.used_at = clock;
            &entry.value
        })
    }

    pub fn put(&mut self, key: K, value: V) {
        self.clock += 1;
        if self.entries.len() >= self.capacity && !self.entries.contains_key(&key) {
            self.evict();
        }
        self.entries.insert(key, Entry { value, used_at: self.clock });
    }

    fn evict(&mut self) {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used_at).map(|(key, _)| key.clone());
        if let Some(key) = oldest {
            self.entries.remove(&key);
        }
    }
}

impl<K: Eq + Hash + Clone, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten() {
        let mut cache = Cache::with_capacity(1);
        cache.put("a", 1);
        cache.put("b", 2);
        assert_eq!(cache.get(&"a"), None);
    }
}
