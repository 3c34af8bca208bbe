import { invariant } from '../../support/invariant.ts';
import { MAC_PREFIX, fixedMac } from '../stable-mac.ts';
import { balancersOf, backendsOf } from './balancers.ts';
import type { Mac } from '../../net/mac.ts';
import type { Cluster } from '../model/cluster.ts';
import type { Attachment, Link } from '../underlay/links.ts';
import type { Backend, Balancer } from './balancers.ts';

/** A balancer with its cable to the router, and in mode direct with a leg on each switch that has nodes. */
export interface CabledBalancer {
  readonly balancer: Balancer;
  /** The router's device. */
  readonly port: string;
  readonly mac: Mac;
  readonly routerMac: Mac;
  readonly legs: readonly Attachment[];
}

/** How the underlay attaches what it is given. */
export interface Switchboard {
  /** A device name on the underlay that is free. */
  readonly name: (wanted: string) => string;
  /** The switch that a node's address is on. */
  readonly linkOf: (backend: Backend) => Link | undefined;
  readonly attach: (link: Link, member: Omit<Attachment, 'link'>) => Attachment;
}

/** Plugs the cloud's balancers in. */
export function cableBalancers(cluster: Cluster, { name, linkOf, attach }: Switchboard): readonly CabledBalancer[] {
  return balancersOf(cluster).map((balancer): CabledBalancer => {
    const { service, host, ownAddresses } = balancer;
    const [own] = ownAddresses;
    invariant(own !== undefined, 'a balancer has an address of its own');
    const port = name(`lb-${service.name}`);
    const links = cluster.loadBalancer?.mode === 'direct' ? linksOfNodes(cluster, linkOf) : [];
    const legs = links.map((link, i) => {
      const mac = fixedMac(MAC_PREFIX.balancerLeg, own);
      return attach(link, { host, device: `eth${i + 1}`, port: name(`${port}-${i + 1}`), mac, addresses: [] });
    });
    return {
      balancer,
      port,
      mac: fixedMac(MAC_PREFIX.balancer, own),
      routerMac: fixedMac(MAC_PREFIX.balancerRouter, own),
      legs,
    };
  });
}

function linksOfNodes(cluster: Cluster, linkOf: Switchboard['linkOf']): readonly Link[] {
  const links = ([4, 6] as const).flatMap((family) => backendsOf(cluster, family).flatMap((backend) => linkOf(backend) ?? []));
  return [...new Set(links)];
}
