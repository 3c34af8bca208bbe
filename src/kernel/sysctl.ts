import { isIpv4 } from '../net/ip.ts';
import type { IpAddress } from '../net/ip.ts';

/** Sysctls of a namespace by dotted name ("net.ipv4.ip_forward"), with the kernel's defaults for what is not set. */
export type Sysctls = ReadonlyMap<string, string>;

/** Kernel defaults of the settings that the simulation reads (`net.ipv4.conf.DEV.X` falls back to conf.default of the device's birth). */
const DEFAULTS: ReadonlyMap<string, number> = new Map([
  ['net.ipv4.ip_forward', 0],
  ['net.ipv6.conf.all.forwarding', 0],
  ['net.ipv4.ip_default_ttl', 64],
  ['net.ipv6.conf.default.hop_limit', 64],
  ['net.bridge.bridge-nf-call-iptables', 1],
  ['net.bridge.bridge-nf-call-ip6tables', 1],
  ['net.netfilter.nf_conntrack_tcp_be_liberal', 0],
  ['net.netfilter.nf_conntrack_tcp_loose', 1],
  ['net.ipv4.vs.conntrack', 0],
  ['net.ipv4.vs.conn_reuse_mode', 1],
  ['net.ipv4.vs.snat_reroute', 1],
]);

/** A numeric setting; the kernel's default when unset, 0 when it has none. */
export function sysctl(sysctls: Sysctls, name: string): number {
  const text = sysctls.get(name);
  if (text !== undefined) return Number(text);
  return DEFAULTS.get(name) ?? 0;
}

/** TTL or hop limit that a host gives its own packets to an address, unless a socket asks for another. */
export function hopLimit(sysctls: Sysctls, towards: IpAddress): number {
  return sysctl(sysctls, isIpv4(towards) ? 'net.ipv4.ip_default_ttl' : 'net.ipv6.conf.default.hop_limit');
}

/** A per-device IPv4 setting as the kernel combines it with `conf.all`: maximum (rp_filter) or "or" (route_localnet, accept_local). */
export function deviceSysctl(sysctls: Sysctls, key: string, device: string): number {
  return Math.max(sysctl(sysctls, `net.ipv4.conf.all.${key}`), sysctl(sysctls, `net.ipv4.conf.${device}.${key}`));
}
