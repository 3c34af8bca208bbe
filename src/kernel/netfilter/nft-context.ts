import { familyOf } from '../../net/ip.ts';
import { remembered } from '../remembered.ts';
import { addressTypeOn } from '../routing/address-type.ts';
import { viewOf } from './conntrack/entry.ts';
import { runNatTarget } from './nat/targets.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Packet } from '../../net/packet.ts';
import type { ConntrackView } from './conntrack/view.ts';
import type { HookCall } from './hook.ts';
import type { AddressType, NatAction } from './iptables/context.ts';
import type { NftContext, NftRuleRecord } from './nftables/context.ts';
import type { NftRule, NftTable } from './nftables/ruleset.ts';

/** What an nftables table's rules see of a packet at a hook, and how they change it. */
export function nftContext(call: HookCall, table: NftTable): NftContext {
  return new HookContext(call, table);
}

const evenWeights = remembered((count: number): readonly number[] => new Array<number>(count).fill(1 / count));

class HookContext implements NftContext {
  readonly #call: HookCall;
  readonly table: NftTable;

  constructor(call: HookCall, table: NftTable) {
    this.#call = call;
    this.table = table;
  }

  get family(): 4 | 6 {
    return familyOf(this.packet.dst);
  }
  get packet(): Packet {
    return this.#call.skb.packet;
  }
  get mark(): number {
    return this.#call.skb.mark;
  }
  set mark(mark: number) {
    this.#call.skb.mark = mark >>> 0;
  }
  get inDevice(): string | null {
    return this.#call.inDevice;
  }
  get outDevice(): string | null {
    return this.#call.outDevice;
  }
  get packetType(): 'unicast' | 'broadcast' | 'multicast' {
    const type = this.#call.skb.packetType;
    return type === 'broadcast' || type === 'multicast' ? type : 'unicast';
  }
  get conntrack(): ConntrackView {
    const { skb, walk } = this.#call;
    return viewOf(skb.conntrack, skb.untracked, walk.state.now);
  }
  get now(): number {
    return this.#call.walk.state.now;
  }

  addressType(address: IpAddress, device: string | null): AddressType {
    return addressTypeOn(this.#call.host.routing, address, device);
  }

  draw(count: number, what: string): number {
    return count <= 1 ? 0 : this.#call.walk.choices.pick(what, evenWeights(count));
  }

  count(key: string): number {
    const { modules } = this.#call.walk.state.host(this.#call.host.name);
    const at = modules.get(key);
    const number = typeof at === 'number' ? at : 0;
    modules.set(key, number + 1);
    return number;
  }

  addedTo(set: string): Map<string, number | null> {
    const { modules } = this.#call.walk.state.host(this.#call.host.name);
    const key = `nft set ${this.table.family} ${this.table.name} ${set}`;
    if (!modules.has(key)) modules.set(key, new Map());
    return modules.get(key) as Map<string, number | null>;
  }

  setConnectionMark(mark: number): void {
    const entry = this.#call.skb.conntrack?.entry;
    if (entry) entry.mark = mark >>> 0;
  }

  notrack(): void {
    if (!this.#call.skb.conntrack) this.#call.skb.untracked = true;
  }

  nat(action: NatAction): 'accept' | 'drop' {
    return runNatTarget(this.#call, action);
  }

  record({ chain, number, rule, verdict, target, passedOver, origin }: NftRuleRecord): void {
    const { walk, skb, host, hook } = this.#call;
    walk.countRules(passedOver + 1);
    const { name: table, family } = this.table;
    walk.emit(skb, host, {
      kind: 'rule',
      hook,
      table,
      family,
      chain,
      rule: number,
      text: rule.text,
      verdict,
      passedOver,
      ...(target !== null && { target }),
      ...(origin && { origin }),
    });
  }

  recordPolicyDrop(chain: string, passedOver: number): void {
    const { walk, skb, host, hook } = this.#call;
    walk.countRules(passedOver);
    const { name: table, family } = this.table;
    walk.emit(skb, host, { kind: 'policy', hook, table, family, chain, verdict: 'drop', passedOver });
  }

  passed(rules: number): void {
    this.#call.walk.countRules(rules);
  }

  unknownRule({ text, source }: NftRule, chain: string, number: number): void {
    const { walk, skb, host, hook } = this.#call;
    const { name: table, family } = this.table;
    const body = `rule ${number} of ${family} ${table} ${chain}, ${text}`;
    walk.noteUnknownRule(host, { body, ...(source && { source }) });
    const at = { hook, table, family, chain, rule: number };
    walk.emit(skb, host, { kind: 'rule', ...at, text, verdict: 'continue', passedOver: 0, unknown: 'taken not to match' });
  }
}
