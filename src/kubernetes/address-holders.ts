import { addToIp } from '../net/ip.ts';
import { balancersOf } from './balancer/balancers.ts';
import { podKey } from './cluster-index.ts';
import { ownAddressesOf } from './model/node-interfaces.ts';
import { once } from '../support/once.ts';
import type { IpAddress } from '../net/ip.ts';
import type { HostName } from '../kernel/host.ts';
import type { Node, Service } from './model/cluster.ts';
import type { ClusterIndex } from './cluster-index.ts';

/**
 * Hosts that have an address as compiled, by an index made at the first question; `more` are always named. `podNetwork`: what nodes
 * have on the pod network beside the first two addresses of their ranges.
 */
export function addressHolders(
  index: ClusterIndex,
  more: readonly HostName[],
  podNetwork: (node: Node) => readonly IpAddress[] = () => [],
): (address: IpAddress) => Iterable<HostName> {
  const holders = once(() => {
    const byAddress = new Map<IpAddress, HostName[]>();
    const add = (address: IpAddress, host: HostName): void => {
      const there = byAddress.get(address);
      if (there) there.push(host);
      else byAddress.set(address, [host]);
    };
    for (const node of index.cluster.nodes) {
      const host = `node/${node.name}`;
      // The bridge's address and that of a tunnel end.
      for (const { address } of node.podCidrs) for (const own of [address, addToIp(address, 1)]) add(own, host);
      for (const address of [...ownAddressesOf(node), ...podNetwork(node)]) add(address, host);
    }
    // kube-ipvs0 has them on every node.
    if (index.cluster.kubeProxy.mode === 'ipvs') {
      for (const address of new Set(index.cluster.services.flatMap(serviceAddresses))) {
        for (const { name } of index.cluster.nodes) add(address, `node/${name}`);
      }
    }
    for (const pod of index.cluster.pods) {
      if (!pod.hostNetwork) for (const address of pod.addresses) add(address, `pod/${podKey(pod)}`);
    }
    for (const { name, addresses } of index.cluster.externals) {
      for (const address of addresses) add(address, `external/${name}`);
    }
    for (const { host, ownAddresses, publicAddresses } of balancersOf(index.cluster)) {
      for (const address of [...ownAddresses, ...publicAddresses]) add(address, host);
    }
    return byAddress;
  });
  return (address) => new Set([...(holders().get(address) ?? []), ...more]);
}

function serviceAddresses({ clusterIps, externalIps, loadBalancerIngress }: Service): readonly IpAddress[] {
  return [...clusterIps, ...externalIps, ...loadBalancerIngress.flatMap(({ ip }) => (ip === null ? [] : [ip]))];
}
