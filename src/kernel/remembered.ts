/** Answers kept before all are let go: more than the packets of one walk ask for, and little beside a cluster. */
const MAX_KEPT = 16_384;

/**
 * A function that keeps its answers. For what follows from immutable values alone, such as where a routing table leads: there is nothing
 * that could grow stale.
 */
export function remembered<K, V>(answer: (key: K) => V): (key: K) => V {
  const kept = new Map<K, V>();
  return (key) => {
    let value = kept.get(key);
    if (value === undefined) {
      value = answer(key);
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(key, value);
    }
    return value;
  };
}
