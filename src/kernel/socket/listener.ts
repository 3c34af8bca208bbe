import type { IpAddress } from '../../net/ip.ts';
import type { TransportProtocol } from '../../net/protocol.ts';
import type { Origin } from '../../trace/origin.ts';

/** A listening socket (`ss -ln`). */
export interface Listener {
  readonly protocol: TransportProtocol;
  /** null: the wildcard address (0.0.0.0 and ::). */
  readonly address: IpAddress | null;
  readonly port: number;
  /** Whose process it is, as `server` names it: "pod/default/web-1", "external/laptop", "node/node-1". */
  readonly owner: string;
  /** The name of the process (`ss -lp`), where its owner has several. */
  readonly process?: string;
  readonly origin?: Origin;
}
