import type { FirewallRule, Node, Underlay } from '../../kubernetes/model/cluster.ts';
import { cidrContains, cidrLast, cidrOf, isIpv4Cidr, parseCidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { addToIp, formatIp, isIpv4, parseIpv4 } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import { invariant } from '../../support/invariant.ts';
import { nearest } from '../../support/nearest.ts';
import type { Drafts, FirewallDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';
import { smallestCidr } from './ranges.ts';

/** The network between the nodes, with its range and router. */
export function resolveUnderlay(drafts: Drafts, nodes: readonly Node[], problems: Problems): Underlay {
  const { underlay, externals } = drafts;
  const subnets = (underlay.subnets ?? []).map(({ name, cidr, router }) => ({
    name,
    cidr,
    router: router ?? addToIp(cidr.address, 1),
  }));
  const nodeCidr =
    underlay.nodeCidr ??
    assumedNodeCidr(
      nodes,
      subnets.map((s) => s.cidr),
    );
  const first = addToIp(nodeCidr.address, 1);
  const held = new Set([...nodes.flatMap((n) => n.addresses), ...externals.flatMap((e) => e.addresses)]);
  return {
    nodeCidr,
    router:
      subnets.find((s) => s.cidr.address === nodeCidr.address)?.router ??
      (underlay.nodeCidr === undefined ? freeAddress(nodeCidr, first, held) : first),
    subnets,
    firewall: (underlay.firewall ?? []).map((rule) => resolveFirewallRule(rule, drafts, problems)),
    commands: underlay.commands ?? [],
  };
}

/** The /24 (IPv6: /64) of the first node's address if it holds all nodes, else the smallest prefix that does. */
function assumedNodeCidr(nodes: readonly Node[], subnets: readonly Cidr[]): Cidr {
  const all = nodes.flatMap((node) => node.addresses.slice(0, 1));
  const outside = all.filter((address) => !subnets.some((subnet) => cidrContains(subnet, address)));
  const ipv4 = outside.filter(isIpv4);
  const addresses: readonly IpAddress[] = ipv4.length > 0 ? ipv4 : outside;
  const first = addresses[0];
  if (first === undefined) return subnets[0] ?? unusedRange();
  const usual = cidrOf(first, isIpv4(first) ? 24 : 64);
  const smallest = smallestCidr(addresses);
  return addresses.every((a) => cidrContains(usual, a)) ? usual : (smallest ?? usual);
}

/** For scenarios without nodes. */
function unusedRange(): Cidr {
  const address = parseIpv4('192.168.0.0');
  invariant(address !== null, 'an IPv4 address');
  return cidrOf(address, 24);
}

/** The first host address of an assumed range, unless somebody holds it: then the last free one. */
function freeAddress(cidr: Cidr, first: IpAddress, held: ReadonlySet<IpAddress>): IpAddress {
  if (!held.has(first)) return first;
  let address = addToIp(cidrLast(cidr), isIpv4Cidr(cidr) ? -1 : 0);
  while (held.has(address) && cidrContains(cidr, address)) address = addToIp(address, -1);
  return cidrContains(cidr, address) ? address : first;
}

function resolveFirewallRule(rule: FirewallDraft, drafts: Drafts, problems: Problems): FirewallRule {
  const side = (text: string | null): string | null => (text === null ? null : resolveEnd(text, drafts, rule, problems));
  return { protocol: rule.protocol, port: rule.port, from: side(rule.from), to: side(rule.to), position: rule.position };
}

/** A node, an external host, or a range, as the rule names it. */
function resolveEnd(text: string, drafts: Drafts, rule: FirewallDraft, problems: Problems): string {
  const cidr = parseCidr(text);
  if (cidr !== null) return `${formatIp(cidr.address)}/${cidr.length}`;
  const names = [...drafts.nodes.map((n) => `node/${n.name}`), ...drafts.externals.map((e) => `external/${e.name}`)];
  const found = names.find((name) => name === text || name.slice(name.indexOf('/') + 1) === text);
  if (found !== undefined) return found;
  const like =
    nearest(text, names) ??
    nearest(
      text,
      names.map((name) => name.slice(name.indexOf('/') + 1)),
    );
  const hint = like === null ? 'A node, an external host, or a range' : `Did you mean "${like}"?`;
  problems.error('unknown-host', `The firewall rule names "${text}", which is not given`, rule.position, hint);
  return text;
}
