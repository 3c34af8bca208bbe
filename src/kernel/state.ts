import type { IpAddress } from '../net/ip.ts';
import type { Mac } from '../net/mac.ts';
import type { Packet } from '../net/packet.ts';
import type { HostName } from './host.ts';
import type { IpSet } from './ipset/ipset.ts';
import { IpvsConnectionTable } from './ipvs/connection-table.ts';
import { ConntrackTable } from './netfilter/conntrack/table.ts';
import type { IpvsConnection } from './ipvs/connection-table.ts';

/** What packets leave behind in one namespace. */
export class HostState {
  readonly conntrack: ConntrackTable;
  /** Connections that IPVS knows. */
  readonly ipvs: IpvsConnectionTable;
  /** State that netfilter modules keep between packets (recent lists, counters), plain data by a key of the module's own. */
  readonly modules: Map<string, unknown>;
  /** Sets as the SET target changed them. */
  readonly ipsets: Map<string, IpSet>;
  /** Neighbours learnt by ARP, by "device address". */
  readonly neighbours: Map<string, Mac>;
  /** Fragments that wait for the rest of their datagram, by source, destination, protocol and id. */
  readonly fragments: Map<string, readonly Packet[]>;

  constructor(from?: HostState) {
    this.conntrack = from?.conntrack.copy() ?? new ConntrackTable();
    this.ipvs = from?.ipvs.copy() ?? new IpvsConnectionTable();
    this.modules = from ? structuredClone(from.modules) : new Map();
    this.ipsets = new Map(from?.ipsets);
    this.neighbours = new Map(from?.neighbours);
    this.fragments = new Map(from?.fragments);
  }

  /** An IPVS connection whose time is over takes its conntrack entry along (ip_vs_conn_expire, ip_vs_conn_drop_conntrack). */
  expire(now: number): void {
    for (const connection of this.ipvs.expire(now)) if (connection.conntrack) this.dropConntrack(connection, now);
  }

  /** ip_vs_conn_drop_conntrack */
  dropConntrack({ protocol, client, virtual }: IpvsConnection, now: number): void {
    const tuple = { protocol, src: client.address, sport: client.port, dst: virtual.address, dport: virtual.port };
    const found = this.conntrack.find(tuple, now);
    if (found) this.conntrack.delete(found.entry);
  }

  neighbour(device: string, address: IpAddress): Mac | undefined {
    return this.neighbours.get(`${device} ${address}`);
  }

  learn(device: string, address: IpAddress, mac: Mac): void {
    this.neighbours.set(`${device} ${address}`, mac);
  }
}

/**
 * What packets leave behind in every namespace: conntrack entries, learnt neighbours, counters, recent lists, sets changed by rules,
 * and the simulated clock. Forked for each branch of a walk; a fork copies a host's part when it is first touched.
 */
export class KernelState {
  /** Milliseconds since the simulation began. */
  now = 0;
  readonly #hosts = new Map<HostName, HostState>();
  #parent: KernelState | null = null;

  /** The part of one host, to be changed at will. */
  host(name: HostName): HostState {
    let state = this.#hosts.get(name);
    if (!state) {
      state = new HostState(this.#inherited(name));
      this.#hosts.set(name, state);
    }
    return state;
  }

  /** Hosts of which there is anything to tell. */
  known(): ReadonlySet<HostName> {
    const names = new Set(this.#hosts.keys());
    for (let at = this.#parent; at; at = at.#parent) for (const name of at.#hosts.keys()) names.add(name);
    return names;
  }

  /** A namespace is gone: all that is kept of it goes too, and what others had learnt of its addresses. */
  forget(name: HostName, addresses: readonly IpAddress[]): void {
    this.#hosts.set(name, new HostState());
    const ends = addresses.map((address) => ` ${address}`);
    for (const other of this.known()) {
      const { neighbours } = this.host(other);
      for (const key of neighbours.keys()) if (ends.some((end) => key.endsWith(end))) neighbours.delete(key);
    }
  }

  /** Time goes by, and timers run off in it. */
  pass(milliseconds: number): void {
    this.now += milliseconds;
    for (const name of this.known()) this.host(name).expire(this.now);
  }

  /** An independent copy. The original must not be changed while copies of it are in use. */
  fork(): KernelState {
    const copy = new KernelState();
    copy.now = this.now;
    copy.#parent = this;
    return copy;
  }

  /** The same state without the states it was forked from, which are let go: they must not be used any more. */
  settled(): KernelState {
    const copy = new KernelState();
    copy.now = this.now;
    for (const name of this.known()) copy.#hosts.set(name, this.host(name));
    return copy;
  }

  #inherited(name: HostName): HostState | undefined {
    for (let at = this.#parent; at; at = at.#parent) {
      const state = at.#hosts.get(name);
      if (state) return state;
    }
    return undefined;
  }
}
