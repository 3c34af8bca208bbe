import { formatIp, parseIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Cluster, Endpoint, EndpointSlice, Service } from '../model/cluster.ts';
import type { ClusterName } from './cluster-names.ts';
import { dashedAddress } from './names.ts';
import type { DnsMiss } from './records.ts';

/** One thing that a service's name stands for: an address with a port, and the name that SRV records point at. */
export interface ServiceHost {
  readonly name: string;
  readonly address: IpAddress;
  /** null: no port is declared, there is no SRV record. */
  readonly port: number | null;
}

export type ServiceHosts =
  | { readonly kind: 'hosts'; readonly hosts: readonly ServiceHost[] }
  | { readonly kind: 'alias'; readonly target: string }
  | { readonly kind: 'miss'; readonly miss: DnsMiss };

type ServiceName = Extract<ClusterName, { kind: 'service' }>;
type PortOf = { readonly name: string; readonly protocol: string; readonly port: number | null };

/** CoreDNS keeps a port of its own for what declares none, which every port of a query fits that is not named. */
const NO_PORT: readonly PortOf[] = [{ name: '', protocol: '', port: null }];

/** The service that a name means; names compare without case. */
export function serviceNamed(cluster: Cluster, wanted: ServiceName): Service | undefined {
  return cluster.services.find(
    ({ name, namespace }) => name.toLowerCase() === wanted.service && namespace.toLowerCase() === wanted.namespace,
  );
}

/** What a service's name stands for (CoreDNS kubernetes `findServices`). */
export function hostsOf(cluster: Cluster, zone: string, service: Service, wanted: ServiceName): ServiceHosts {
  const name = `${service.name}.${service.namespace}.svc.${zone}`.toLowerCase();
  if (service.type === 'ExternalName') return aliasOf(service, wanted);
  if (service.headless || wanted.endpoint !== null) {
    const hosts = endpointsOf(cluster, service).flatMap(({ slice, endpoint }) => endpointHosts(slice, endpoint, name, wanted));
    if (hosts.length > 0) return { kind: 'hosts', hosts };
    return miss(wanted.endpoint !== null ? 'no-such-endpoint' : whyNoHost(cluster, service, wanted));
  }
  const ports = portsAsked(service.ports, wanted);
  if (ports.length === 0) return miss('no-such-port');
  return {
    kind: 'hosts',
    hosts: ports.flatMap(({ port }) => service.clusterIps.map((address) => ({ name, address, port }))),
  };
}

function miss(reason: DnsMiss): ServiceHosts {
  return { kind: 'miss', miss: reason };
}

/** An ExternalName service has no endpoints, and an address is no name that a CNAME could point at. */
function aliasOf(service: Service, wanted: ServiceName): ServiceHosts {
  if (wanted.endpoint !== null) return miss('no-such-endpoint');
  if (wanted.port !== null) return miss('no-such-port');
  const target = service.externalName ?? '';
  return target === '' || parseIp(target) !== null ? miss('alias-unresolved') : { kind: 'alias', target };
}

function whyNoHost(cluster: Cluster, service: Service, wanted: ServiceName): DnsMiss {
  const isReady = endpointsOf(cluster, service).length > 0;
  return isReady && wanted.port !== null ? 'no-such-port' : 'no-ready-endpoint';
}

interface ReadyEndpoint {
  readonly slice: EndpointSlice;
  readonly endpoint: Endpoint;
}

/** The ready endpoints of a service; with publishNotReadyAddresses the slices say that all are. */
function endpointsOf(cluster: Cluster, service: Service): readonly ReadyEndpoint[] {
  return cluster.endpointSlices
    .filter(
      ({ service: name, namespace, addressType }) =>
        name === service.name && namespace === service.namespace && addressType !== 'FQDN',
    )
    .flatMap((slice) => slice.endpoints.filter(({ ready }) => ready).map((endpoint) => ({ slice, endpoint })));
}

function endpointHosts(slice: EndpointSlice, endpoint: Endpoint, service: string, wanted: ServiceName): readonly ServiceHost[] {
  const ports = portsAsked(slice.ports, wanted);
  return endpoint.addresses.flatMap((text) => {
    const label = endpointLabel(endpoint, text);
    const address = parseIp(text);
    if (address === null || (wanted.endpoint !== null && wanted.endpoint !== label)) return [];
    return ports.map(({ port }) => ({ name: `${label}.${service}`, address, port }));
  });
}

/** The name of an endpoint below its service: its host name, else its address with dashes (CoreDNS `endpointHostname`). */
function endpointLabel({ hostname }: Endpoint, address: string): string {
  return hostname === undefined ? dashedAddress(address) : hostname.toLowerCase();
}

function portsAsked<T extends PortOf>(ports: readonly T[], { port, protocol }: ServiceName): readonly PortOf[] {
  const all: readonly PortOf[] = ports.length === 0 ? NO_PORT : ports;
  if (port === null || protocol === null) return all;
  return all.filter((p) => p.name.toLowerCase() === port && p.protocol === protocol);
}

/**
 * The names that an address has: that of the service with this ClusterIP, else one for each ready endpoint of a service (CoreDNS
 * `serviceRecordForIP`).
 */
export function namesOfAddress(cluster: Cluster, zone: string, address: IpAddress): readonly string[] {
  const service = cluster.services.find(({ clusterIps }) => clusterIps.includes(address));
  if (service !== undefined) return [`${service.name}.${service.namespace}.svc.${zone}`.toLowerCase()];
  const family = typeof address === 'number' ? 'IPv4' : 'IPv6';
  return cluster.endpointSlices
    .filter((slice) => slice.addressType === family && (slice.pods?.some((pod) => pod.addresses.includes(address)) ?? true))
    .flatMap((slice) =>
      slice.endpoints
        .filter(({ ready, addresses }) => ready && addresses.some((text) => parseIp(text) === address))
        .map((endpoint) =>
          `${endpointLabel(endpoint, formatIp(address))}.${slice.service}.${slice.namespace}.svc.${zone}`.toLowerCase(),
        ),
    );
}
