import { formatIp, parseIpv4, parseIpv6 } from '../../net/ip.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { Cluster, Endpoint, EndpointSlice } from '../model/cluster.ts';
import type { ProxyServicePort } from './service-port.ts';

/** One endpoint of a service port, as every node sees it; only `local` differs, and that follows from `nodeName`. */
export interface ProxyEndpoint {
  /** "ip:port" or "[ip]:port" with the address as the slice gives it: what kube-proxy hashes, prints and sorts by. */
  readonly text: string;
  readonly address: IpAddress;
  /** The address in its canonical form. */
  readonly ip: string;
  readonly port: number;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly nodeName: string | null;
  readonly hintZones: readonly string[];
  readonly hintNodes: readonly string[];
}

/** Slices by "namespace/service". */
export type SliceIndex = ReadonlyMap<string, readonly EndpointSlice[]>;

const sliceIndexes = new WeakMap<Cluster, SliceIndex>();

/** The slices of each service; made once a cluster. */
export function sliceIndexOf(cluster: Cluster): SliceIndex {
  let index = sliceIndexes.get(cluster);
  if (index === undefined) {
    index = indexSlices(cluster.endpointSlices);
    sliceIndexes.set(cluster, index);
  }
  return index;
}

function indexSlices(slices: readonly EndpointSlice[]): SliceIndex {
  const index = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    const key = `${slice.namespace}/${slice.service}`;
    const list = index.get(key);
    if (list === undefined) index.set(key, [slice]);
    else list.push(slice);
  }
  return index;
}

/**
 * All endpoints of a service port, sorted byte-wise by their text; several of one text stand side by side in the order of the slices.
 * A slice's port belongs to it when name and protocol are the same; its number is the target (the service's targetPort is never read).
 */
export function endpointsOf(port: ProxyServicePort, slices: SliceIndex): readonly ProxyEndpoint[] {
  const endpoints: ProxyEndpoint[] = [];
  forEachEndpoint(port, slices, (endpoint, number) => {
    const made = endpointOf(endpoint, number, port.family);
    if (made !== null) endpoints.push(made);
  });
  return endpoints.length > 1 ? endpoints.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)) : endpoints;
}

/** Can all endpoints of a service port take traffic, none of them, or some? Needs no list of them. */
export function usabilityOf(port: ProxyServicePort, slices: SliceIndex): 'all' | 'none' | 'some' {
  let usable = 0;
  let unusable = 0;
  forEachEndpoint(port, slices, (endpoint) => {
    if (addressOf(endpoint, port.family) === null) return;
    if (isUsable(endpoint)) usable++;
    else unusable++;
  });
  return usable === 0 ? 'none' : unusable === 0 ? 'all' : 'some';
}

/** Ready, or still serving while it ends (KEP-1669). */
export function isUsable(endpoint: Pick<Endpoint, 'ready' | 'serving' | 'terminating'>): boolean {
  return endpoint.ready || (endpoint.serving && endpoint.terminating);
}

function forEachEndpoint(port: ProxyServicePort, slices: SliceIndex, visit: (endpoint: Endpoint, port: number) => void): void {
  const addressType = port.family === 4 ? 'IPv4' : 'IPv6';
  for (const slice of slices.get(`${port.service.namespace}/${port.service.name}`) ?? []) {
    if (slice.addressType !== addressType) continue;
    for (const { name, protocol, port: number } of slice.ports) {
      if (name !== port.portName || protocol !== port.protocol || !number) continue;
      for (const endpoint of slice.endpoints) visit(endpoint, number);
    }
  }
}

function endpointOf(endpoint: Endpoint, port: number, family: IpFamily): ProxyEndpoint | null {
  const address = addressOf(endpoint, family);
  if (address === null) return null;
  const given = endpoint.addresses[0]!;
  return {
    text: family === 4 ? `${given}:${port}` : `[${given}]:${port}`,
    address,
    // An address that reads as it stands is in its canonical form.
    ip: family === 4 ? (parseIpv4(given) === null ? withoutLeadingZeroes(given) : given) : formatIp(address),
    port,
    ready: endpoint.ready,
    serving: endpoint.serving,
    terminating: endpoint.terminating,
    nodeName: endpoint.nodeName,
    hintZones: endpoint.hintZones,
    hintNodes: endpoint.hintNodes,
  };
}

/** The first address counts; null when it is none of the family. */
function addressOf(endpoint: Endpoint, family: IpFamily): IpAddress | null {
  const given = endpoint.addresses[0];
  if (given === undefined) return null;
  return family === 4 ? (parseIpv4(given) ?? parseIpv4(withoutLeadingZeroes(given))) : parseIpv6(given);
}

/** k8s.io/utils/net ParseIPSloppy: "010.0.0.1" is 10.0.0.1. */
function withoutLeadingZeroes(text: string): string {
  return text.replace(/(^|\.)0+(?=\d)/g, '$1');
}
