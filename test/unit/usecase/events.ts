import type {
  DropEvent,
  KernelEvent,
  NatEvent,
  PacketView,
  PolicyEvent,
  RouteEvent,
  RuleEvent,
} from '../../../src/trace/event.ts';

/** "tcp 10.0.0.1:1 > 10.0.0.2:2", with or without ports. */
export function packet(text: string, more: Partial<PacketView> = {}): PacketView {
  const match = /^(\w+) ([\d.]+)(?::(\d+))? > ([\d.]+)(?::(\d+))?$/.exec(text);
  if (!match) throw new Error(`not a packet: ${text}`);
  const [, protocol, src, sport, dst, dport] = match;
  return {
    protocol: protocol!,
    src: src!,
    dst: dst!,
    ttl: 64,
    df: true,
    length: 60,
    ...(sport !== undefined && { sport: Number(sport) }),
    ...(dport !== undefined && { dport: Number(dport) }),
    ...more,
  };
}

export function rule(
  host: string,
  place: string,
  text: string,
  verdict: RuleEvent['verdict'],
  more: Partial<RuleEvent> = {},
): RuleEvent {
  const [hook, table, chain, number] = place.split(' ') as [RuleEvent['hook'], string, string, string];
  return { host, kind: 'rule', hook, table, chain, rule: Number(number), text, verdict, passedOver: 0, ...more };
}

export function policy(host: string, hook: PolicyEvent['hook'], more: Partial<PolicyEvent> = {}): PolicyEvent {
  return { host, kind: 'policy', hook, table: 'filter', chain: hook, verdict: 'drop', passedOver: 0, ...more };
}

export function drop(host: string, reason: string, where: string, more: Partial<DropEvent> = {}): DropEvent {
  return { host, kind: 'drop', reason, where, ...more };
}

export function dnat(host: string, before: string, after: string): NatEvent {
  return { host, kind: 'nat', hook: 'PREROUTING', type: 'dnat', before: { dst: before }, after: { dst: after } };
}

export function route(host: string, entry: string | null, dev: string | null = 'eth0', via: string | null = null): RouteEvent {
  return { host, kind: 'route', table: 'main', entry, via, dev, source: null, purpose: 'input' };
}

export function rx(host: string, device: string): KernelEvent {
  return { host, kind: 'rx', device };
}

export function tx(host: string, device: string, dstMac?: string): KernelEvent {
  return { host, kind: 'tx', device, ...(dstMac !== undefined && { dstMac }) };
}
