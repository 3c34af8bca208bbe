import type { Device } from './device/device.ts';
import type { FdbEntry } from './device/fdb.ts';
import type { NeighbourEntry } from './neighbour/neighbour.ts';
import type { Netfilter } from './netfilter/netfilter.ts';
import type { RoutingPolicy } from './routing/route.ts';
import type { Listener } from './socket/listener.ts';
import type { Sysctls } from './sysctl.ts';
import type { Origin } from '../trace/origin.ts';

/** Name of a network namespace: "node/node-1", "pod/default/client", "external/laptop", "underlay". */
export type HostName = string;

/**
 * One network namespace as configured: what `ip`, `bridge`, `sysctl`, `iptables-save`, `ss -l` would print in it.
 * Immutable; operator commands make a changed copy. What packets leave behind (conntrack, counters) is in `KernelState`.
 */
export interface Host {
  readonly name: HostName;
  readonly devices: ReadonlyMap<string, Device>;
  readonly routing: RoutingPolicy;
  /** Configured (permanent) entries, and what warm caches already know. */
  readonly neighbours: NeighbourTable;
  /** Static entries of vxlan devices and bridges. */
  readonly fdb: readonly FdbEntry[];
  readonly sysctls: Sysctls;
  readonly netfilter: Netfilter;
  readonly listeners: readonly Listener[];
  readonly origin?: Origin;
}

/** `ip neigh` of a host. An interface, since in a large cluster nobody lists what everybody knows. */
export interface NeighbourTable {
  get(device: string, address: import('../net/ip.ts').IpAddress): NeighbourEntry | undefined;
  /** Entries set by hand or by a daemon; what caches merely learnt may be left out. */
  permanent(): Iterable<NeighbourEntry>;
}
