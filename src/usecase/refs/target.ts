import { familyOf } from '../../net/ip.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { TransportProtocol } from '../../net/protocol.ts';
import type { Pod } from '../../kubernetes/model/cluster.ts';

/** Where a connection goes. */
export interface Destination {
  /** "svc/default/web:80", "pod/default/web-1:8080", "10.96.0.20:80". */
  readonly label: string;
  readonly address: IpAddress;
  /** 0 for icmp. */
  readonly port: number;
  readonly protocol: TransportProtocol | 'icmp';
  /** The pod that the reference names. */
  readonly pod: Pod | null;
  readonly assumptions: readonly string[];
}

export interface DestinationOptions {
  readonly namespace: string;
  /** null: what the port says, else tcp. */
  readonly protocol: TransportProtocol | 'icmp' | null;
  /** Address families the source has, best first; the destination's address is taken from the first it shares. */
  readonly families: readonly IpFamily[];
  /** The source is outside the cluster: services of type LoadBalancer are reached by their public address. */
  readonly fromOutside?: boolean;
}

/** The first address of a family that the source has too, else the first of all. */
export function pickAddress(addresses: readonly IpAddress[], families: readonly IpFamily[]): IpAddress | null {
  for (const family of families) {
    const match = addresses.find((address) => familyOf(address) === family);
    if (match !== undefined) return match;
  }
  return addresses[0] ?? null;
}
