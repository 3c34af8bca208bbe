import { familyOf, parseIp } from '../../../net/ip.ts';
import { parseMac } from '../../../net/mac.ts';
import { MAC_PREFIX, fixedMac } from '../../stable-mac.ts';
import { nodeAddress, podRange } from '../../cluster-index.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { Mac } from '../../../net/mac.ts';
import { externalInterface, holding } from '../../model/external-interface.ts';
import type { Node } from '../../model/cluster.ts';
import type { NodeUplink } from '../mode.ts';

const ANNOTATION = 'flannel.alpha.coreos.com/';
/** What the two families' annotations are called (pkg/subnet/kube/annotations.go). */
const KEYS: Readonly<Record<IpFamily, { readonly publicIp: string; readonly overwrite: string; readonly backendData: string }>> =
  {
    4: { publicIp: 'public-ip', overwrite: 'public-ip-overwrite', backendData: 'backend-data' },
    6: { publicIp: 'public-ipv6', overwrite: 'public-ipv6-overwrite', backendData: 'backend-v6-data' },
  };

/** What a node's flannel daemon tells the others about one IP family (the annotations of its Node). */
export interface Lease {
  readonly node: Node;
  readonly family: IpFamily;
  readonly range: Cidr;
  /** The interface that carries the overlay, and the node's address there. */
  readonly uplink: NodeUplink;
  readonly address: IpAddress;
  /** Where the others send to. */
  readonly publicIp: IpAddress;
  readonly vtepMac: Mac;
  /** null: not annotated, so the cluster's own backend. */
  readonly backendType: string | null;
}

/**
 * The lease of a node: its annotations (public-ip-overwrite, public-ip, backend-type, backend-data, and those of IPv6) where given, else
 * what the daemon would write, which is the address of the interface that it takes of `uplinks`. null for a node without an address or
 * pod range of the family, or without the interface of `iface`: flannel does nothing for it there.
 */
export function leaseOf(node: Node, family: IpFamily, uplinks: readonly NodeUplink[], iface: readonly string[]): Lease | null {
  const taken = externalInterface(uplinks, iface, family);
  const range = podRange(node, family);
  if (taken === null || range === null) return null;
  const keys = KEYS[family];
  const overwrite = ipAnnotation(node, keys.overwrite, family);
  const written = ipAnnotation(node, keys.publicIp, family);
  // An address that the daemon itself wrote tells which interface it took.
  const annotated = overwrite === null && written !== null ? holding(uplinks, written, family) : null;
  const { uplink, address } = annotated ?? taken;
  return {
    node,
    family,
    range,
    uplink,
    address,
    publicIp: overwrite ?? written ?? address,
    vtepMac: macAnnotation(node, keys.backendData) ?? fixedMac(MAC_PREFIX.vtep, nodeAddress(node, family) ?? address),
    backendType: node.annotations[`${ANNOTATION}backend-type`] ?? null,
  };
}

/** First address of the node's range: the tunnel end's own. */
export function vtepAddress(lease: Lease): IpAddress {
  return lease.range.address;
}

function ipAnnotation(node: Node, key: string, family: IpFamily): IpAddress | null {
  const text = node.annotations[ANNOTATION + key];
  const address = text === undefined ? null : parseIp(text);
  return address !== null && familyOf(address) === family ? address : null;
}

/** backend-data is JSON: {"VNI":1,"VtepMAC":"be:ef:00:00:00:01"}. What is not is passed over, as flannel does with a warning. */
function macAnnotation(node: Node, key: string): Mac | null {
  const text = node.annotations[ANNOTATION + key];
  const found = text === undefined ? null : /"VtepMAC"\s*:\s*"([^"]*)"/.exec(text);
  return found === null ? null : parseMac(found[1] ?? '');
}
