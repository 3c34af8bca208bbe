import { cidrBits, cidrContains, sameCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { formatRoute, formatTable } from '../../kernel/routing/format.ts';
import { TABLE_LOCAL, TABLE_MAIN } from '../../kernel/routing/route.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { Host } from '../../kernel/host.ts';
import type { Route } from '../../kernel/routing/route.ts';
import type { Cluster, Node } from '../../kubernetes/model/cluster.ts';
import type { TopologyRoute } from '../../trace/topology.ts';

/** Routes of a large cluster's node are nearly all alike: so many are listed. */
const LISTED = 100;

export interface ListedRoutes {
  readonly routes: readonly TopologyRoute[];
  readonly more: number;
}

/**
 * The routes of a namespace but those of table local, which only repeat its own addresses, and those that `leaves` says to leave out.
 */
export function routesOf(host: Host, cluster: Cluster, leaves: (route: Route) => boolean = () => false): ListedRoutes {
  const owners = ownersOf(cluster);
  const tables = [...host.routing.tables.values()].filter(({ id }) => id !== TABLE_LOCAL);
  const all = tables.flatMap(({ id, routes }) => [...routes()].filter((route) => !leaves(route)).map((route) => ({ id, route })));
  const shown = all.toSorted((a, b) => Number(b.id === TABLE_MAIN) - Number(a.id === TABLE_MAIN)).slice(0, LISTED);
  return {
    routes: shown.map(({ id, route }) => ({
      table: formatTable(id),
      text: formatRoute(route),
      purpose: purposeOf(route, host, cluster, owners),
    })),
    more: all.length - shown.length,
  };
}

/** Nodes by their pod ranges. */
type Owners = ReadonlyMap<string, Node>;

function ownersOf({ nodes }: Cluster): Owners {
  return new Map(nodes.flatMap((node) => node.podCidrs.map((range) => [keyOf(range), node] as const)));
}

function keyOf({ address, length }: Cidr): string {
  return `${address}/${length}`;
}

/** A few words on what a route is for. */
function purposeOf(route: Route, host: Host, cluster: Cluster, owners: Owners): string {
  switch (route.type) {
    case 'unreachable':
      return 'refused: no route to host';
    case 'prohibit':
      return 'refused: prohibited';
    case 'blackhole':
      return 'dropped without a word';
    case 'throw':
      return 'not here: the next table is asked';
    case 'local':
      return 'this host itself';
    case 'broadcast':
      return 'broadcast';
    case 'unicast':
      return unicastPurpose(route, host, cluster, owners);
  }
}

function unicastPurpose(route: Route, host: Host, cluster: Cluster, owners: Owners): string {
  const [hop] = route.nexthops;
  const device = hop?.dev == null ? undefined : host.devices.get(hop.dev);
  const service = route.origin?.by === 'cloud-controller' ? route.origin.object?.replace(/^Service /, '') : undefined;
  if (service !== undefined) return `${route.dst.length === 0 ? 'answers by way of ' : ''}balancer/${service}`;
  if (route.dst.length === 0) {
    const way = hop?.via == null ? `on ${hop?.dev ?? 'no device'}` : `by way of ${formatIp(hop.via)}`;
    return `everything else: ${route.origin?.by === 'underlay' ? 'the router' : way}`;
  }
  const owner = owners.get(keyOf(route.dst));
  if (owner !== undefined && `node/${owner.name}` !== host.name) {
    const how = device?.kind === 'vxlan' ? ', by the tunnel' : ownerIsNextHop(owner, route) ? ', the node is the next hop' : '';
    return `pods of ${owner.name}${how}`;
  }
  if (device?.kind === 'bridge' && hop?.via === null && host.name !== 'underlay')
    return `${cluster.cni.plugin === 'docker' ? 'containers of this host' : 'pods of this node'}, on ${device.name}`;
  const external = cluster.externals.find(({ addresses }) =>
    addresses.some((a) => isHostRoute(route.dst) && a === route.dst.address),
  );
  if (external !== undefined) return `external/${external.name}`;
  if (hop?.via == null) return linkPurpose(route, cluster);
  return `by way of ${formatIp(hop.via)}`;
}

function ownerIsNextHop(owner: Node, { nexthops }: Route): boolean {
  return nexthops.some(({ via }) => via !== null && owner.addresses.includes(via));
}

function isHostRoute(dst: Cidr): boolean {
  return dst.length === cidrBits(dst);
}

function linkPurpose({ dst }: Route, { underlay, podCidrs }: Cluster): string {
  const ranges = [
    { name: null, cidr: underlay.nodeCidr },
    ...(underlay.second ? [{ name: null, cidr: underlay.second.cidr }] : []),
    ...underlay.subnets,
  ];
  const network = ranges.find(({ cidr }) => sameCidr(cidr, dst));
  if (network !== undefined) return network.name === null ? 'the nodes’ own network' : `network ${network.name}`;
  return podCidrs.some((range) => cidrContains(range, dst.address)) ? 'pods' : 'on the link';
}
