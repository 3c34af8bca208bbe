import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { Origin } from '../../trace/origin.ts';

/** An entry of `bridge fdb`: of a vxlan device (`remote`) or of a bridge (`device` is its port). */
export interface FdbEntry {
  readonly device: string;
  readonly mac: Mac;
  /** Remote VTEP; null for a bridge port. */
  readonly remote: IpAddress | null;
  readonly origin?: Origin;
}
