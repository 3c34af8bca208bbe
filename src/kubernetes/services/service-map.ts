import { endpointsOf, sliceIndexOf, usabilityOf } from './endpoints.ts';
import { servicePortsOf } from './service-port.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { Cluster } from '../model/cluster.ts';
import type { ProxyEndpoint, SliceIndex } from './endpoints.ts';
import type { Reachability } from './select-endpoints.ts';
import type { ProxyServicePort } from './service-port.ts';

/** What all nodes' proxies of one family share: the service ports, and the endpoints of each, gathered when first asked for. */
export interface ServiceMap {
  /** Sorted by namespace, name, port; positions in this list are the indices used everywhere below. */
  readonly ports: readonly ProxyServicePort[];
  endpoints(index: number): readonly ProxyEndpoint[];
  /** The same, for who asks once: they are not kept. */
  endpointsOnce(index: number): readonly ProxyEndpoint[];
  /** What is true on every node alike; null: it depends on the node, or on which endpoint counts where slices repeat one. */
  reachability(index: number): Reachability | null;
  /** Ports that have the address as cluster, external or load balancer IP; ascending. */
  withAddress(address: IpAddress): readonly number[];
  /** Ports with this number as node port, or as health check node port; ascending. */
  withNodePort(number: number): readonly number[];
  /** True when all service ports together have more endpoints than `limit`, ready or not. */
  hasMoreEndpointsThan(limit: number): boolean;
}

const serviceMaps = new WeakMap<Cluster, Map<IpFamily, ServiceMap>>();

/** The service map of a family; made once a cluster. */
export function serviceMapOf(cluster: Cluster, family: IpFamily): ServiceMap {
  const families = serviceMaps.get(cluster) ?? new Map<IpFamily, ServiceMap>();
  serviceMaps.set(cluster, families);
  const map = families.get(family) ?? makeServiceMap(cluster, family);
  families.set(family, map);
  return map;
}

function makeServiceMap(cluster: Cluster, family: IpFamily): ServiceMap {
  const ports = servicePortsOf(cluster, family);
  const slices = sliceIndexOf(cluster);
  const gathered: (readonly ProxyEndpoint[] | undefined)[] = [];
  const endpoints = (index: number): readonly ProxyEndpoint[] => (gathered[index] ??= endpointsOf(ports[index]!, slices));
  let byAddress: ReadonlyMap<IpAddress, readonly number[]> | undefined;
  let byNodePort: ReadonlyMap<number, readonly number[]> | undefined;
  const reachabilities: (Reachability | null | undefined)[] = [];
  return {
    ports,
    endpoints,
    endpointsOnce: (index) => gathered[index] ?? endpointsOf(ports[index]!, slices),
    reachability(index) {
      if (reachabilities[index] === undefined) reachabilities[index] = commonReachability(ports[index]!, slices);
      return reachabilities[index];
    },
    withAddress(address) {
      byAddress ??= indexBy(ports, (port) => [port.clusterIp, ...port.externalIps, ...port.loadBalancerIps]);
      return byAddress.get(address) ?? [];
    },
    withNodePort(number) {
      byNodePort ??= indexBy(ports, (port) => [port.nodePort, port.healthCheckNodePort].filter((n) => n !== 0));
      return byNodePort.get(number) ?? [];
    },
    hasMoreEndpointsThan(limit) {
      let count = 0;
      for (let i = 0; i < ports.length && count <= limit; i++) {
        count += endpoints(i).filter((endpoint, k, all) => endpoint.text !== all[k - 1]?.text).length;
      }
      return count > limit;
    },
  };
}

const EVERYWHERE: Reachability = { hasEndpoints: true, hasInternal: true, hasExternal: true };
const NOWHERE: Reachability = { hasEndpoints: false, hasInternal: false, hasExternal: false };

function commonReachability(port: ProxyServicePort, slices: SliceIndex): Reachability | null {
  const usability = usabilityOf(port, slices);
  if (usability === 'none') return NOWHERE;
  return usability === 'all' && !port.usesLocal ? EVERYWHERE : null;
}

function indexBy<K>(ports: readonly ProxyServicePort[], keysOf: (port: ProxyServicePort) => readonly K[]): Map<K, number[]> {
  const index = new Map<K, number[]>();
  ports.forEach((port, i) => {
    for (const key of keysOf(port)) {
      const list = index.get(key);
      if (list === undefined) index.set(key, [i]);
      else if (list.at(-1) !== i) list.push(i);
    }
  });
  return index;
}
