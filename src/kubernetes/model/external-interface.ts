import { familyOf, parseIp } from '../../net/ip.ts';
import { interfacesOf } from './node-interfaces.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { Node } from './cluster.ts';

/** What an interface is chosen by. */
interface Candidate {
  readonly device: string;
  /** First the primary one. */
  readonly addresses: readonly IpAddress[];
}

/** The interface that a daemon uses for one IP family, and its address there: what a tunnel's packets come from. */
export interface ExternalInterface<T extends Candidate> {
  readonly uplink: T;
  readonly address: IpAddress;
}

/**
 * The interface of a node that flanneld takes: the first that `wanted` (--iface) names by its name or by an address, else that of the
 * default route (LookupExtIface). null: none of those wanted is there, or none has an address of the family; flanneld does not start.
 */
export function externalInterface<T extends Candidate>(
  uplinks: readonly T[],
  wanted: readonly string[],
  family: IpFamily,
): ExternalInterface<T> | null {
  if (wanted.length === 0) return firstOf(uplinks, family);
  for (const name of wanted) {
    const address = parseIp(name);
    const found =
      address === null
        ? firstOf(
            uplinks.filter(({ device }) => device === name),
            family,
          )
        : holding(uplinks, address, family);
    if (found !== null) return found;
  }
  return null;
}

/** The interface that has an address; for the other family its first address. */
export function holding<T extends Candidate>(
  uplinks: readonly T[],
  address: IpAddress,
  family: IpFamily,
): ExternalInterface<T> | null {
  const uplink = uplinks.find(({ addresses }) => addresses.includes(address));
  if (uplink === undefined) return null;
  return familyOf(address) === family ? { uplink, address } : firstOf([uplink], family);
}

function firstOf<T extends Candidate>(uplinks: readonly T[], family: IpFamily): ExternalInterface<T> | null {
  for (const uplink of uplinks) {
    const address = uplink.addresses.find((own) => familyOf(own) === family);
    if (address !== undefined) return { uplink, address };
  }
  return null;
}

/** A node's interfaces with nothing but what one is chosen by. */
export function candidatesOf(node: Node): readonly Candidate[] {
  return interfacesOf(node).map(({ device, addresses }) => ({ device, addresses: addresses.map(({ address }) => address) }));
}
