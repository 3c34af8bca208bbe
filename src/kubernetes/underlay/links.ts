import { familyOf, formatIp } from '../../net/ip.ts';
import { cidrContains, formatCidr } from '../../net/cidr.ts';
import { MAC_PREFIX, fixedMac } from '../stable-mac.ts';
import { once } from '../../support/once.ts';
import { portNames } from '../port-names.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { HostName } from '../../kernel/host.ts';
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
  ofExternal(name: string): Attachment | RoutedExternal | undefined;
  readonly routed: readonly RoutedExternal[];
  readonly problems: readonly { readonly message: string; readonly position: SourcePosition | null }[];
}

export function linksOf(cluster: Cluster): Links {
  const links = makeLinks(cluster);
  const name = portNames();
  const ofNode = new Map<string, Attachment>();
  const ofExternal = new Map<string, Attachment | RoutedExternal>();
  const problems: { message: string; position: SourcePosition | null }[] = [];
  const attach = ({ link, members }: GrowingLink, member: Omit<Attachment, 'link'>): Attachment => {
    const attachment = { ...member, link };
    members.push(attachment);
    return attachment;
  };
  for (const node of cluster.nodes) {
    for (const { device, addresses, subnet } of interfacesOf(node)) {
      const [address] = addresses;
      const link = linkFor(links, address, subnet);
      const port = name(device === 'eth0' ? `ul-${node.name}` : `ul-${node.name}-${device}`);
      const mac = fixedMac(MAC_PREFIX.node, address);
      if (link) ofNode.set(`${node.name} ${device}`, attach(link, { host: `node/${node.name}`, device, port, mac, addresses }));
      else if (device === 'eth0') problems.push({ message: offLinkMessage(node, address, cluster), position: node.position });
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
  return {
    links: links.map(({ link }) => link),
    ofNode: (node, device) => ofNode.get(`${node} ${device}`),
    ofExternal: (external) => ofExternal.get(external),
    routed,
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

/** The interfaces of a node with their addresses, the primary one first. */
interface Interface {
  readonly device: string;
  readonly addresses: readonly [IpAddress, ...IpAddress[]];
  readonly subnet: string | null;
}

function interfacesOf(node: Node): Interface[] {
  const [primary, ...others] = node.addresses;
  const further = node.interfaces.map(({ name, address, subnet }): Interface => ({ device: name, addresses: [address], subnet }));
  if (primary === undefined) return further;
  const extra = node.extraAddresses.map(({ address }) => address);
  return [{ device: 'eth0', addresses: [primary, ...others, ...extra], subnet: null }, ...further];
}

function offLinkMessage(node: Node, address: IpAddress, { underlay }: Cluster): string {
  const { cidr } = [underlay.second].find((range) => range && familyOf(range.cidr.address) === familyOf(address)) ?? {
    cidr: underlay.nodeCidr,
  };
  return `node ${node.name}: ${formatIp(address)} is neither in underlay.nodeCIDR ${formatCidr(cidr)} nor in a subnet`;
}
