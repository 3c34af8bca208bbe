import type { Host } from './host.ts';

/** Something derived from a host, made once: hosts are immutable. */
export function perHost<T>(make: (host: Host) => T): (host: Host) => T {
  const made = new WeakMap<Host, { readonly value: T }>();
  return (host) => {
    let entry = made.get(host);
    if (!entry) {
      entry = { value: make(host) };
      made.set(host, entry);
    }
    return entry.value;
  };
}
