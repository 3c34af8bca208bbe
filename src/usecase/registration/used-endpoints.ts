import { withPort } from './words.ts';
import type { Endpoint, EndpointSlice } from '../../kubernetes/model/cluster.ts';
import type { NodeGroup } from './node-groups.ts';

/** "ip:port" of an endpoint for each port of its slice, as kube-proxy has them: the first address counts. */
export function endpointTexts(slice: Pick<EndpointSlice, 'ports'>, { addresses: [address] }: Endpoint): readonly string[] {
  if (address === undefined) return [];
  return slice.ports.flatMap(({ port }) => (port === null ? [] : [withPort(address, port)]));
}

/**
 * Endpoints that packets are sent to from some node. Where kube-proxy does nothing (headless services, none at all) clients find the ready
 * ones in DNS.
 */
export function usedEndpoints(groups: readonly NodeGroup[], slices: readonly EndpointSlice[]): ReadonlySet<string> {
  if (groups.length > 0) {
    return new Set(
      groups.flatMap(({ choices }) => choices.flatMap(({ selection }) => selection.reachable.map(({ text }) => text))),
    );
  }
  return new Set(
    slices.flatMap((slice) => slice.endpoints.filter(({ ready }) => ready).flatMap((endpoint) => endpointTexts(slice, endpoint))),
  );
}
