import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Problems } from '../reading/problems.ts';

const PUBLIC_IP = 'flannel.alpha.coreos.com/public-ip';
const PUBLIC_IP_OVERWRITE = 'flannel.alpha.coreos.com/public-ip-overwrite';

/** Suspicious about the pod network: one public IP for two flannel nodes, policies that nobody enforces. */
export function validateNetwork(cluster: Cluster, problems: Problems): void {
  const { plugin } = cluster.cni;
  if (plugin === 'flannel') validatePublicIps(cluster, problems);
  const policies = cluster.notModelled.filter((object) => object.kind.endsWith('NetworkPolicy'));
  if (policies.length > 0 && plugin !== 'weave') {
    const which =
      policies.length === 1
        ? `NetworkPolicy ${policies[0]?.namespace}/${policies[0]?.name} is`
        : `${policies.length} NetworkPolicies are`;
    problems.warning('policy-not-enforced', `${which} given, but the CNI (${plugin}) enforces none`, null);
  }
}

function validatePublicIps(cluster: Cluster, problems: Problems): void {
  const holders = new Map<string, string>();
  for (const node of cluster.nodes) {
    const ip = node.annotations[PUBLIC_IP_OVERWRITE] ?? node.annotations[PUBLIC_IP];
    if (ip === undefined) continue;
    const other = holders.get(ip);
    if (other !== undefined) {
      const message = `Nodes ${other} and ${node.name} have one flannel public IP, ${ip}: tunnels to them can't be told apart`;
      problems.warning('duplicate-public-ip', message, node.position);
    }
    holders.set(ip, node.name);
  }
}
