import type { Cluster, Pod } from '../../kubernetes/model/cluster.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Drafts, ServiceDraft } from '../drafts.ts';
import type { Allotments } from '../resolve/allotments.ts';

/** The drafts with what resolving has given to nodes and services, so that it stays theirs whatever comes or goes beside them. */
export function settle(drafts: Drafts, cluster: Cluster): Drafts {
  const ranges = new Map(cluster.nodes.map((node) => [node.name, node.podCidrs]));
  const services = new Map(cluster.services.map((service) => [`${service.namespace}/${service.name}`, service]));
  return {
    ...drafts,
    nodes: drafts.nodes.map((node) => ({ ...node, podCidrs: ranges.get(node.name) ?? node.podCidrs })),
    services: drafts.services.map((draft): ServiceDraft => {
      const service = services.get(`${draft.namespace}/${draft.name}`);
      if (service === undefined || draft.complete === true) return draft;
      return {
        ...draft,
        ...(service.clusterIps.length > 0 && { clusterIps: service.clusterIps }),
        ports: draft.ports?.map((port, i) => {
          const nodePort = service.ports[i]?.nodePort ?? 0;
          return nodePort === 0 ? port : { ...port, nodePort };
        }),
        ...(service.loadBalancerIngress.length > 0 && { loadBalancerIngress: service.loadBalancerIngress }),
        ...(service.healthCheckNodePort !== 0 && { healthCheckNodePort: service.healthCheckNodePort }),
      };
    }),
  };
}

/** What a cluster's pods have, but for those that the next step takes away; all addresses that anybody has had are retired. */
export function allotmentsAfter(cluster: Cluster, before: Allotments, isDeleted: (pod: Pod) => boolean): Allotments {
  const pods = new Map<string, { readonly node: string; readonly addresses: readonly IpAddress[] }>();
  const retired = new Set(before.retired);
  for (const pod of cluster.pods) {
    const addresses = pod.hostNetwork ? [] : pod.addresses;
    for (const address of addresses) retired.add(address);
    if (!isDeleted(pod)) pods.set(`${pod.namespace}/${pod.name}`, { node: pod.node, addresses });
  }
  for (const service of cluster.services) {
    for (const ip of service.clusterIps) retired.add(ip);
    for (const { ip } of service.loadBalancerIngress) if (ip !== null) retired.add(ip);
  }
  return { pods, retired };
}
