import { inheritedSysctls, sysctlPath, writeSysctl } from '../kernel/sysctl-write.ts';
import type { Device } from '../kernel/device/device.ts';
import type { Sysctls } from '../kernel/sysctl.ts';

const NO_REDIRECTS = [
  ['net.ipv4.conf.all.send_redirects', '0'],
  ['net.ipv4.conf.default.send_redirects', '0'],
] as const;

/** What a real node has beside the kernel's defaults (facts: flannel-node, Sysctls). */
export const NODE_SYSCTLS: Sysctls = new Map([
  ['net.ipv4.ip_forward', '1'],
  ['net.bridge.bridge-nf-call-iptables', '1'],
  ['net.ipv4.conf.all.rp_filter', '0'],
  ['net.ipv4.conf.default.rp_filter', '0'],
  ...NO_REDIRECTS,
]);

/** Pods and external hosts. */
export const LEAF_SYSCTLS: Sysctls = new Map([
  ['net.ipv4.ip_forward', '0'],
  ['net.ipv4.conf.all.rp_filter', '0'],
  ['net.ipv4.conf.default.rp_filter', '0'],
]);

/** What the bridge plugin, or an administrator, has set where there is IPv6. */
export const NODE_SYSCTLS_6: Sysctls = new Map([
  ['net.ipv6.conf.all.forwarding', '1'],
  ['net.bridge.bridge-nf-call-ip6tables', '1'],
]);

/** The router: it does not hand bridged frames to iptables. */
export const ROUTER_SYSCTLS: Sysctls = new Map([...NODE_SYSCTLS, ['net.bridge.bridge-nf-call-iptables', '0']]);
export const ROUTER_SYSCTLS_6: Sysctls = new Map([...NODE_SYSCTLS_6, ['net.bridge.bridge-nf-call-ip6tables', '0']]);

/** A balancer of the cloud: it forwards, by the interface that a packet came by too. */
export const BALANCER_SYSCTLS: Sysctls = new Map([...LEAF_SYSCTLS, ['net.ipv4.ip_forward', '1'], ...NO_REDIRECTS]);
export const BALANCER_SYSCTLS_6: Sysctls = new Map([['net.ipv6.conf.all.forwarding', '1']]);

const DEVICE_KEY = /^net\.ipv4\.conf\.(?!all\.|default\.)/;

/**
 * Sysctls of a host as they come to be: `base` and the given keys that name no device first, then the devices are born with
 * `conf.default`, then the given keys of devices. lo is older than all of them.
 */
export function hostSysctls(base: Sysctls, given: Readonly<Record<string, string>>, devices: readonly Device[]): Sysctls {
  const entries = Object.entries(given).map(([key, value]): [string, string] => [sysctlPath(key).join('.'), value]);
  const early = writeAll(
    base,
    entries.filter(([key]) => !DEVICE_KEY.test(key)),
  );
  const born = devices.filter(({ kind }) => kind !== 'loopback').flatMap(({ name }) => inheritedSysctls(early, name));
  return writeAll(
    new Map([...early, ...born]),
    entries.filter(([key]) => DEVICE_KEY.test(key)),
  );
}

export function writeAll(sysctls: Sysctls, entries: Iterable<readonly [string, string]>): Sysctls {
  let changed = sysctls;
  for (const [key, value] of entries) changed = writeSysctl(changed, key, value);
  return changed;
}
