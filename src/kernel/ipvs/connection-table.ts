import { samePlace } from './virtual-server.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { TransportProtocol } from '../../net/protocol.ts';
import type { IpvsTcpState } from './tcp-state.ts';
import type { RealServer, VirtualServer } from './virtual-server.ts';

/** One end of a connection. */
export interface IpvsEnd {
  readonly address: IpAddress;
  readonly port: number;
}

/** A client's connection to a virtual server and the real server it was given to (struct ip_vs_conn). */
export interface IpvsConnection {
  readonly protocol: TransportProtocol;
  readonly client: IpvsEnd;
  readonly virtual: IpvsEnd;
  readonly real: IpvsEnd;
  /** As it was when the connection was scheduled: its origin is told in events. */
  readonly server: VirtualServer;
  /** Persistence decided (cp->control): the client's other connections go there too. */
  readonly persistent: boolean;
  /** IP_VS_CONN_F_NFCT: conntrack follows the connection. */
  readonly conntrack: boolean;
  state: IpvsTcpState;
  /** Clock time at which it expires. */
  expires: number;
}

/** What a persistent virtual server remembers of a client (a connection template). */
export interface IpvsTemplate {
  readonly real: IpvsEnd;
  expires: number;
}

function endKey({ address, port }: IpvsEnd): string {
  return `${address}:${port}`;
}

function pairKey(protocol: string, from: IpvsEnd, to: IpvsEnd): string {
  return `${protocol} ${endKey(from)} ${endKey(to)}`;
}

/** The connections that IPVS knows in one namespace (ip_vs_conn.c), found by packets either way. */
export class IpvsConnectionTable {
  /** By client and virtual server. */
  readonly #inward = new Map<string, IpvsConnection>();
  /** By real server and client; of two alike the newer one is found. */
  readonly #outward = new Map<string, IpvsConnection>();
  readonly #templates = new Map<string, IpvsTemplate>();
  /** Real servers that are on their way out. */
  readonly #quiescent = new Set<string>();

  /** The connection of a packet from `client` to `virtual` (ip_vs_conn_in_get). */
  findInward(protocol: string, client: IpvsEnd, virtual: IpvsEnd, now: number): IpvsConnection | null {
    return this.#live(this.#inward.get(pairKey(protocol, client, virtual)), now);
  }

  /** The connection of a packet from `real` to `client` (ip_vs_conn_out_get). */
  findOutward(protocol: string, real: IpvsEnd, client: IpvsEnd, now: number): IpvsConnection | null {
    return this.#live(this.#outward.get(pairKey(protocol, real, client)), now);
  }

  add(connection: IpvsConnection): void {
    const { protocol, client, virtual, real } = connection;
    this.#inward.set(pairKey(protocol, client, virtual), connection);
    this.#outward.set(pairKey(protocol, real, client), connection);
  }

  /** ip_vs_conn_expire_now */
  delete(connection: IpvsConnection): void {
    const { protocol, client, virtual, real } = connection;
    const [inward, outward] = [pairKey(protocol, client, virtual), pairKey(protocol, real, client)];
    if (this.#inward.get(inward) === connection) this.#inward.delete(inward);
    if (this.#outward.get(outward) === connection) this.#outward.delete(outward);
  }

  /** Takes out the connections whose time is over. */
  expire(now: number): readonly IpvsConnection[] {
    const gone = this.connections().filter(({ expires }) => expires <= now);
    for (const connection of gone) this.delete(connection);
    return gone;
  }

  /** What is remembered of a client; a template lives on while a connection made by it does (ip_vs_conn_expire, n_control). */
  template({ protocol, address, port }: VirtualServer, client: IpAddress, now: number): IpvsTemplate | null {
    const virtual = { address, port };
    const template = this.#templates.get(templateKey(protocol, client, virtual));
    if (!template) return null;
    const controls = ({ persistent, protocol: p, client: c, virtual: v, real, expires }: IpvsConnection): boolean =>
      persistent &&
      expires > now &&
      p === protocol &&
      c.address === client &&
      samePlace(v, virtual) &&
      samePlace(real, template.real);
    return template.expires > now || this.connections().some(controls) ? template : null;
  }

  remember({ protocol, address, port }: VirtualServer, client: IpAddress, template: IpvsTemplate): void {
    this.#templates.set(templateKey(protocol, client, { address, port }), template);
  }

  connections(): readonly IpvsConnection[] {
    return [...this.#inward.values()];
  }

  /** A real server's connections of one virtual server: established ones and others (dest->activeconns, inactconns). */
  load(server: VirtualServer, real: RealServer, now: number): { readonly active: number; readonly inactive: number } {
    const all = this.connections().filter(
      ({ protocol, virtual, real: to, expires }) =>
        expires > now && protocol === server.protocol && samePlace(virtual, server) && samePlace(to, real),
    );
    const active = all.filter(({ state }) => state === 'ESTABLISHED').length;
    return { active, inactive: all.length - active };
  }

  /**
   * A real server that is not configured any more keeps its connections and gets no new ones: whoever took it out gave it weight 0 and
   * waits for them to end.
   */
  quiesce(server: VirtualServer, real: IpvsEnd): void {
    this.#quiescent.add(pairKey(server.protocol, server, real));
  }

  isQuiescent(server: VirtualServer, real: IpvsEnd): boolean {
    return this.#quiescent.has(pairKey(server.protocol, server, real));
  }

  /** An independent copy. */
  copy(): IpvsConnectionTable {
    const table = new IpvsConnectionTable();
    for (const connection of this.#inward.values()) table.add({ ...connection });
    for (const [key, template] of this.#templates) table.#templates.set(key, { ...template });
    for (const key of this.#quiescent) table.#quiescent.add(key);
    return table;
  }

  #live(connection: IpvsConnection | undefined, now: number): IpvsConnection | null {
    if (!connection) return null;
    if (connection.expires > now) return connection;
    this.delete(connection);
    return null;
  }
}

function templateKey(protocol: string, client: IpAddress, virtual: IpvsEnd): string {
  return `${protocol} ${client} ${endKey(virtual)}`;
}
