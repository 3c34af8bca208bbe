import type { IpAddress } from '../../../net/ip.ts';

/** struct nf_nat_range2: what a NAT target allows. Null bounds leave that part to the packet. */
export interface NatRange {
  readonly minAddress: IpAddress | null;
  readonly maxAddress: IpAddress | null;
  readonly minPort: number | null;
  readonly maxPort: number | null;
  /** NF_NAT_RANGE_PROTO_RANDOM */
  readonly random: boolean;
  /** NF_NAT_RANGE_PROTO_RANDOM_FULLY */
  readonly randomFully: boolean;
  readonly persistent: boolean;
}
