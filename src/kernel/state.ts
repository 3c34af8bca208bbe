import type { IpAddress } from '../net/ip.ts';
import type { Mac } from '../net/mac.ts';
import type { Packet } from '../net/packet.ts';
import { LearntMacs } from './device/learnt-macs.ts';
import type { HostName } from './host.ts';
import type { IpSet } from './ipset/ipset.ts';
import { IpvsConnectionTable } from './ipvs/connection-table.ts';
import { ConntrackTable } from './netfilter/conntrack/table.ts';
import type { IpvsConnection } from './ipvs/connection-table.ts';

/** Parts of a namespace's state as they are; undefined: empty. */
interface Parts {
  readonly conntrack: ConntrackTable | undefined;
  readonly ipvs: IpvsConnectionTable | undefined;
  readonly modules: ReadonlyMap<string, unknown> | undefined;
  readonly ipsets: ReadonlyMap<string, IpSet> | undefined;
  readonly neighbours: ReadonlyMap<string, Mac> | undefined;
  readonly macs: LearntMacs | undefined;
  readonly fragments: ReadonlyMap<string, readonly Packet[]> | undefined;
}

/** What packets leave behind in one namespace. A copy shares every part with its original until it is about to be changed. */
export class HostState {
  readonly #from: Parts | undefined;
  #conntrack: ConntrackTable | undefined;
  #ipvs: IpvsConnectionTable | undefined;
  #modules: Map<string, unknown> | undefined;
  #ipsets: Map<string, IpSet> | undefined;
  #neighbours: Map<string, Mac> | undefined;
  #macs: LearntMacs | undefined;
  #fragments: Map<string, readonly Packet[]> | undefined;

  /** A copy of `from`, which must not be changed any more. */
  constructor(from?: HostState) {
    this.#from = from === undefined ? undefined : from.#parts();
  }

  get conntrack(): ConntrackTable {
    this.#conntrack ??= this.#from?.conntrack?.fork() ?? new ConntrackTable();
    return this.#conntrack;
  }

  /** Connections that IPVS knows. */
  get ipvs(): IpvsConnectionTable {
    this.#ipvs ??= this.#from?.ipvs?.copy() ?? new IpvsConnectionTable();
    return this.#ipvs;
  }

  /** State that netfilter modules keep between packets (recent lists, counters), plain data by a key of the module's own. */
  get modules(): Map<string, unknown> {
    this.#modules ??= structuredClone(new Map(this.#from?.modules));
    return this.#modules;
  }

  /** Fragments that wait for the rest of their datagram, by source, destination, protocol and id. */
  get fragments(): Map<string, readonly Packet[]> {
    this.#fragments ??= new Map(this.#from?.fragments);
    return this.#fragments;
  }

  /** A set as the SET target has changed it. */
  changedSet(name: string): IpSet | undefined {
    return (this.#ipsets ?? this.#from?.ipsets)?.get(name);
  }

  changeSet(set: IpSet): void {
    this.#ipsets ??= new Map(this.#from?.ipsets);
    this.#ipsets.set(set.name, set);
  }

  /** A neighbour learnt by ARP. */
  neighbour(device: string, address: IpAddress): Mac | undefined {
    return (this.#neighbours ?? this.#from?.neighbours)?.get(`${device} ${address}`);
  }

  learn(device: string, address: IpAddress, mac: Mac): void {
    this.#ownNeighbours().set(`${device} ${address}`, mac);
  }

  /** What is known of an address by any device is known no more. */
  unlearn(addresses: readonly IpAddress[]): void {
    const ends = addresses.map((address) => ` ${address}`);
    const neighbours = this.#ownNeighbours();
    for (const key of neighbours.keys()) if (ends.some((end) => key.endsWith(end))) neighbours.delete(key);
  }

  /** The port of a bridge behind which it has learnt that a MAC is. */
  portOf(bridge: string, mac: Mac): string | undefined {
    return (this.#macs ?? this.#from?.macs)?.port(bridge, mac);
  }

  /** The VTEP behind which a vxlan device has learnt that a MAC is. */
  remoteOf(device: string, mac: Mac): IpAddress | undefined {
    return (this.#macs ?? this.#from?.macs)?.remote(device, mac);
  }

  /** What bridges and tunnels have learnt, to be added to. */
  get macs(): LearntMacs {
    this.#macs ??= new LearntMacs(this.#from?.macs);
    return this.#macs;
  }

  /** An IPVS connection whose time is over takes its conntrack entry along (ip_vs_conn_expire, ip_vs_conn_drop_conntrack). */
  expire(now: number): void {
    if (!this.#ipvs && !this.#from?.ipvs) return;
    for (const connection of this.ipvs.expire(now)) if (connection.conntrack) this.dropConntrack(connection, now);
  }

  /** ip_vs_conn_drop_conntrack */
  dropConntrack({ protocol, client, virtual }: IpvsConnection, now: number): void {
    const tuple = { protocol, src: client.address, sport: client.port, dst: virtual.address, dport: virtual.port };
    const found = this.conntrack.find(tuple, now);
    if (found) this.conntrack.delete(found.entry);
  }

  #ownNeighbours(): Map<string, Mac> {
    this.#neighbours ??= new Map(this.#from?.neighbours);
    return this.#neighbours;
  }

  #parts(): Parts {
    const from = this.#from;
    return {
      conntrack: this.#conntrack ?? from?.conntrack,
      ipvs: this.#ipvs ?? from?.ipvs,
      modules: this.#modules ?? from?.modules,
      ipsets: this.#ipsets ?? from?.ipsets,
      neighbours: this.#neighbours ?? from?.neighbours,
      macs: this.#macs ?? from?.macs,
      fragments: this.#fragments ?? from?.fragments,
    };
  }
}

/**
 * What packets leave behind in every namespace: conntrack entries, learnt neighbours, counters, recent lists, sets changed by rules,
 * and the simulated clock. Forked for each branch of a walk; a fork copies what it changes.
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
      state = new HostState(this.#parent ? this.#parent.#nearest(name) : undefined);
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
    for (const other of this.known()) this.host(other).unlearn(addresses);
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
    for (const name of this.known()) copy.#hosts.set(name, new HostState(this.#nearest(name)));
    return copy;
  }

  /** The part of one host as it stands here, its own or that of the nearest state it was forked from. */
  #nearest(name: HostName): HostState | undefined {
    for (let at: KernelState | null = this; at; at = at.#parent) {
      const state = at.#hosts.get(name);
      if (state) return state;
    }
    return undefined;
  }
}
