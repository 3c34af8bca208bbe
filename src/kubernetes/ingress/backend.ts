import { parseIp } from '../../net/ip.ts';
import { findServiceNamed } from '../services/find-service.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Cluster, Service, ServicePort } from '../model/cluster.ts';
import type { Ingress, IngressBackend } from '../model/ingress.ts';

/** What a backend of an Ingress leads to. All but `service` make a controller answer 503 itself. */
export type ResolvedBackend =
  | { readonly kind: 'service'; readonly service: Service; readonly port: ServicePort }
  | { readonly kind: 'no-such-service'; readonly service: string }
  | { readonly kind: 'no-such-port'; readonly service: Service; readonly port: number | string }
  | { readonly kind: 'resource'; readonly resourceKind: string; readonly name: string };

/** Looks up the service and the port of a backend, in the Ingress's own namespace. */
export function resolveBackend(
  cluster: Cluster,
  { namespace }: Pick<Ingress, 'namespace'>,
  backend: IngressBackend,
): ResolvedBackend {
  if (backend.kind === 'resource') return backend;
  const service = findServiceNamed(cluster, namespace, backend.service);
  if (service === undefined) return { kind: 'no-such-service', service: `${namespace}/${backend.service}` };
  const port = portOf(service, backend.port);
  return port === undefined ? { kind: 'no-such-port', service, port: backend.port } : { kind: 'service', service, port };
}

/** An ExternalName service needs no ports: a number counts as it stands. */
function portOf({ ports, type }: Service, wanted: number | string): ServicePort | undefined {
  const port = ports.find(({ name, port: number }) => (typeof wanted === 'string' ? name : number) === wanted);
  if (port !== undefined || type !== 'ExternalName' || typeof wanted === 'string') return port;
  return { name: '', protocol: 'tcp', port: wanted, targetPort: wanted, nodePort: 0 };
}

/** Where a controller with `upstream: endpoints` connects to: the ready endpoints of a service's port. Empty: it answers 503. */
export function upstreamEndpoints(
  cluster: Cluster,
  service: Service,
  port: Pick<ServicePort, 'name' | 'protocol'>,
): readonly { readonly address: IpAddress; readonly port: number; readonly pod: string | null }[] {
  return cluster.endpointSlices
    .filter((slice) => slice.namespace === service.namespace && slice.service === service.name)
    .flatMap((slice) => {
      const target = slice.ports.find((p) => p.name === port.name && p.protocol === port.protocol)?.port;
      if (target === undefined || target === null) return [];
      return slice.endpoints
        .filter(({ ready }) => ready)
        .flatMap(({ addresses, pod }) => {
          const address = parseIp(addresses[0] ?? '');
          return address === null ? [] : [{ address, port: target, pod }];
        });
    });
}
