import type { Sysctls } from './sysctl.ts';

const FORWARDING = /^net\.ipv4\.conf\.[^]+\.forwarding$/;

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
