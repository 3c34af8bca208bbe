import { familyOf, formatIp, parseIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
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
  const addressType = port.family === 4 ? 'IPv4' : 'IPv6';
  for (const slice of slices.get(`${port.service.namespace}/${port.service.name}`) ?? []) {
    if (slice.addressType !== addressType) continue;
    for (const slicePort of slice.ports) {
      if (slicePort.name !== port.portName || slicePort.protocol !== port.protocol || !slicePort.port) continue;
      for (const endpoint of slice.endpoints) {
        const made = endpointOf(endpoint, slicePort.port, port.family);
        if (made !== null) endpoints.push(made);
      }
    }
  }
  return endpoints.length > 1 ? endpoints.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)) : endpoints;
}

function endpointOf(endpoint: Endpoint, port: number, family: 4 | 6): ProxyEndpoint | null {
  const given = endpoint.addresses[0];
  if (given === undefined) return null;
  const canonical = family === 4 ? withoutLeadingZeroes(given) : given;
  const address = parseIp(canonical);
  if (address === null || familyOf(address) !== family) return null;
  return {
    text: family === 4 ? `${given}:${port}` : `[${given}]:${port}`,
    address,
    ip: family === 4 ? canonical : formatIp(address),
    port,
    ready: endpoint.ready,
    serving: endpoint.serving,
    terminating: endpoint.terminating,
    nodeName: endpoint.nodeName,
    hintZones: endpoint.hintZones,
    hintNodes: endpoint.hintNodes,
  };
}

/** k8s.io/utils/net ParseIPSloppy: "010.0.0.1" is 10.0.0.1. */
function withoutLeadingZeroes(text: string): string {
  return text.startsWith('0') || text.includes('.0') ? text.replace(/(^|\.)0+(?=\d)/g, '$1') : text;
}
