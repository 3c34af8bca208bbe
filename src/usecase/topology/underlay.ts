import { formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { balancersOf } from '../../kubernetes/balancer/balancers.ts';
import { socketsOf } from './device.ts';
import { routesOf } from './routes.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Host } from '../../kernel/host.ts';
import type { World } from '../../kernel/world.ts';
import type { Cluster, FirewallRule } from '../../kubernetes/model/cluster.ts';
import type {
  TopologyBalancer,
  TopologyExternal,
  TopologyNetwork,
  TopologyPort,
  TopologyUnderlay,
} from '../../trace/topology.ts';

/** Switches and router between the nodes, read from the namespace that they are. */
export function underlayOf(cluster: Cluster, world: World): TopologyUnderlay {
  const host = world.host('underlay');
  if (host === undefined) return { networks: [], routes: [], moreRoutes: 0, firewall: [] };
  const { routes, more } = routesOf(host, cluster, ({ protocol }) => protocol === 'kernel');
  return {
    networks: networksOf(host, cluster),
    routes,
    moreRoutes: more,
    firewall: cluster.underlay.firewall.map(firewallText),
  };
}

/** One for each bridge; the first belongs to the nodes' range, the others to the subnets in their order. */
function networksOf(host: Host, cluster: Cluster): readonly TopologyNetwork[] {
  const names = [null, ...cluster.underlay.subnets.map(({ name }) => name)];
  const given = givenAddresses(cluster);
  const devices = [...host.devices.values()];
  const ports = new Map<string, TopologyPort[]>();
  for (const device of devices) {
    if (device.kind !== 'veth' || device.master === null) continue;
    const { host: peer, device: end } = device.peer;
    const addresses = (given.get(`${peer} ${end}`) ?? []).map(formatIp);
    const port = { port: device.name, host: peer, device: end, addresses };
    const there = ports.get(device.master);
    if (there) there.push(port);
    else ports.set(device.master, [port]);
  }
  const bridges = devices.filter(({ kind }) => kind === 'bridge');
  return bridges.map((bridge, i) => ({
    name: names[i] ?? null,
    device: bridge.name,
    ranges: bridge.addresses.map(({ prefix }) => formatCidr(prefix)),
    routers: bridge.addresses.map(({ address }) => formatIp(address)),
    ports: ports.get(bridge.name) ?? [],
  }));
}

/** Addresses by "HOST DEVICE", from the input: nobody's namespace need be made for them. */
function givenAddresses({ nodes, externals }: Cluster): ReadonlyMap<string, readonly IpAddress[]> {
  return new Map<string, readonly IpAddress[]>([
    ...nodes.flatMap(({ name, addresses, interfaces }): [string, readonly IpAddress[]][] => [
      [`node/${name} eth0`, addresses],
      ...interfaces.map((nic): [string, readonly IpAddress[]] => [`node/${name} ${nic.name}`, [nic.address]]),
    ]),
    ...externals.map(({ name, addresses }): [string, readonly IpAddress[]] => [`external/${name} eth0`, addresses]),
  ]);
}

/** Hosts outside the cluster, and where they hang. */
export function externalsOf(cluster: Cluster, world: World, networks: readonly TopologyNetwork[]): readonly TopologyExternal[] {
  const switches = new Map(networks.flatMap(({ device, ports }) => ports.map((port) => [port.host, device] as const)));
  return cluster.externals.map(({ name, addresses }) => {
    const host = world.host(`external/${name}`);
    return {
      name,
      addresses: addresses.map(formatIp),
      listens: host ? socketsOf(host) : [],
      network: switches.get(`external/${name}`) ?? null,
    };
  });
}

/** The cloud's balancers, in the order of their services. */
export function topologyBalancers(cluster: Cluster): readonly TopologyBalancer[] {
  const mode = cluster.loadBalancer?.mode ?? 'nodePort';
  return balancersOf(cluster).map(({ host, name, publicAddresses, ownAddresses, service }) => ({
    host,
    object: `Service ${name}`,
    addresses: publicAddresses.map(formatIp),
    ownAddresses: ownAddresses.map(formatIp),
    mode,
    listens: service.ports.map(({ protocol, port }) => ({ protocol, port })),
  }));
}

/** "udp/8472 from node/node-1 to node/node-2" */
function firewallText({ protocol, port, from, to }: FirewallRule): string {
  const what = protocol === null ? 'everything' : port === null ? protocol : `${protocol}/${port}`;
  return [what, ...(from === null ? [] : ['from', from]), ...(to === null ? [] : ['to', to])].join(' ');
}
