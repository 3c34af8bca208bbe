import { isIpv4, parseIp } from '../../../net/ip.ts';
import { parseMac } from '../../../net/mac.ts';
import { MAC_PREFIX, fixedMac } from '../../stable-mac.ts';
import { nodeAddress, podRange } from '../../cluster-index.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { Ipv4 } from '../../../net/ip.ts';
import type { Mac } from '../../../net/mac.ts';
import type { Node } from '../../model/cluster.ts';

const ANNOTATION = 'flannel.alpha.coreos.com/';

/** What a node's flannel daemon tells the others (the annotations of its Node). */
export interface Lease {
  readonly node: Node;
  readonly range: Extract<Cidr, { address: Ipv4 }>;
  /** Where the others send to. */
  readonly publicIp: Ipv4;
  readonly vtepMac: Mac;
  /** null: not annotated, so the cluster's own backend. */
  readonly backendType: string | null;
}

/**
 * The lease of a node: its annotations (public-ip-overwrite, public-ip, backend-type, backend-data) where given, else what the daemon
 * would write. null for a node without an IPv4 address or pod range: flannel does not start there.
 */
export function leaseOf(node: Node): Lease | null {
  const address = nodeAddress(node);
  const range = podRange(node);
  if (address === null || range === null) return null;
  return {
    node,
    range,
    publicIp: ipAnnotation(node, 'public-ip-overwrite') ?? ipAnnotation(node, 'public-ip') ?? address,
    vtepMac: macAnnotation(node) ?? fixedMac(MAC_PREFIX.vtep, address),
    backendType: node.annotations[`${ANNOTATION}backend-type`] ?? null,
  };
}

/** First address of the node's range: the tunnel end's own. */
export function vtepAddress(lease: Lease): Ipv4 {
  return lease.range.address;
}

function ipAnnotation(node: Node, key: string): Ipv4 | null {
  const text = node.annotations[ANNOTATION + key];
  const address = text === undefined ? null : parseIp(text);
  return address !== null && isIpv4(address) ? address : null;
}

/** backend-data is JSON: {"VNI":1,"VtepMAC":"be:ef:00:00:00:01"}. What is not is passed over, as flannel does with a warning. */
function macAnnotation(node: Node): Mac | null {
  const text = node.annotations[`${ANNOTATION}backend-data`];
  const found = text === undefined ? null : /"VtepMAC"\s*:\s*"([^"]*)"/.exec(text);
  return found === null ? null : parseMac(found[1] ?? '');
}
