import type { Node, NodeInterface } from '../../kubernetes/model/cluster.ts';
import { formatIp } from '../../net/ip.ts';
import type { InterfaceDraft, NodeDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

const DEFAULT_MTU = 1500;

/** What a node's interfaces decide. */
export type PlacedAddresses = Pick<Node, 'addresses' | 'mtu' | 'firstInterface' | 'interfaces'>;

/**
 * Puts a node's addresses on its interfaces. eth0 has them, unless another interface of the list does: then eth0, or else the first of the
 * list, has the default route only. A node without addresses has those of eth0 or of the first interface.
 */
export function placeAddresses(draft: NodeDraft, problems: Problems): PlacedAddresses {
  const listed = draft.interfaces ?? [];
  const eth0 = listed.find(({ name }) => name === 'eth0');
  const first = eth0 ?? listed[0];
  const given = draft.addresses ?? [];
  const addresses = given.length > 0 ? given : first === undefined ? [] : [first.address];
  const isOwn = ({ address }: InterfaceDraft): boolean => addresses.includes(address);
  const holder = listed.find(isOwn);
  if (first === undefined || holder === undefined || (eth0 !== undefined && isOwn(eth0))) {
    if (eth0 !== undefined && holder === undefined) tellOfEth0(draft, eth0, problems);
    const mtu = draft.mtu ?? eth0?.mtu ?? DEFAULT_MTU;
    return { addresses, mtu, interfaces: listed.filter((other) => other !== eth0).map((other) => withMtu(other, DEFAULT_MTU)) };
  }
  const firstInterface = withMtu(first, draft.mtu ?? DEFAULT_MTU);
  const further = listed.filter((other) => other !== first).map((other) => withMtu(other, DEFAULT_MTU));
  return { addresses, mtu: firstInterface.mtu, firstInterface, interfaces: further };
}

function withMtu(draft: InterfaceDraft, mtu: number): NodeInterface {
  return { ...draft, mtu: draft.mtu ?? mtu };
}

function tellOfEth0(
  { name, addresses, position, interfacesPosition }: NodeDraft,
  eth0: InterfaceDraft,
  problems: Problems,
): void {
  const ips = (addresses ?? []).map(formatIp);
  problems.error(
    'wrong-value',
    `Node ${name} has ip ${ips.join(', ')}, but its interface eth0 has ${formatIp(eth0.address)}`,
    interfacesPosition ?? position,
    `List the interface that has the ip too, such as { name: eth1, ip: ${ips[0]}/24 }`,
  );
}
