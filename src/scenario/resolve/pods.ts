import type { EndpointSlice, Node, Pod } from '../../kubernetes/model/cluster.ts';
import { cidrContains, cidrLast, isIpv4Cidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { addToIp, familyOf } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import { nearest } from '../../support/nearest.ts';
import type { PodDraft } from '../drafts.ts';
import { parseIpSloppy } from '../reading/addresses.ts';
import type { Problems } from '../reading/problems.ts';
import type { Allotments } from './allotments.ts';

/** Of a node's pod range: 0 is the network, 1 the bridge, the third is the first pod's (host-local IPAM). */
const FIRST_POD = 2;

/**
 * Pods with addresses. hostNetwork pods have their node's; the others what is given, else what a given slice says of them, else the
 * next free one of the node's range from the third on. What a pod has got in an earlier step stays its own.
 */
export function resolvePods(
  drafts: readonly PodDraft[],
  nodes: readonly Node[],
  slices: readonly EndpointSlice[],
  problems: Problems,
  allotments: Allotments,
): readonly Pod[] {
  const nodesByName = new Map(nodes.map((node) => [node.name, node]));
  const allotting = drafts.some((d) => d.hostNetwork !== true && d.addresses === undefined);
  const known = allotting
    ? knownAddresses(drafts, slices, allotments)
    : { ofPod: new Map<string, IpAddress[]>(), taken: new Set<IpAddress>() };
  const cursors = new Map<Cidr, IpAddress>();
  const pods: Pod[] = [];
  for (const draft of drafts) {
    const node = nodeOf(draft, nodesByName, problems);
    if (node === undefined) continue;
    const addresses =
      draft.hostNetwork === true
        ? node.addresses
        : (draft.addresses ??
          known.ofPod.get(`${draft.namespace}/${draft.name}`) ??
          allottedTo(draft, allotments) ??
          allot(draft, node, known.taken, cursors, problems));
    pods.push(podOf(draft, node, addresses));
  }
  return pods;
}

function podOf(draft: PodDraft, node: Node, addresses: readonly IpAddress[]): Pod {
  const serving = draft.ready ?? true;
  const terminating = draft.terminating ?? false;
  return {
    namespace: draft.namespace,
    name: draft.name,
    node: node.name,
    addresses,
    labels: draft.labels ?? {},
    hostNetwork: draft.hostNetwork ?? false,
    ready: serving && !terminating,
    serving,
    terminating,
    ports: draft.hostNetwork === true ? withoutHostPorts(draft.ports ?? []) : (draft.ports ?? []),
    ...(draft.containers !== undefined && { containers: draft.containers }),
    ...(draft.dns !== undefined && { dns: draft.dns }),
    assumedPorts: [],
    mtu: draft.mtu ?? null,
    hairpinMode: draft.hairpinMode ?? null,
    owner: draft.owner ?? null,
    commands: draft.commands ?? [],
    position: draft.position,
  };
}

/** With hostNetwork the port of the container is the host's: no portmap rule comes of hostPort. */
function withoutHostPorts(ports: Pod['ports']): Pod['ports'] {
  return ports.map((port) => ({ ...port, hostPort: null }));
}

function nodeOf(draft: PodDraft, nodes: ReadonlyMap<string, Node>, problems: Problems): Node | undefined {
  const what = `Pod ${draft.namespace}/${draft.name}`;
  if (draft.node === undefined) {
    problems.error('no-node', `${what} is on no node`, draft.position, 'Give "node"');
    return undefined;
  }
  const node = nodes.get(draft.node);
  if (node === undefined) {
    const like = nearest(draft.node, nodes.keys());
    const hint = like === null ? 'Every node must be given, under "nodes" or as a Node object' : `Did you mean "${like}"?`;
    problems.error(
      'unknown-node',
      `${what} is on node "${draft.node}", which is not given`,
      draft.nodePosition ?? draft.position,
      hint,
    );
  }
  return node;
}

/** Addresses that may not be handed out, and those that slices tell of pods. */
function knownAddresses(
  drafts: readonly PodDraft[],
  slices: readonly EndpointSlice[],
  allotments: Allotments,
): { readonly ofPod: ReadonlyMap<string, readonly IpAddress[]>; readonly taken: Set<IpAddress> } {
  const ofPod = new Map<string, IpAddress[]>();
  const taken = new Set(allotments.retired);
  for (const draft of drafts) for (const address of draft.addresses ?? []) taken.add(address);
  for (const { addresses } of allotments.pods.values()) for (const address of addresses) taken.add(address);
  for (const slice of slices) {
    for (const endpoint of slice.endpoints) {
      const address = parseIpSloppy(endpoint.addresses[0] ?? '');
      if (address === null) continue;
      taken.add(address);
      if (endpoint.pod === null) continue;
      const addresses = ofPod.get(endpoint.pod) ?? [];
      if (!addresses.some((a) => familyOf(a) === familyOf(address))) ofPod.set(endpoint.pod, [...addresses, address]);
    }
  }
  return { ofPod, taken };
}

/** The addresses that a pod has had; another node has another range. */
function allottedTo(draft: PodDraft, { pods }: Allotments): readonly IpAddress[] | undefined {
  const allotted = pods.get(`${draft.namespace}/${draft.name}`);
  return allotted?.node === draft.node && allotted?.addresses.length !== 0 ? allotted?.addresses : undefined;
}

function allot(
  draft: PodDraft,
  node: Node,
  taken: Set<IpAddress>,
  cursors: Map<Cidr, IpAddress>,
  problems: Problems,
): readonly IpAddress[] {
  const addresses: IpAddress[] = [];
  for (const cidr of node.podCidrs) {
    const end = cidrLast(cidr);
    let next = cursors.get(cidr) ?? addToIp(cidr.address, FIRST_POD);
    while (taken.has(next)) next = addToIp(next, 1);
    // The last address of an IPv4 range is its broadcast address.
    const isFree = cidrContains(cidr, next) && !(isIpv4Cidr(cidr) && next === end);
    if (isFree) {
      addresses.push(next);
      taken.add(next);
    }
    cursors.set(cidr, isFree ? addToIp(next, 1) : next);
  }
  if (addresses.length === 0) {
    const message = `No address is left for pod ${draft.namespace}/${draft.name} in the pod range of node ${node.name}`;
    problems.error('range-exhausted', message, draft.position, 'Give "ip", or the node a wider podCIDR');
  }
  return addresses;
}

/** The pod that an endpoint stands for: the one it names, else the one with its address. */
export function podFinder(pods: readonly Pod[]): (endpoint: EndpointSlice['endpoints'][number]) => Pod | undefined {
  let byName: Map<string, Pod> | null = null;
  let byAddress: Map<IpAddress, Pod> | null = null;
  return (endpoint) => {
    byAddress ??= indexByAddress(pods);
    const address = parseIpSloppy(endpoint.addresses[0] ?? '');
    const pod = address === null ? undefined : byAddress.get(address);
    if (endpoint.pod === null || (pod !== undefined && `${pod.namespace}/${pod.name}` === endpoint.pod)) return pod;
    byName ??= new Map(pods.map((p) => [`${p.namespace}/${p.name}`, p]));
    return byName.get(endpoint.pod);
  };
}

function indexByAddress(pods: readonly Pod[]): Map<IpAddress, Pod> {
  const index = new Map<IpAddress, Pod>();
  for (const pod of pods) if (!pod.hostNetwork) for (const address of pod.addresses) index.set(address, pod);
  return index;
}
