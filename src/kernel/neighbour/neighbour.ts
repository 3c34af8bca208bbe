import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { Origin } from '../../trace/origin.ts';

/** An entry of `ip neigh`. `mac` null: an entry in state FAILED or INCOMPLETE. */
export interface NeighbourEntry {
  readonly device: string;
  readonly address: IpAddress;
  readonly mac: Mac | null;
  readonly state: 'permanent' | 'reachable' | 'noarp' | 'failed';
  readonly origin?: Origin;
}
