import { NO_NETFILTER } from '../kernel/netfilter/build.ts';
import { routingPolicy } from '../kernel/routing/policy.ts';
import { once } from '../support/once.ts';
import type { IpAddress } from '../net/ip.ts';
import type { Mac } from '../net/mac.ts';
import type { Origin } from '../trace/origin.ts';
import type { Device } from '../kernel/device/device.ts';
import type { FdbEntry } from '../kernel/device/fdb.ts';
import type { Host, HostName, NeighbourTable } from '../kernel/host.ts';
import type { Netfilter } from '../kernel/netfilter/netfilter.ts';
import type { TableRoute } from '../kernel/routing/connected.ts';
import type { RoutingRule, RoutingTable } from '../kernel/routing/route.ts';
import type { Listener } from '../kernel/socket/listener.ts';
import type { Sysctls } from '../kernel/sysctl.ts';
import { NO_NEIGHBOURS } from './cni/mode.ts';
import type { StaticNeighbours } from './cni/mode.ts';

/** The parts of a namespace; those left out are empty. */
export interface HostParts {
  readonly name: HostName;
  readonly devices: readonly Device[];
  readonly routes: readonly TableRoute[];
  readonly generatedRoutes?: readonly RoutingTable[];
  /** Beside the default ones. */
  readonly routingRules?: readonly RoutingRule[];
  readonly neighbours?: StaticNeighbours;
  /** What warm caches know. */
  readonly knownMac: (device: string, address: IpAddress) => Mac | undefined;
  readonly fdb?: () => readonly FdbEntry[];
  readonly sysctls: Sysctls;
  readonly netfilter?: Netfilter;
  readonly listeners: readonly Listener[];
  readonly origin?: Origin;
}

/** @param cold nobody has learnt anything yet: neighbour entries are those that were set, bridges know no MAC */
export function buildHost(parts: HostParts, cold: boolean): Host {
  const devices = cold ? parts.devices.map(forgetful) : parts.devices;
  const fdb = once(parts.fdb ?? (() => []));
  return {
    name: parts.name,
    devices: new Map(devices.map((device) => [device.name, device])),
    routing: routingPolicy(devices, parts.routes, parts.generatedRoutes, parts.routingRules),
    neighbours: neighbours(parts.neighbours ?? NO_NEIGHBOURS, cold ? () => undefined : parts.knownMac),
    get fdb() {
      return fdb();
    },
    sysctls: parts.sysctls,
    netfilter: parts.netfilter ?? NO_NETFILTER,
    listeners: parts.listeners,
    ...(parts.origin && { origin: parts.origin }),
  };
}

function neighbours(set: StaticNeighbours, knownMac: HostParts['knownMac']): NeighbourTable {
  return {
    get(device, address) {
      const entry = set.get(device, address);
      if (entry) return entry;
      const mac = knownMac(device, address);
      return mac === undefined ? undefined : { device, address, mac, state: 'reachable' };
    },
    permanent: () => set.entries(),
  };
}

function forgetful(device: Device): Device {
  return device.kind === 'bridge' || device.kind === 'vxlan' ? { ...device, learnt: () => undefined } : device;
}
