import { hasDump } from '../../kubernetes/model/node-dump.ts';
import { endpointsOf, isUsable, sliceIndexOf } from '../../kubernetes/services/endpoints.ts';
import { endpointPolicyOf, selectEndpoints } from '../../kubernetes/services/select-endpoints.ts';
import { servicePortsOf } from '../../kubernetes/services/service-port.ts';
import { listed } from './words.ts';
import type { Cluster, Node, ProxyMode, Service } from '../../kubernetes/model/cluster.ts';
import type { ProxyEndpoint } from '../../kubernetes/services/endpoints.ts';
import type { EndpointSelection } from '../../kubernetes/services/select-endpoints.ts';
import type { ProxyServicePort } from '../../kubernetes/services/service-port.ts';

/** A service port and the endpoints that a node uses for it. */
interface PortChoice {
  readonly port: ProxyServicePort;
  readonly all: readonly ProxyEndpoint[];
  readonly selection: EndpointSelection;
}

/** Nodes on which the service has the same endpoints. */
export interface NodeGroup {
  readonly nodes: readonly Node[];
  readonly choices: readonly PortChoice[];
}

/**
 * Nodes by what kube-proxy makes of the service there. A node with rules of a dump, or with commands of its own, stands alone. Empty where
 * kube-proxy has nothing to do with it.
 */
export function nodeGroups(cluster: Cluster, service: Service): readonly NodeGroup[] {
  if (cluster.kubeProxy.mode === 'none') return [];
  const slices = sliceIndexOf(cluster);
  const ports = ([4, 6] as const)
    .flatMap((family) => servicePortsOf({ ...cluster, services: [service] }, family))
    .map((port) => ({ port, all: endpointsOf(port, slices) }));
  if (ports.length === 0) return [];
  const groups = new Map<string, { readonly nodes: Node[]; readonly choices: readonly PortChoice[] }>();
  const alikeEverywhere = ports.every((each) => !dependsOnNode(each));
  for (const node of cluster.nodes) {
    const own = hasDump(node) || node.commands.length > 0 ? node.name : '';
    const common = alikeEverywhere ? groups.get(own) : undefined;
    if (common !== undefined) {
      common.nodes.push(node);
      continue;
    }
    const policy = endpointPolicyOf(cluster, node);
    const choices = ports.map(({ port, all }) => ({ port, all, selection: selectEndpoints(port, all, policy) }));
    const key = alikeEverywhere ? own : `${own} ${choices.map(({ selection }) => keyOf(selection)).join(' ')}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { nodes: [node], choices });
    else group.nodes.push(node);
  }
  return [...groups.values()];
}

function dependsOnNode({ port, all }: Pick<PortChoice, 'port' | 'all'>): boolean {
  const repeats = all.some(({ text }, i) => text === all[i - 1]?.text);
  return repeats || port.usesLocal || all.some(({ hintZones, hintNodes }) => hintZones.length + hintNodes.length > 0);
}

function keyOf({ cluster, local, hasInternal, hasExternal }: EndpointSelection): string {
  return [...cluster.map(({ text }) => text), '|', ...local.map(({ text }) => text), hasInternal, hasExternal].join(' ');
}

/** What makes the rules of these nodes other than those of the rest: traffic policies and hints. A sentence each. */
export function notesOn({ choices }: NodeGroup, mode: ProxyMode): readonly string[] {
  const notes = choices.flatMap(({ port, all, selection }) => {
    if (mode === 'userspace') return [];
    const falls = mode === 'ipvs' && selection.cluster.length > 0;
    return [
      ...(port.internalLocal ? [localNote('internalTrafficPolicy', 'the cluster IP', selection, falls)] : []),
      ...(port.externalLocal && port.hasExternal
        ? [localNote('externalTrafficPolicy', 'what comes from outside', selection, falls)]
        : []),
      ...hintNote(all, selection),
    ];
  });
  return [...new Set(notes)];
}

function localNote(policy: string, what: string, { local, hasEndpoints }: EndpointSelection, falls: boolean): string {
  if (local.length > 0)
    return `${policy} Local: ${what} leads to the endpoints here only, ${listed(local.map(({ text }) => text))}`;
  if (!hasEndpoints) return `${policy} Local`;
  return falls
    ? `${policy} Local, but no endpoint is here: in mode ipvs ${what} leads to all of them`
    : `${policy} Local, and no endpoint is here: ${what} is dropped`;
}

function hintNote(all: readonly ProxyEndpoint[], { cluster }: EndpointSelection): readonly string[] {
  const ready = all.filter(({ ready: isReady }) => isReady);
  if (cluster.length === 0 || !cluster.every(isUsable) || cluster.length >= ready.length) return [];
  return [`hints leave it ${cluster.length} of ${ready.length} ready endpoints: ${listed(cluster.map(({ text }) => text))}`];
}
