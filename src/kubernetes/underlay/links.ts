import { familyOf, formatIp } from '../../net/ip.ts';
import { cidrContains, formatCidr } from '../../net/cidr.ts';
import { MAC_PREFIX, fixedMac } from '../stable-mac.ts';
import { once } from '../../support/once.ts';
import { portNames } from '../port-names.ts';
import { cableBalancers } from '../balancer/cables.ts';
import { invariant } from '../../support/invariant.ts';
import { interfacesOf } from '../model/node-interfaces.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { HostName } from '../../kernel/host.ts';
import type { CabledBalancer } from '../balancer/cables.ts';
import type { Cluster, ExternalHost, Node, SourcePosition, UnderlayRange } from '../model/cluster.ts';

/** MTU of everything on the underlay but the nodes' own interfaces. */
export const UNDERLAY_MTU = 1500;

/** One switch of the underlay with the router on it. */
export interface Link {
  /** Of a subnet; null: the nodes' own range. */
  readonly name: string | null;
  /** Bridge in host `underlay`. */
  readonly bridge: string;
  /** At most one a family, with the router's address in it; the nodes' primary family first. */
  readonly ranges: readonly UnderlayRange[];
  readonly routerMac: Mac;
  readonly members: readonly Attachment[];
  /** MACs on the link by address, the router's included; the first holder of an address wins. */
  readonly macOf: (address: IpAddress) => Mac | undefined;
}

/** An interface of a host that hangs on a switch. */
export interface Attachment {
  readonly host: HostName;
  readonly device: string;
  /** The switch's port. */
  readonly port: string;
  readonly link: Link;
  readonly mac: Mac;
  /** First the primary one. */
  readonly addresses: readonly IpAddress[];
}

/** An external host behind the router on a cable of its own. */
export interface RoutedExternal {
  readonly external: ExternalHost;
  readonly port: string;
  readonly mac: Mac;
  readonly routerMac: Mac;
}

/** Where every host hangs. Made once for a cluster. */
export interface Links {
  readonly links: readonly Link[];
  /** Interface of a node by name; undefined for one without a link (an interface on a network of its own). */
  ofNode(node: string, device: string): Attachment | undefined;
  /** The interface of a node that has the address, else its first one on a link. */
  holding(node: string, address: IpAddress): Attachment | undefined;
  ofExternal(name: string): Attachment | RoutedExternal | undefined;
  readonly routed: readonly RoutedExternal[];
  /** The cloud's. */
  readonly balancers: readonly CabledBalancer[];
  readonly problems: readonly { readonly message: string; readonly position: SourcePosition | null }[];
}

export function linksOf(cluster: Cluster): Links {
  const links = makeLinks(cluster);
  const name = portNames();
  const ofNode = new Map<string, Attachment>();
  const byNode = new Map<string, readonly Attachment[]>();
  const ofExternal = new Map<string, Attachment | RoutedExternal>();
  const problems: { message: string; position: SourcePosition | null }[] = [];
  const attach = ({ link, members }: GrowingLink, member: Omit<Attachment, 'link'>): Attachment => {
    const attachment = { ...member, link };
    members.push(attachment);
    return attachment;
  };
  for (const node of cluster.nodes) {
    for (const { device, addresses: held, subnet } of interfacesOf(node)) {
      const addresses = held.map(({ address }) => address);
      const { address } = held[0];
      const link = linkFor(links, address, subnet);
      const port = name(device === 'eth0' ? `ul-${node.name}` : `ul-${node.name}-${device}`);
      const mac = fixedMac(MAC_PREFIX.node, address);
      if (link) {
        const attachment = attach(link, { host: `node/${node.name}`, device, port, mac, addresses });
        ofNode.set(`${node.name} ${device}`, attachment);
        byNode.set(node.name, [...(byNode.get(node.name) ?? []), attachment]);
      } else if (addresses.some((own) => node.addresses.includes(own))) {
        problems.push({ message: offLinkMessage(node, address, cluster), position: node.position });
      }
    }
  }
  const routed: RoutedExternal[] = [];
  for (const external of cluster.externals) {
    const [address] = external.addresses;
    if (address === undefined) continue;
    const link = linkFor(links, address, null);
    const mac = fixedMac(MAC_PREFIX.external, address);
    if (link) {
      const port = name(`ul-${external.name}`);
      const member = { host: `external/${external.name}`, device: 'eth0', port, mac, addresses: external.addresses };
      ofExternal.set(external.name, attach(link, member));
    } else {
      const port = name(`ext-${external.name}`);
      const host: RoutedExternal = { external, port, mac, routerMac: fixedMac(MAC_PREFIX.externalRouter, address) };
      ofExternal.set(external.name, host);
      routed.push(host);
    }
  }
  const holding = (node: string, address: IpAddress): Attachment | undefined => {
    const all = byNode.get(node) ?? [];
    return all.find(({ addresses }) => addresses.includes(address)) ?? all[0];
  };
  const balancers = cableBalancers(cluster, {
    name,
    linkOf: ({ node, address }) => holding(node.name, address)?.link,
    attach(link, member) {
      const growing = links.find((one) => one.link === link);
      invariant(growing !== undefined, 'a link of this cluster');
      return attach(growing, member);
    },
  });
  return {
    links: links.map(({ link }) => link),
    ofNode: (node, device) => ofNode.get(`${node} ${device}`),
    holding,
    ofExternal: (external) => ofExternal.get(external),
    routed,
    balancers,
    problems,
  };
}

/** The range of a link that is of an address's family and holds it. */
export function rangeHolding(link: Link, address: IpAddress): UnderlayRange | undefined {
  return link.ranges.find(({ cidr }) => cidrContains(cidr, address));
}

/** A link while hosts are still being attached to it. */
interface GrowingLink {
  readonly link: Link;
  readonly members: Attachment[];
}

function makeLinks(cluster: Cluster): GrowingLink[] {
  const { nodeCidr, router, second, subnets } = cluster.underlay;
  const all = [{ name: null, cidr: nodeCidr, router, second }, ...subnets];
  return all.map(({ name, second: other, ...first }, index): GrowingLink => {
    const ranges = [{ cidr: first.cidr, router: first.router }, ...(other ? [other] : [])];
    const members: Attachment[] = [];
    const routerMac = fixedMac(MAC_PREFIX.router, first.router);
    const macs = once(() => {
      const byAddress = new Map<IpAddress, Mac>(ranges.map((range) => [range.router, routerMac]));
      for (const { addresses, mac } of members) {
        for (const address of addresses) if (!byAddress.has(address)) byAddress.set(address, mac);
      }
      return byAddress;
    });
    const macOf = (address: IpAddress): Mac | undefined => macs().get(address);
    return { link: { name, bridge: `br${index}`, ranges, routerMac, members, macOf }, members };
  });
}

/** The switch of an interface: that of the named subnet, else the one whose range holds the address. */
function linkFor(links: readonly GrowingLink[], address: IpAddress, subnet: string | null): GrowingLink | undefined {
  return links.find(({ link }) => (subnet === null ? rangeHolding(link, address) !== undefined : link.name === subnet));
}

function offLinkMessage(node: Node, address: IpAddress, { underlay }: Cluster): string {
  const { cidr } = [underlay.second].find((range) => range && familyOf(range.cidr.address) === familyOf(address)) ?? {
    cidr: underlay.nodeCidr,
  };
  return `node ${node.name}: ${formatIp(address)} is neither in underlay.nodeCIDR ${formatCidr(cidr)} nor in a subnet`;
}
