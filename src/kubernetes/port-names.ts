import { DEVICE_NAME_MAX } from '../kernel/device/build.ts';

/**
 * Gives out device names of at most 15 characters: a longer one is cut, and one that is taken gets a digit (and loses a character for it
 * where it must). The same calls give the same names.
 */
export function portNames(): (wanted: string) => string {
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return (wanted) => {
    const base = wanted.slice(0, DEVICE_NAME_MAX);
    let name = base;
    while (taken.has(name)) {
      const digit = next.get(base) ?? 2;
      next.set(base, digit + 1);
      name = base.slice(0, DEVICE_NAME_MAX - String(digit).length) + String(digit);
    }
    taken.add(name);
    return name;
  };
}
