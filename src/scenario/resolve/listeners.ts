import type { EndpointSlice, Pod } from '../../kubernetes/model/cluster.ts';
import { podFinder } from './pods.ts';

/**
 * A pod that declares no port at all is taken to listen where services point: fills in assumedPorts. Slices are given and derived
 * ones.
 */
export function assumeListeners(pods: readonly Pod[], slices: readonly EndpointSlice[]): readonly Pod[] {
  const silent = new Set(pods.filter((pod) => pod.ports.length === 0));
  if (silent.size === 0) return pods;
  const find = podFinder(pods);
  const assumed = new Map<Pod, Pod['assumedPorts'][number][]>();
  for (const slice of slices) {
    for (const endpoint of slice.endpoints) {
      const pod = find(endpoint);
      if (pod === undefined || !silent.has(pod)) continue;
      const ports = assumed.get(pod) ?? [];
      assumed.set(pod, ports);
      for (const { protocol, port } of slice.ports) {
        if (port === null || ports.some((p) => p.protocol === protocol && p.port === port)) continue;
        ports.push({ protocol, port, service: `${slice.namespace}/${slice.service}` });
      }
    }
  }
  return pods.map((pod) => {
    const assumedPorts = assumed.get(pod);
    return assumedPorts === undefined ? pod : { ...pod, assumedPorts };
  });
}
