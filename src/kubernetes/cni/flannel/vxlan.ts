import { PLAIN_DEVICE } from '../../../kernel/device/build.ts';
import { deviceAddress } from '../../../kernel/device/address.ts';
import { unicastRoute } from '../../../kernel/routing/build.ts';
import { once } from '../../../support/once.ts';
import { vtepAddress } from './lease.ts';
import { leaseRoutes } from './leases.ts';
import type { IpFamily } from '../../../net/ip.ts';
import type { Origin } from '../../../trace/origin.ts';
import type { VxlanDevice } from '../../../kernel/device/device.ts';
import type { FdbEntry } from '../../../kernel/device/fdb.ts';
import type { NeighbourEntry } from '../../../kernel/neighbour/neighbour.ts';
import type { Node } from '../../model/cluster.ts';
import type { NodeNetwork } from '../mode.ts';
import type { Lease } from './lease.ts';
import type { Leases } from './leases.ts';

/**
 * Bytes that flannel leaves for VXLAN's headers: IP, UDP, VXLAN and the inner Ethernet header (encapOverhead). An IPv6 header is 20 bytes
 * longer, but flannel takes off no more for it (v0.28): both devices have the same MTU.
 */
export const VXLAN_OVERHEAD = 50;

/** The part of a node's network that flannel's vxlan backend makes. */
export type OverlayPart = Pick<NodeNetwork, 'devices' | 'generatedRoutes' | 'neighbours' | 'fdb'>;

/** flannel.VNI of a node, and flannel-v6.VNI, which carries IPv6 over IPv6. */
export function vxlanDevice(lease: Lease, vni: number, port: number, mtu: number): VxlanDevice {
  return {
    ...PLAIN_DEVICE,
    kind: 'vxlan',
    name: deviceName(lease.family, vni),
    // Walkthroughs and recorded clusters name the device of the default VNI whatever theirs is; their commands work here too.
    ...(vni !== 1 && { altNames: [deviceName(lease.family, 1)] }),
    mac: lease.vtepMac,
    mtu,
    addresses: [deviceAddress(vtepAddress(lease), lease.family === 4 ? 32 : 128)],
    vni,
    local: lease.address,
    port,
    lower: lease.uplink.device,
    learning: false,
    origin: originOf(lease, 'vtep'),
  };
}

export function deviceName(family: IpFamily, vni: number): string {
  return `flannel${family === 4 ? '' : '-v6'}.${vni}`;
}

/** FDB entries towards all nodes, made once for a cluster; a node leaves out its own. */
export function sharedFdb(leases: Leases, device: string): (self: Node) => readonly FdbEntry[] {
  const all = once(() =>
    leases
      .all()
      .map((lease): [string, FdbEntry] => [
        lease.node.name,
        { device, mac: lease.vtepMac, remote: lease.publicIp, origin: originOf(lease, 'vtep-fdb') },
      ]),
  );
  return (self) => all().flatMap(([name, entry]) => (name === self.name ? [] : [entry]));
}

/**
 * What the daemon of a node writes for every other node: a route to its range with the other tunnel end as next hop, a permanent neighbour
 * entry and an FDB entry for that end.
 */
export function vxlanOverlay(
  leases: Leases,
  self: Node,
  device: VxlanDevice,
  fdb: (self: Node) => readonly FdbEntry[],
): OverlayPart {
  const neighbour = (lease: Lease): NeighbourEntry => ({
    device: device.name,
    address: vtepAddress(lease),
    mac: lease.vtepMac,
    state: 'permanent',
    origin: originOf(lease, 'vtep-neighbour'),
  });
  const others = (found: readonly Lease[]): readonly Lease[] => found.filter(({ node }) => node.name !== self.name);
  return {
    devices: [device],
    generatedRoutes: [
      leaseRoutes(leases, self, (lease) => ({
        ...unicastRoute(lease.range, { via: vtepAddress(lease), dev: device.name, onlink: true }),
        origin: originOf(lease, 'node-route'),
      })),
    ],
    neighbours: {
      get: (name, address) => (name === device.name ? others(leases.byVtepAddress(address)).map(neighbour).at(-1) : undefined),
      *entries() {
        for (const lease of others(leases.all())) yield neighbour(lease);
      },
    },
    fdb: once(() => fdb(self)),
  };
}

function originOf(lease: Lease, role: string): Origin {
  return { object: `Node ${lease.node.name}`, by: 'flannel', role };
}
