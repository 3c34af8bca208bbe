import { cidrContains, cidrOf, isIpv4Cidr, parseCidr } from '../../net/cidr.ts';
import { familyOf, ipv4, ipv6 } from '../../net/ip.ts';
import { ownAddressesOf } from '../model/node-interfaces.ts';
import { atLeast } from './select-endpoints.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { Cluster, Node } from '../model/cluster.ts';

/** Where node ports answer: --nodeport-addresses of one family (pkg/proxy/util NodePortAddresses). */
export interface NodePortAddresses {
  /** A zero prefix was given, or none of this family. */
  readonly matchesAll: boolean;
  /** 127.0.0.0/8 is covered at least in part. Always false for IPv6, whose loopback is never used. */
  readonly coversLoopback: boolean;
  /** Those of `addresses` that are covered, each once, in the order given. */
  among(addresses: readonly IpAddress[]): readonly IpAddress[];
}

const LOOPBACK_4 = cidrOf(ipv4(0x7f000000), 8);
const LOOPBACK_6 = cidrOf(ipv6(1n), 128);

/** True for 127.0.0.0/8 and ::1. */
export function isLoopback(address: IpAddress): boolean {
  return cidrContains(LOOPBACK_4, address) || cidrContains(LOOPBACK_6, address);
}

/** Reads the configuration for one family of a node. The word "primary" (the node's own address) is known from 1.31 on. */
export function nodePortAddressesOf(cluster: Cluster, node: Node, family: IpFamily): NodePortAddresses {
  const given = cluster.kubeProxy.nodePortAddresses;
  const cidrs =
    given.length === 1 && given[0] === 'primary' && atLeast(cluster.kubernetesVersion, 31)
      ? node.addresses.map((address) => cidrOf(address, familyOf(address) === 4 ? 32 : 128))
      : given.map(parseCidr).filter((cidr) => cidr !== null);
  return nodePortAddresses(
    cidrs.filter((cidr) => isIpv4Cidr(cidr) === (family === 4)),
    family,
  );
}

function nodePortAddresses(cidrs: readonly Cidr[], family: IpFamily): NodePortAddresses {
  const matchesAll = cidrs.length === 0 || cidrs.some((cidr) => cidr.length === 0);
  return {
    matchesAll,
    coversLoopback:
      family === 4 && (matchesAll || cidrs.some((c) => isLoopback(c.address) || cidrContains(c, LOOPBACK_4.address))),
    among: (addresses) => [...new Set(addresses.filter((a) => matchesAll || cidrs.some((c) => cidrContains(c, a))))],
  };
}

/** The addresses of a family that the node has by itself: loopback, eth0 and further interfaces. A CNI's devices add theirs. */
export function interfaceAddressesOf(node: Node, family: IpFamily): readonly IpAddress[] {
  const addresses: readonly IpAddress[] = [family === 4 ? ipv4(0x7f000001) : ipv6(1n), ...ownAddressesOf(node)];
  return addresses.filter((address) => familyOf(address) === family);
}

/** The node's own address of a family; the loopback address when it has none, as kube-proxy falls back to. */
export function nodeIpOf(node: Node, family: IpFamily): IpAddress {
  return node.addresses.find((address) => familyOf(address) === family) ?? (family === 4 ? ipv4(0x7f000001) : ipv6(1n));
}
