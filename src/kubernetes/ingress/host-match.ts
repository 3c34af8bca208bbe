/** How a host of an Ingress takes a request's host: by name, as a wildcard, or as one that takes every host. */
export type HostMatch = 'exact' | 'wildcard' | 'any';

/**
 * Does a host of an Ingress take a host name? A wildcard stands for exactly one label (the Ingress specification, "Hostname
 * wildcards"); null takes every host. Null: it does not. Both in canonical form.
 */
export function takesHost(rule: string | null, host: string): HostMatch | null {
  if (rule === null) return 'any';
  if (!rule.startsWith('*.')) return rule === host ? 'exact' : null;
  const dot = host.indexOf('.');
  return dot > 0 && host.slice(dot) === rule.slice(1) ? 'wildcard' : null;
}

/** The host of an authority ("shop.example:443"): without port and last dot, in lower case. */
export function requestHost(authority: string): string {
  const host = authority.replace(/:\d*$/, '').toLowerCase();
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
