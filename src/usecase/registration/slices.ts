import { API_SERVICE } from '../../kubernetes/model/api-server.ts';
import { fullName } from './words.ts';
import type { Cluster, EndpointSlice, Service } from '../../kubernetes/model/cluster.ts';
import type { RegistrationSlice } from '../../trace/explanation.ts';

const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** The slices of a service as plain data, with who made them. */
export function slicesAsData(cluster: Cluster, service: Service, slices: readonly EndpointSlice[]): readonly RegistrationSlice[] {
  const zones = new Map(cluster.nodes.map(({ name, labels }) => [name, labels[ZONE_LABEL] ?? null]));
  return slices.map((slice) => ({
    name: slice.name,
    addressType: slice.addressType,
    madeBy: slice.derived
      ? 'endpoint-slice-controller'
      : fullName(service) === API_SERVICE && service.selector === null
        ? 'api-server'
        : 'input',
    ports: slice.ports.map(({ name, protocol, port }) => ({ name, protocol, port })),
    endpoints: slice.endpoints.map((endpoint) => ({
      addresses: endpoint.addresses,
      pod: endpoint.pod,
      node: endpoint.nodeName,
      zone: endpoint.nodeName === null ? null : (zones.get(endpoint.nodeName) ?? null),
      ready: endpoint.ready,
      serving: endpoint.serving,
      terminating: endpoint.terminating,
      hintZones: endpoint.hintZones,
      hintNodes: endpoint.hintNodes,
    })),
  }));
}
