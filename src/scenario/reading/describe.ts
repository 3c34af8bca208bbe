import { isList } from '../source/container.ts';

/** A found value in a message, shortened: `"abc"`, `12`, `a list`, `a mapping`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isList(value) ? 'a list' : 'a mapping';
}
