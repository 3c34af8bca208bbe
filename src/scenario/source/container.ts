/** A mapping as the parsers make it. Only own keys count. */
export type Mapping = Readonly<Record<string, unknown>>;
/** What holds values: a mapping or a list. */
export type Container = Mapping | readonly unknown[];
/** A key of a mapping or an index of a list. */
export type Key = string | number;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * The value under a key; null and a missing key are both undefined, as the API server treats them. The key must be one that
 * objects don't inherit: a fixed one, or one of the container's own.
 */
export function valueAt(container: Container, key: Key): unknown {
  const value = isList(container) ? container[Number(key)] : container[key];
  return value === null ? undefined : value;
}
