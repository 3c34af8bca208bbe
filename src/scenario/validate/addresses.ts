import type { Cluster, Pod } from '../../kubernetes/model/cluster.ts';
import { cidrContains, formatCidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { addToIp, formatIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Drafts } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

/** Addresses of pods and services: two holders of one, and addresses outside their range. */
export function validateAddresses(cluster: Cluster, drafts: Drafts, problems: Problems): void {
  validatePods(cluster, drafts.cni !== undefined, problems);
  validateClusterIps(cluster, drafts.cluster.serviceCidrs ?? [], problems);
}

function validatePods(cluster: Cluster, cniIsGiven: boolean, problems: Problems): void {
  const holders = new Map<IpAddress, Pod>();
  const nodes = new Map(cluster.nodes.map((node) => [node.name, node]));
  for (const pod of cluster.pods) {
    if (pod.hostNetwork) continue;
    const ranges = nodes.get(pod.node)?.podCidrs ?? [];
    for (const address of pod.addresses) {
      const other = holders.get(address);
      if (other !== undefined) tellSharedAddress(address, other, pod, problems);
      holders.set(address, pod);
      const device = cniIsGiven ? deviceWith(cluster, ranges, address) : null;
      if (device !== null) {
        const message = `${formatIp(address)} of pod ${pod.namespace}/${pod.name} is the address of ${device} of node ${pod.node}`;
        problems.error('duplicate-address', message, pod.position);
      }
      // A peer of Weave Net may have had more of the ring when it gave an address away.
      const allowed = cluster.cni.plugin === 'weave' ? cluster.podCidrs : ranges;
      if (allowed.length > 0 && !allowed.some((range) => cidrContains(range, address))) {
        const whose = cluster.cni.plugin === 'weave' ? 'the pod range' : `the pod range of node ${pod.node}`;
        const where = `${whose} (${allowed.map(formatCidr).join(', ')})`;
        problems.warning(
          'outside-range',
          `${formatIp(address)} of pod ${pod.namespace}/${pod.name} is outside ${where}`,
          pod.position,
        );
      }
    }
  }
}

/**
 * The bridge has the second address of the node's range (host-local IPAM), flannel's VXLAN device the first; an assumed CNI may be
 * another one in truth.
 */
function deviceWith({ cni }: Cluster, ranges: readonly Cidr[], address: IpAddress): string | null {
  if (cni.plugin === 'none' || cni.plugin === 'weave') return null;
  if (ranges.some((range) => addToIp(range.address, 1) === address)) return 'the bridge';
  const vxlan = cni.plugin === 'flannel' && cni.backend === 'vxlan';
  return vxlan && ranges.some((range) => range.address === address) ? `flannel.${cni.vni}` : null;
}

/** Two pods on one bridge can't have one address; on two nodes it is legal, and one of them is out of reach. */
function tellSharedAddress(address: IpAddress, first: Pod, second: Pod, problems: Problems): void {
  const message = `${formatIp(address)} is held by pod ${first.namespace}/${first.name} and by pod ${second.namespace}/${second.name}`;
  if (first.node === second.node) problems.error('duplicate-address', message, second.position);
  else problems.warning('duplicate-address', message, second.position);
}

function validateClusterIps(cluster: Cluster, serviceCidrs: readonly Cidr[], problems: Problems): void {
  const holders = new Map<IpAddress, string>();
  for (const service of cluster.services) {
    const name = `${service.namespace}/${service.name}`;
    for (const ip of service.clusterIps) {
      const other = holders.get(ip);
      if (other !== undefined) {
        problems.error(
          'duplicate-address',
          `Cluster IP ${formatIp(ip)} belongs to service ${other} and to ${name}`,
          service.position,
        );
      }
      holders.set(ip, name);
      if (serviceCidrs.length > 0 && !serviceCidrs.some((range) => cidrContains(range, ip))) {
        const message = `Cluster IP ${formatIp(ip)} of service ${name} is outside the service range (${serviceCidrs.map(formatCidr).join(', ')})`;
        problems.warning('outside-range', message, service.position);
      }
    }
  }
}
