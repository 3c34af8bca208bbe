import type { EndpointSlice, Node, Pod } from '../../kubernetes/model/cluster.ts';
import { API_SERVICE, apiServerPod } from '../../kubernetes/model/api-server.ts';
import { once } from '../../support/once.ts';
import { parseIpSloppy } from '../reading/addresses.ts';
import { podFinder } from './pods.ts';

type AssumedPort = Pod['assumedPorts'][number];

/**
 * A pod that declares no port at all is taken to listen where services point: fills in assumedPorts. An endpoint at the address of a
 * node is the pod with hostNetwork there that can only be meant; the API server's is a process of the node where there is none.
 * Slices are given and derived ones.
 */
export function assumeListeners(
  nodes: readonly Node[],
  pods: readonly Pod[],
  slices: readonly EndpointSlice[],
): { readonly nodes: readonly Node[]; readonly pods: readonly Pod[] } {
  const silent = new Set(pods.filter((pod) => pod.ports.length === 0));
  const find = podFinder(pods);
  const nodeWith = once(() => new Map(nodes.flatMap((node) => node.addresses.map((address) => [address, node] as const))));
  const assumed = new Map<Pod | Node, AssumedPort[]>();
  const assume = (holder: Pod | Node, { namespace, service, ports }: EndpointSlice): void => {
    const known = assumed.get(holder) ?? [];
    assumed.set(holder, known);
    for (const { protocol, port } of ports) {
      if (port === null || known.some((p) => p.protocol === protocol && p.port === port)) continue;
      known.push({ protocol, port, service: `${namespace}/${service}` });
    }
  };
  for (const slice of slices) {
    const isApi = `${slice.namespace}/${slice.service}` === API_SERVICE;
    if (silent.size === 0 && !isApi) continue;
    for (const endpoint of slice.endpoints) {
      const pod = find(endpoint);
      if (pod !== undefined) {
        if (silent.has(pod)) assume(pod, slice);
        continue;
      }
      const address = parseIpSloppy(endpoint.addresses[0] ?? '');
      const node = endpoint.pod !== null || address === null ? undefined : nodeWith().get(address);
      if (node === undefined) continue;
      const onHost = pods.filter((p) => p.hostNetwork && p.node === node.name);
      if (onHost.some((p) => listensWhere(p, slice))) continue;
      const quiet = onHost.filter((p) => silent.has(p));
      const meant = isApi ? apiServerPod(quiet) : quiet.length === 1 ? quiet[0] : undefined;
      if (meant !== undefined) assume(meant, slice);
      else if (isApi) assume(node, slice);
    }
  }
  if (assumed.size === 0) return { nodes, pods };
  const withAssumed = <T extends Pod | Node>(holder: T): T => {
    const assumedPorts = assumed.get(holder);
    return assumedPorts === undefined ? holder : { ...holder, assumedPorts };
  };
  return { nodes: nodes.map(withAssumed), pods: pods.map(withAssumed) };
}

function listensWhere(pod: Pod, { ports }: EndpointSlice): boolean {
  return pod.ports.some((own) => own.listens && ports.some((p) => p.protocol === own.protocol && p.port === own.port));
}
