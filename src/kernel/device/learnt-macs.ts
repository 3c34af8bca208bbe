import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';

/** What the devices of one namespace have learnt of MACs since the simulation began. */
export class LearntMacs {
  readonly #ports: Map<string, string>;
  readonly #remotes: Map<string, IpAddress>;

  /** An independent copy of `from`. */
  constructor(from?: LearntMacs) {
    this.#ports = new Map(from ? from.#ports : []);
    this.#remotes = new Map(from ? from.#remotes : []);
  }

  /** The port of a bridge behind which a MAC was seen. */
  port(bridge: string, mac: Mac): string | undefined {
    return this.#ports.get(`${bridge} ${mac}`);
  }

  /** br_fdb_update */
  learnPort(bridge: string, mac: Mac, port: string): void {
    this.#ports.set(`${bridge} ${mac}`, port);
  }

  /** The VTEP behind which a vxlan device has seen a MAC. */
  remote(device: string, mac: Mac): IpAddress | undefined {
    return this.#remotes.get(`${device} ${mac}`);
  }

  /** vxlan_snoop */
  learnRemote(device: string, mac: Mac, remote: IpAddress): void {
    this.#remotes.set(`${device} ${mac}`, remote);
  }
}
