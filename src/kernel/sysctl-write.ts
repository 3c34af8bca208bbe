import type { Sysctls } from './sysctl.ts';

const FORWARDING = /^net\.ipv4\.conf\..+\.forwarding$/;

/**
 * Sets one key as the kernel does: `conf.all.forwarding` is another name of `ip_forward`, and writing either sets it for every
 * device (inet_forward_change, net/ipv4/devinet.c).
 */
export function writeSysctl(sysctls: Sysctls, key: string, value: string): Sysctls {
  const changed = new Map(sysctls);
  if (key === 'net.ipv4.ip_forward' || key === 'net.ipv4.conf.all.forwarding') {
    for (const other of sysctls.keys()) if (FORWARDING.test(other)) changed.delete(other);
    changed.set('net.ipv4.ip_forward', value);
  } else {
    changed.set(key, value);
  }
  return changed;
}

/** What a new device takes from `net.ipv4.conf.default` at its birth, as entries of its own. */
export function inheritedSysctls(sysctls: Sysctls, device: string): [string, string][] {
  const prefix = 'net.ipv4.conf.default.';
  const inherited: [string, string][] = [];
  for (const [key, value] of sysctls) {
    if (key.startsWith(prefix)) inherited.push([`net.ipv4.conf.${device}.${key.slice(prefix.length)}`, value]);
  }
  return inherited;
}

/**
 * The file of a key under /proc/sys. The first separator tells which of "." and "/" separates; the other one stands for a dot in a name:
 * `net.ipv4.conf.flannel/1.rp_filter` (sysctl(8)).
 */
export function sysctlPath(key: string): readonly string[] {
  const first = /[./]/.exec(key)?.[0];
  return first === '/' ? key.split('/') : key.split('.').map((part) => part.replace(/\//g, '.'));
}
