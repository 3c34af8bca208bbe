import type { FirewallRule, Node, Underlay, UnderlayRange } from '../../kubernetes/model/cluster.ts';
import { cidrContains, cidrLast, cidrOf, isIpv4Cidr, parseCidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { addToIp, familyOf, formatIp, parseIpv4 } from '../../net/ip.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import { invariant } from '../../support/invariant.ts';
import { nearest } from '../../support/nearest.ts';
import type { Drafts, FirewallDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';
import { smallestCidr } from './ranges.ts';

/** The network between the nodes, with its ranges and router: IPv4 first, if the nodes have it. */
export function resolveUnderlay(drafts: Drafts, nodes: readonly Node[], problems: Problems): Underlay {
  const { underlay, externals } = drafts;
  const subnets = (underlay.subnets ?? []).map(({ name, cidrs, routers }) => {
    const ranges = inOrder(cidrs).map((cidr): UnderlayRange => {
      const router = routers.find((address) => familyOf(address) === familyOf(cidr.address));
      return { cidr, router: router ?? addToIp(cidr.address, 1) };
    });
    return { name, ...paired(ranges) };
  });
  const subnetRanges = subnets.flatMap(rangesOf);
  const held = new Set([...nodes.flatMap((n) => n.addresses), ...externals.flatMap((e) => e.addresses)]);
  const ranges = ([4, 6] as const).flatMap((family): UnderlayRange[] => {
    const given = underlay.nodeCidrs?.find(({ address }) => familyOf(address) === family);
    const cidr = given ?? assumedNodeCidr(family, nodes, subnetRanges);
    if (cidr === null) return [];
    const first = addToIp(cidr.address, 1);
    const router = subnetRanges.find((range) => range.cidr.address === cidr.address)?.router;
    return [{ cidr, router: router ?? (given === undefined ? freeAddress(cidr, first, held) : first) }];
  });
  const { cidr, router, second } = paired(ranges.length > 0 ? ranges : [unusedRange()]);
  return {
    nodeCidr: cidr,
    router,
    ...(second && { second }),
    subnets,
    firewall: (underlay.firewall ?? []).map((rule) => resolveFirewallRule(rule, drafts, problems)),
    commands: underlay.commands ?? [],
  };
}

/** A link's ranges as a cluster has them: the first, and that of the other family. */
function paired(ranges: readonly UnderlayRange[]): UnderlayRange & { readonly second?: UnderlayRange } {
  const [first, second] = ranges;
  invariant(first !== undefined, 'a link has a range');
  return { ...first, ...(second && { second }) };
}

/** Both ranges of a link. */
export function rangesOf({
  cidr,
  router,
  second,
}: UnderlayRange & { readonly second?: UnderlayRange }): readonly UnderlayRange[] {
  return [{ cidr, router }, ...(second ? [second] : [])];
}

function inOrder(cidrs: readonly Cidr[]): readonly Cidr[] {
  return [...cidrs].sort((a, b) => familyOf(a.address) - familyOf(b.address));
}

/** The /24 (IPv6: /64) of the first node's address if it holds all nodes, else the smallest prefix that does; null: no node needs one. */
function assumedNodeCidr(family: IpFamily, nodes: readonly Node[], subnets: readonly UnderlayRange[]): Cidr | null {
  const all = nodes.flatMap(({ addresses }) => addresses.find((address) => familyOf(address) === family) ?? []);
  const addresses = all.filter((address) => !subnets.some(({ cidr }) => cidrContains(cidr, address)));
  const [first] = addresses;
  if (first === undefined) return all.length === 0 ? null : (rangeOf(subnets, family)?.cidr ?? null);
  const usual = cidrOf(first, family === 4 ? 24 : 64);
  return addresses.every((address) => cidrContains(usual, address)) ? usual : (smallestCidr(addresses) ?? usual);
}

function rangeOf(ranges: readonly UnderlayRange[], family: IpFamily): UnderlayRange | undefined {
  return ranges.find(({ cidr }) => familyOf(cidr.address) === family);
}

/** For scenarios without nodes. */
function unusedRange(): UnderlayRange {
  const address = parseIpv4('192.168.0.0');
  invariant(address !== null, 'an IPv4 address');
  return { cidr: cidrOf(address, 24), router: addToIp(address, 1) };
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
