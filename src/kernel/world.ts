import type { IpAddress } from '../net/ip.ts';
import type { Host, HostName } from './host.ts';

/** All namespaces. Hosts are made when a packet first gets there. */
export interface World {
  /** undefined: there is no such host. */
  host(name: HostName): Host | undefined;
  hostNames(): Iterable<HostName>;
  /**
   * Hosts that might hold an address on some device, so that ARP for it need not wake every host of a large cluster. It may
   * name too many, never too few.
   */
  holders(address: IpAddress): Iterable<HostName>;
  /** True: nobody knows any neighbour yet and bridges have learnt nothing. */
  readonly coldNeighbours: boolean;
}
