import { hasReversePath } from '../routing/input.ts';
import { addressTypeOn } from '../routing/address-type.ts';
import { changeSet } from '../ipset/change.ts';
import { findSocket } from '../socket/lookup.ts';
import { viewOf } from './conntrack/entry.ts';
import { endsOf } from './ipvs/packet.ts';
import { runNatTarget } from './nat/targets.ts';
import { ipHeaderLength } from '../../net/ip.ts';
import { lookup, outputFlow } from '../routing/lookup.ts';
import { mtuOf } from '../routing/mtu.ts';
import type { HookName } from '../../trace/event.ts';
import type { Host } from '../host.ts';
import type { Skb } from '../walk/skb.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Packet } from '../../net/packet.ts';
import type { IpvsConnection } from '../ipvs/connection-table.ts';
import type { HostState } from '../state.ts';
import type { AddressType, NatAction, PolicyRecord, RuleRecord, TraverseContext } from './iptables/context.ts';
import type { Rule, TableName } from './iptables/table.ts';
import type { TargetAction } from './iptables/target/target.ts';
import type { HookCall } from './hook.ts';
import type { ConntrackView } from './conntrack/view.ts';
import type { IpSet } from '../ipset/ipset.ts';

/** Bytes of a TCP header without options. */
const TCP_HEADER = 20;
const MAX_MTU = 65535;

/** What a table's rules see of a packet at a hook, and how they change it. `legacy`: a table of iptables-legacy. */
export function packetContext(call: HookCall, table: TableName, legacy: boolean): TraverseContext {
  return new PacketContext(call, table, legacy);
}

class PacketContext implements TraverseContext {
  readonly host: Host;
  readonly hook: HookName;
  readonly table: TableName;
  readonly inDevice: string | null;
  readonly outDevice: string | null;
  readonly record: ((event: RuleRecord | PolicyRecord) => void) | null;
  ruleKey = '';
  readonly #call: HookCall;
  readonly #skb: Skb;
  readonly #legacy: boolean;

  constructor(call: HookCall, table: TableName, legacy: boolean) {
    this.host = call.host;
    this.hook = call.hook;
    this.table = table;
    this.inDevice = call.inDevice;
    this.outDevice = call.outDevice;
    this.record = call.walk.recording ? (event) => this.#emit(event) : null;
    this.#call = call;
    this.#skb = call.skb;
    this.#legacy = legacy;
  }

  get packet(): Packet {
    return this.#skb.packet;
  }
  set packet(packet: Packet) {
    this.#skb.packet = packet;
  }
  get mark(): number {
    return this.#skb.mark;
  }
  set mark(mark: number) {
    this.#skb.mark = mark >>> 0;
  }
  get physIn(): string | null {
    return this.#call.skb.bridge?.physIn ?? null;
  }
  get physOut(): string | null {
    return this.#call.skb.bridge?.physOut ?? null;
  }
  get bridged(): boolean {
    return this.physOut !== null;
  }
  get srcMac(): string | null {
    return this.#call.skb.srcMac;
  }
  get packetType(): 'unicast' | 'broadcast' | 'multicast' {
    const type = this.#call.skb.packetType;
    return type === 'broadcast' || type === 'multicast' ? type : 'unicast';
  }
  get conntrack(): ConntrackView {
    const { skb, walk } = this.#call;
    return viewOf(skb.conntrack, skb.untracked, walk.state.now);
  }
  get socket(): { readonly uid: number; readonly gid: number } | null {
    return this.#call.skb.sentBySocket ? { uid: 0, gid: 0 } : null;
  }
  get ipvsProperty(): boolean {
    return this.#call.skb.ipvs;
  }
  get ipvsConnection(): IpvsConnection | null {
    const ends = endsOf(this.packet);
    // As ipvs_mt looks it up: the real server is the destination.
    return ends && this.#state.ipvs.findOutward(this.packet.l4.protocol, ends.destination, ends.source, this.now);
  }
  get now(): number {
    return this.#call.walk.state.now;
  }

  moduleState<T>(key: string, make: () => T): T {
    const { modules } = this.#state;
    if (!modules.has(key)) modules.set(key, make());
    return modules.get(key) as T;
  }

  draw(probability: number, what: string): boolean {
    if (probability >= 1) return true;
    if (probability <= 0) return false;
    return this.#call.walk.choices.pick(what, [probability, 1 - probability]) === 0;
  }

  pick(weights: readonly number[], what: string, leadsTo: (alternative: number) => IpAddress | null): number {
    return this.#call.walk.choices.pick(what, weights, leadsTo);
  }

  ipset(name: string): IpSet | undefined {
    return this.#state.changedSet(name) ?? this.host.netfilter.ipsets.get(name);
  }

  addressType(address: IpAddress, device: string | null): AddressType {
    return addressTypeOn(this.host.routing, address, device);
  }

  reversePath(loose: boolean, acceptLocal: boolean, validMark: boolean): boolean {
    const device = this.inDevice;
    return (
      device === null ||
      this.host.devices.get(device)?.kind === 'loopback' ||
      hasReversePath(this.host, this.packet, device, validMark ? this.mark : 0, loose, acceptLocal)
    );
  }

  socketExists(): boolean {
    return findSocket(this.#call.walk, this.host, this.packet) !== null;
  }

  setConnectionMark(mark: number): void {
    const entry = this.#call.skb.conntrack?.entry;
    if (entry) entry.mark = mark >>> 0;
  }

  notrack(): void {
    if (!this.#call.skb.conntrack) this.#call.skb.untracked = true;
  }

  pathMss(): number {
    const { skb } = this.#call;
    const back = lookup(this.host.routing, { ...outputFlow(skb.packet, null, 0), dst: skb.packet.src });
    const there = skb.route && skb.route.kind !== 'error' ? mtuOf(this.host, skb.route) : MAX_MTU;
    const mtuBack = back.ok
      ? (back.route.mtu ?? this.host.devices.get(back.route.nexthops[0]?.dev ?? '')?.mtu ?? MAX_MTU)
      : MAX_MTU;
    return Math.min(there, mtuBack) - ipHeaderLength(skb.packet.dst) - TCP_HEADER;
  }

  nat(action: NatAction): 'accept' | 'drop' {
    return runNatTarget(this.#call, action);
  }

  changeSet(action: Extract<TargetAction, { kind: 'set-add' | 'set-del' }>): void {
    const set = this.ipset(action.set);
    if (set) this.#state.changeSet(changeSet(set, this, action));
  }

  passed(rules: number): void {
    this.#call.walk.countRules(rules);
  }

  looked(rules: number, matched: number): boolean {
    return this.#call.walk.looked(rules, matched);
  }

  unknownRule(rule: Rule, chain: string, number: number): void {
    const { walk, skb, host, hook } = this.#call;
    const text = `-A ${chain} ${rule.body}`;
    walk.noteUnknownRule(host, {
      body: `rule ${number} of ${this.table} ${chain}, ${text}`,
      ...(rule.source && { source: rule.source }),
    });
    const at = { hook, table: this.table, chain, rule: number, ...(this.#legacy && { legacy: true as const }) };
    walk.emit(skb, host, { kind: 'rule', ...at, text, verdict: 'continue', passedOver: 0, unknown: 'taken not to match' });
  }

  get #state(): HostState {
    return this.#call.walk.state.host(this.host.name);
  }

  #emit(record: RuleRecord | PolicyRecord): void {
    const { walk, skb, host, hook } = this.#call;
    const { chain, passedOver } = record;
    const at = { hook, table: this.table, chain, passedOver, ...(this.#legacy && { legacy: true as const }) };
    walk.countRules(passedOver + (record.kind === 'rule' ? 1 : 0));
    if (record.kind === 'policy') {
      walk.emit(skb, host, { kind: 'policy', ...at, verdict: record.verdict });
      return;
    }
    const { rule, number, verdict } = record;
    const text = rule.body === '' ? `-A ${chain}` : `-A ${chain} ${rule.body}`;
    walk.emit(skb, host, { kind: 'rule', ...at, rule: number, text, verdict, ...(rule.origin && { origin: rule.origin }) });
  }
}
