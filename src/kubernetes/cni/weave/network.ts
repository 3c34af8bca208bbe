import { addToIp } from '../../../net/ip.ts';
import { cidrContains } from '../../../net/cidr.ts';
import { macFromIp } from '../../../net/mac.ts';
import { once } from '../../../support/once.ts';
import { clusterPodRange, nodeAddress, podAddress, podRange } from '../../cluster-index.ts';
import { sandboxId } from '../../sandbox-id.ts';
import { MAC_PREFIX } from '../../stable-mac.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Mac } from '../../../net/mac.ts';
import type { ClusterIndex } from '../../cluster-index.ts';
import type { Node, Pod } from '../../model/cluster.ts';

/** A node that takes part: what it calls its own of the ring, and where the others send to. */
export interface Peer {
  readonly node: Node;
  /** Its share of the range. */
  readonly share: Cidr;
  /** Address of its bridge. */
  readonly bridge: IpAddress;
  /** Its address on the underlay. */
  readonly address: IpAddress;
}

/** Where a MAC of the pod network is: on which node, and behind which port of its bridge (null: it is the bridge's own). */
export interface Place {
  readonly peer: Peer;
  readonly port: string | null;
}

/** The one flat network of a whole cluster, shared by all its nodes. */
export interface WeaveNetwork {
  /** IPALLOC_RANGE: on the link of every pod and every bridge. */
  readonly range: Cidr;
  peer(node: string): Peer | undefined;
  /** In the order of the nodes. */
  peers(): readonly Peer[];
  macOf(address: IpAddress): Mac | undefined;
  placeOf(mac: Mac): Place | undefined;
  isOnIt(pod: Pod): boolean;
  /** Pods of a node that are on it. */
  podsOf(node: Node): readonly Pod[];
}

/** Weave Net knows IPv4 only; null for a cluster without a range of it. */
export function weaveNetwork(index: ClusterIndex): WeaveNetwork | null {
  const range = clusterPodRange(index.cluster, 4);
  if (range === null) return null;
  const isOnIt = (pod: Pod): boolean => {
    const address = podAddress(pod, 4);
    return !pod.hostNetwork && address !== null && cidrContains(range, address);
  };
  const podAddresses = once(() => new Set(index.cluster.pods.filter(isOnIt).map((pod) => podAddress(pod, 4))));
  const peerOf = (node: Node): readonly Peer[] => {
    const [address, share] = [nodeAddress(node, 4), podRange(node, 4)];
    if (address === null || share === null || !cidrContains(range, share.address)) return [];
    return [{ node, share, address, bridge: firstFree(range, share, podAddresses()) }];
  };
  const peers = once(() => index.cluster.nodes.flatMap(peerOf));
  const byName = once(() => new Map(peers().map((peer) => [peer.node.name, peer])));
  const places = once(() => {
    const byMac = new Map<Mac, Place>();
    for (const peer of peers()) byMac.set(weaveMac(peer.bridge), { peer, port: null });
    for (const pod of index.cluster.pods) {
      const [address, peer] = [podAddress(pod, 4), byName().get(pod.node)];
      if (address !== null && peer && isOnIt(pod)) byMac.set(weaveMac(address), { peer, port: weaveVethName(pod) });
    }
    return byMac;
  });
  return {
    range,
    peers,
    isOnIt,
    peer: (name) => byName().get(name),
    macOf: (address) => (places().has(weaveMac(address)) ? weaveMac(address) : undefined),
    placeOf: (mac) => places().get(mac),
    podsOf: (node) => index.podsOf(node.name).filter(isOnIt),
  };
}

/** Weave draws MACs at random (pods), or makes them of the machine's id (bridges); here they tell the address. */
export function weaveMac(address: IpAddress): Mac {
  return macFromIp(MAC_PREFIX.weave, address);
}

/** The node end of a pod's veth: "vethwepl" and as much of the sandbox's id as a name has room for (AttachContainer, net/veth.go). */
export function weaveVethName(pod: Pick<Pod, 'namespace' | 'name'>): string {
  // The id begins with zeros here; its end tells pods apart.
  return `vethwepl${sandboxId(pod).slice(-ID_LENGTH)}`;
}

const ID_LENGTH = 7;

/** The allocator gives the bridge ("weave:expose") the first address of the share; the network's own address belongs to nobody (HostRange). */
function firstFree(range: Cidr, share: Cidr, taken: ReadonlySet<IpAddress | null>): IpAddress {
  let address = share.address === range.address ? addToIp(share.address, 1) : share.address;
  while (taken.has(address)) address = addToIp(address, 1);
  return address;
}
