import { macFromIp, parseMac } from '../net/mac.ts';
import { invariant } from '../support/invariant.ts';
import { sha1Hex } from '../support/digest.ts';
import type { IpAddress } from '../net/ip.ts';
import type { Mac } from '../net/mac.ts';
import type { Pod } from './model/cluster.ts';

/** First two bytes of the MACs that k8snet fixes where real software draws them (facts: who has which prefix). */
export const MAC_PREFIX = {
  /** eth0 of a node, as Docker forms it. */
  node: '02:42',
  /** Pods and their bridge, as CNI's bridge plugin forms it. */
  pod: '0a:58',
  /** Pods and bridges of Weave Net. */
  weave: '82:3e',
  /** flannel's tunnel end. */
  vtep: 'be:ef',
  /** The router of a subnet. */
  router: '02:fe',
  external: '02:c1',
  /** The router's end of the cable to an external host. */
  externalRouter: '02:fd',
  /** A balancer's end of its cable to the router, its legs on switches, and the router's end. */
  balancer: '02:c2',
  balancerLeg: '02:c3',
  balancerRouter: '02:fc',
} as const;

export function fixedMac(prefix: (typeof MAC_PREFIX)[keyof typeof MAC_PREFIX], address: IpAddress): Mac {
  return macFromIp(prefix, address);
}

/** MAC of the node end of a pod's veth; never seen on the wire. */
export function vethMac(pod: Pick<Pod, 'namespace' | 'name'>): Mac {
  const digits = sha1Hex(`${pod.namespace}/${pod.name}mac`).slice(0, 10);
  const mac = parseMac(`d6:${digits.match(/../g)?.join(':')}`);
  invariant(mac !== null, 'five bytes of a digest make a MAC');
  return mac;
}

/** Name of the node end of a pod's veth: "veth" and the first 8 hex digits of sha1("namespace/name"). */
export function vethName(pod: Pick<Pod, 'namespace' | 'name'>): string {
  return `veth${sha1Hex(`${pod.namespace}/${pod.name}`).slice(0, 8)}`;
}
