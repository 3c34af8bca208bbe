import { ownAddressesOf } from '../../kubernetes/model/node-interfaces.ts';
import type { Cluster, SourcePosition } from '../../kubernetes/model/cluster.ts';
import { cidrContains, formatCidr } from '../../net/cidr.ts';
import { familyOf, formatIp, isIpv4 } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { PodDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

/** Addresses that no host can have, that stand in another's range, or that are passed over. `pods` are the drafts of the cluster's. */
export function validateHosts(cluster: Cluster, pods: readonly PodDraft[], problems: Problems): void {
  for (const node of cluster.nodes) {
    hostAddresses(`node ${node.name}`, ownAddressesOf(node), node.position, problems);
  }
  for (const pod of cluster.pods) {
    if (!pod.hostNetwork) hostAddresses(`pod ${pod.namespace}/${pod.name}`, pod.addresses, pod.position, problems);
  }
  for (const external of cluster.externals) {
    hostAddresses(`external host ${external.name}`, external.addresses, external.position, problems);
  }
  validateExternals(cluster, problems);
  validateHostNetwork(cluster, pods, problems);
}

function hostAddresses(what: string, addresses: readonly IpAddress[], position: SourcePosition | null, problems: Problems): void {
  for (const address of addresses) {
    const kind = kindOfNoHost(address);
    if (kind !== null) problems.error('wrong-value', `${formatIp(address)} of ${what} is ${kind}, which no host has`, position);
  }
}

/** RFC 6890 and RFC 4291: addresses that stand for no single host of a network; null for all others. */
function kindOfNoHost(address: IpAddress): string | null {
  if (isIpv4(address)) {
    const first = address >>> 24;
    if (first === 0) return 'an address of "this network"';
    if (first === 127) return 'a loopback address';
    if (first >= 224 && first < 240) return 'a multicast address';
    return first >= 240 ? 'a reserved address' : null;
  }
  if (address === 0n) return 'the unspecified address';
  if (address === 1n) return 'the loopback address';
  return address >> 120n === 0xffn ? 'a multicast address' : null;
}

/** An external host with an address of the pods or of a service: the nodes have other uses for it. */
function validateExternals(cluster: Cluster, problems: Problems): void {
  const { externals, nodes, services } = cluster;
  for (const external of externals) {
    for (const address of external.addresses) {
      const what = `${formatIp(address)} of external host ${external.name}`;
      const node = nodes.find(({ podCidrs }) => podCidrs.some((range) => holds(range, address)));
      if (node !== undefined) {
        const ranges = node.podCidrs.map(formatCidr).join(', ');
        problems.warning('overlapping-ranges', `${what} is in the pod range of node ${node.name} (${ranges})`, external.position);
      }
      const service = services.find(({ clusterIps }) => clusterIps.includes(address));
      if (service !== undefined) {
        const message = `${what} is the cluster IP of service ${service.namespace}/${service.name}`;
        problems.warning('overlapping-ranges', message, external.position);
      }
    }
  }
}

function holds(range: Cluster['podCidrs'][number], address: IpAddress): boolean {
  return familyOf(range.address) === familyOf(address) && cidrContains(range, address);
}

/** A pod with hostNetwork has its node's addresses, whatever else is given. */
function validateHostNetwork(cluster: Cluster, pods: readonly PodDraft[], problems: Problems): void {
  const given = pods.filter((pod) => pod.hostNetwork === true && pod.addresses !== undefined);
  if (given.length === 0) return;
  const nodes = new Map(cluster.nodes.map((node) => [node.name, node]));
  for (const { namespace, name, node, addresses = [], position } of given) {
    const own = nodes.get(node ?? '');
    const other = addresses.find((address) => own !== undefined && !ownAddressesOf(own).includes(address));
    if (other === undefined) continue;
    const message = `Pod ${namespace}/${name} has hostNetwork: it has the addresses of its node, ${formatIp(other)} is passed over`;
    problems.warning('address-passed-over', message, position);
  }
}
