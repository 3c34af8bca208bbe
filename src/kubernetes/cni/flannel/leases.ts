import { TABLE_MAIN } from '../../../kernel/routing/route.ts';
import { compareForListing, compareRoutes } from '../../../kernel/routing/order.ts';
import { once } from '../../../support/once.ts';
import { familyOf } from '../../../net/ip.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { Route, RoutingTable } from '../../../kernel/routing/route.ts';
import type { ClusterIndex } from '../../cluster-index.ts';
import type { Node } from '../../model/cluster.ts';
import type { Lease } from './lease.ts';

/** The leases of one IP family that a daemon of one backend acts on, shared by all nodes. */
export interface Leases {
  /** In the order of the nodes. */
  all(): readonly Lease[];
  /** Leases whose range holds the address. */
  byPodAddress(address: IpAddress): readonly Lease[];
  /** Leases by the first address of their range. */
  byVtepAddress(address: IpAddress): readonly Lease[];
}

/** `leaseOf`: what a node's daemon tells the others; null: nothing. */
export function leasesOf(index: ClusterIndex, backend: string, family: IpFamily, leaseOf: (node: Node) => Lease | null): Leases {
  // A daemon passes over leases of another backend ("ignoring non-vxlan subnet").
  const ours = (lease: Lease | null): lease is Lease => lease !== null && (lease.backendType ?? backend) === backend;
  const lease = (node: Node): readonly Lease[] => [leaseOf(node)].filter(ours);
  const all = once(() => index.cluster.nodes.flatMap(lease));
  const byPodAddress = (address: IpAddress): readonly Lease[] =>
    familyOf(address) === family ? index.nodesByPodAddress(address).flatMap(lease) : [];
  return {
    all,
    byPodAddress,
    byVtepAddress: (address) => byPodAddress(address).filter(({ range }) => range.address === address),
  };
}

/**
 * The routes of a node to the ranges of all others as a part of its main table: a look-up makes the one route it needs, so that a
 * node of a large cluster costs nothing. Two nodes with one range: the route of the later one replaces the earlier.
 */
export function leaseRoutes(leases: Leases, self: Node, route: (lease: Lease) => Route | null): RoutingTable {
  const toOther = (lease: Lease): Route[] => {
    const made = lease.node.name === self.name ? null : route(lease);
    return made === null ? [] : [made];
  };
  const listed = once(() => lastOfEach(leases.all().flatMap(toOther)).sort(compareForListing));
  return {
    id: TABLE_MAIN,
    lookup: (dst) => lastOfEach(leases.byPodAddress(dst).flatMap(toOther)).sort(compareRoutes),
    routes: listed,
  };
}

function lastOfEach(routes: readonly Route[]): Route[] {
  return [...new Map(routes.map((route) => [`${route.dst.address}/${route.dst.length}`, route])).values()];
}
