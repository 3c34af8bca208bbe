import { perHost } from '../per-host.ts';
import type { Host } from '../host.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { Origin } from '../../trace/origin.ts';

/** An entry of `bridge fdb`: of a vxlan device (`remote`) or of a bridge (`device` is its port). */
export interface FdbEntry {
  readonly device: string;
  readonly mac: Mac;
  /** Remote VTEP; null for a bridge port. */
  readonly remote: IpAddress | null;
  readonly origin?: Origin;
}

const byMac = perHost(({ fdb }) => {
  const entries = new Map<Mac, FdbEntry[]>();
  for (const entry of fdb) {
    const same = entries.get(entry.mac);
    if (same) same.push(entry);
    else entries.set(entry.mac, [entry]);
  }
  return entries;
});

/** The entries of a host for a MAC address, in their order: in a large cluster every node has one for every other. */
export function fdbEntries(host: Host, mac: Mac): readonly FdbEntry[] {
  return byMac(host).get(mac) ?? [];
}
