import { formatIp } from '../../net/ip.ts';
import { dumpsOf } from '../../kubernetes/model/node-dump.ts';
import { sliceIndexOf } from '../../kubernetes/services/endpoints.ts';
import { cniName } from '../cni-name.ts';
import { entrancesTo } from './entrances.ts';
import { faultOf } from './fault.ts';
import { mappingsOf } from './mappings.ts';
import { nodeGroups, notesOn } from './node-groups.ts';
import { chooseAmongPods } from './pods.ts';
import { entriesOn, podFinder } from './rules.ts';
import { slicesAsData } from './slices.ts';
import { usedEndpoints } from './used-endpoints.ts';
import { fullName, labelsText } from './words.ts';
import type { World } from '../../kernel/world.ts';
import type { Cluster, Service } from '../../kubernetes/model/cluster.ts';
import type { RegistrationNodes, ServiceRegistration } from '../../trace/explanation.ts';
import type { NodeGroup } from './node-groups.ts';

/** Groups of nodes that are shown; each costs the rules of a node. */
const MOST_GROUPS = 12;

/**
 * How a service comes to its rules: selector, pods, slices, each node's rules; and from its name to an endpoint.
 * @param world the cluster compiled, commands and dumps included
 * @param nodeName only this node's rules; null: those of all, alike ones together
 */
export function registrationOf(cluster: Cluster, service: Service, world: World, nodeName: string | null): ServiceRegistration {
  const slices = sliceIndexOf(cluster).get(fullName(service)) ?? [];
  const groups = nodeGroups(cluster, service);
  const used = usedEndpoints(groups, slices);
  const { pods, others } = chooseAmongPods(cluster, service, slices, used);
  const sliceData = slicesAsData(cluster, service, slices);
  return {
    name: fullName(service),
    type: service.type,
    headless: service.headless,
    cni: cniName(cluster.cni),
    proxyMode: cluster.kubeProxy.mode,
    clusterIps: service.clusterIps.map(formatIp),
    externalName: service.externalName,
    ports: service.ports.map(({ name, protocol, port, targetPort, nodePort }) => ({
      name,
      protocol,
      port,
      targetPort: String(targetPort),
      nodePort: nodePort === 0 ? null : nodePort,
    })),
    fault: faultOf(service, pods, sliceData, used.size > 0),
    mappings: mappingsOf(cluster, service, slices, groups),
    selector: service.selector === null ? null : labelsText(service.selector),
    pods,
    otherPods: others,
    slices: sliceData,
    nodes: nodesOf(cluster, service, world, groups, nodeName),
    moreNodes: nodeName === null ? groups.slice(MOST_GROUPS).reduce((sum, { nodes }) => sum + nodes.length, 0) : 0,
    withoutRules: whyWithoutRules(cluster, service),
    entrances: entrancesTo(cluster, service),
  };
}

function whyWithoutRules({ kubeProxy: { mode } }: Cluster, { type, headless }: Service): string | null {
  if (type === 'ExternalName') return 'it is only another name: no address, no rule';
  if (headless) return 'it is headless: clients get the addresses of the pods from DNS, and need no rule';
  return mode === 'none' ? 'no kube-proxy runs here' : null;
}

function nodesOf(
  cluster: Cluster,
  service: Service,
  world: World,
  groups: readonly NodeGroup[],
  nodeName: string | null,
): readonly RegistrationNodes[] {
  const podAt = podFinder(cluster);
  const asked = nodeName === null ? groups : groups.filter(({ nodes }) => nodes.some(({ name }) => name === nodeName));
  const made = asked.slice(0, MOST_GROUPS).flatMap((group): readonly RegistrationNodes[] => {
    const node = group.nodes.find(({ name }) => name === nodeName) ?? group.nodes[0];
    const host = node && world.host(`node/${node.name}`);
    if (node === undefined || host === undefined) return [];
    return [
      {
        nodes: nodeName === null ? group.nodes.map(({ name }) => name) : [nodeName],
        dumps: dumpsOf(node).map(({ file }) => file),
        notes: notesOn(group, cluster.kubeProxy.mode),
        ...entriesOn({ cluster, node, service, host, podAt }),
      },
    ];
  });
  return together(made);
}

/** Nodes with commands were looked at each by itself; where these did not touch the service, they are alike. */
function together(groups: readonly RegistrationNodes[]): readonly RegistrationNodes[] {
  const merged = new Map<string, RegistrationNodes>();
  for (const { nodes, ...rest } of groups) {
    const key = JSON.stringify(rest);
    merged.set(key, { nodes: [...(merged.get(key)?.nodes ?? []), ...nodes], ...rest });
  }
  return [...merged.values()];
}
