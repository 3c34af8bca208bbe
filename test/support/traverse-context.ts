import { parseIp } from '../../src/net/ip.ts';
import { NO_NETFILTER } from '../../src/kernel/netfilter/build.ts';
import type { Host } from '../../src/kernel/host.ts';
import type { IpvsConnection } from '../../src/kernel/ipvs/connection-table.ts';
import type { ConntrackView } from '../../src/kernel/netfilter/conntrack/view.ts';
import type {
  AddressType,
  NatAction,
  PolicyRecord,
  RuleRecord,
  TraverseContext,
} from '../../src/kernel/netfilter/iptables/context.ts';
import type { Rule, TableName } from '../../src/kernel/netfilter/iptables/table.ts';
import type { IpSet } from '../../src/kernel/ipset/ipset.ts';
import type { IpAddress } from '../../src/net/ip.ts';
import type { L4Header, Packet } from '../../src/net/packet.ts';
import type { HookName } from '../../src/trace/event.ts';

/** A namespace in which nothing is set up. */
export const NO_RULES_HOST: Host = {
  name: 'node/test',
  devices: new Map(),
  routing: { rules: [], tables: new Map() },
  neighbours: { get: () => undefined, permanent: () => [] },
  fdb: [],
  sysctls: new Map(),
  netfilter: NO_NETFILTER,
  listeners: [],
};

/** An address that is known to be one. */
export function ip(text: string): IpAddress {
  const address = parseIp(text);
  if (address === null) throw new Error(`no address: ${text}`);
  return address;
}

/** A SYN from 10.244.0.2:40000 to 10.96.0.20:80, or what is asked for. */
export function packet(
  over: Omit<Partial<Packet>, 'src' | 'dst'> & { readonly src?: string; readonly dst?: string } = {},
): Packet {
  const { src = '10.244.0.2', dst = '10.96.0.20', ...rest } = over;
  const l4: L4Header = { protocol: 'tcp', sport: 40000, dport: 80, flags: 2 };
  return { ttl: 64, tos: 0, df: true, length: 60, l4, ...rest, src: ip(src), dst: ip(dst) };
}

/** An entry of the connection of {@link packet}, as its first packet sees it. */
export function entry(over: Partial<Extract<ConntrackView, { readonly original: object }>> = {}): ConntrackView {
  const original = { protocol: 'tcp', src: ip('10.244.0.2'), dst: ip('10.96.0.20'), sport: 40000, dport: 80 };
  const reply = { protocol: 'tcp', src: ip('10.244.1.2'), dst: ip('10.244.0.2'), sport: 8080, dport: 40000 };
  return {
    state: 'NEW',
    direction: 'original',
    original,
    reply,
    snat: false,
    dnat: false,
    seenReply: false,
    assured: false,
    confirmed: false,
    expected: false,
    mark: 0,
    expires: 120_000,
    ...over,
  };
}

/** What a test may set of a context, and what it can read from it afterwards. */
export interface FakeContextOptions {
  readonly hook?: HookName;
  readonly table?: TableName;
  readonly packet?: Packet;
  readonly mark?: number;
  readonly inDevice?: string | null;
  readonly outDevice?: string | null;
  readonly physIn?: string | null;
  readonly physOut?: string | null;
  readonly srcMac?: string | null;
  readonly packetType?: 'unicast' | 'broadcast' | 'multicast';
  readonly conntrack?: ConntrackView;
  readonly socket?: { readonly uid: number; readonly gid: number } | null;
  readonly ipsets?: Readonly<Record<string, IpSet>>;
  /** Types of addresses; behind "@DEVICE" those that only hold there. Anything else is UNICAST. */
  readonly addressTypes?: Readonly<Record<string, AddressType>>;
  readonly ipvsProperty?: boolean;
  readonly ipvsConnection?: IpvsConnection;
  /** Answers of draw(), in order; true when they run out. */
  readonly draws?: readonly boolean[];
  readonly reversePath?: (loose: boolean, acceptLocal: boolean, validMark: boolean) => boolean;
  readonly socketExists?: boolean;
  readonly nat?: 'accept' | 'drop';
}

/** A TraverseContext over plain values that remembers all that was done to it. */
export class FakeContext implements TraverseContext {
  readonly host = NO_RULES_HOST;
  readonly hook: HookName;
  readonly table: TableName;
  packet: Packet;
  mark: number;
  readonly inDevice: string | null;
  readonly outDevice: string | null;
  readonly physIn: string | null;
  readonly physOut: string | null;
  readonly bridged: boolean;
  readonly srcMac: string | null;
  readonly packetType: 'unicast' | 'broadcast' | 'multicast';
  conntrack: ConntrackView;
  readonly socket: { readonly uid: number; readonly gid: number } | null;
  now = 0;
  ruleKey = '';
  readonly ipvsProperty: boolean;
  readonly ipvsConnection: IpvsConnection | null;
  readonly record = (event: RuleRecord | PolicyRecord): void => {
    this.records.push(event);
  };
  /** What happened, in order. */
  readonly records: (RuleRecord | PolicyRecord)[] = [];
  readonly draws: { readonly probability: number; readonly what: string }[] = [];
  readonly nats: NatAction[] = [];
  readonly setChanges: { readonly kind: string; readonly set: string }[] = [];
  readonly unknown: string[] = [];
  untracked = false;
  readonly #options: FakeContextOptions;
  readonly #state = new Map<string, unknown>();

  constructor(options: FakeContextOptions = {}) {
    this.#options = options;
    this.hook = options.hook ?? 'FORWARD';
    this.table = options.table ?? 'filter';
    this.packet = options.packet ?? packet();
    this.mark = options.mark ?? 0;
    this.inDevice = options.inDevice ?? null;
    this.outDevice = options.outDevice ?? null;
    this.physIn = options.physIn ?? null;
    this.physOut = options.physOut ?? null;
    this.bridged = this.physOut !== null;
    this.srcMac = options.srcMac ?? null;
    this.packetType = options.packetType ?? 'unicast';
    this.conntrack = options.conntrack ?? entry();
    this.socket = options.socket ?? null;
    this.ipvsProperty = options.ipvsProperty ?? false;
    this.ipvsConnection = options.ipvsConnection ?? null;
  }

  moduleState<T>(key: string, make: () => T): T {
    if (!this.#state.has(key)) this.#state.set(key, make());
    return this.#state.get(key) as T;
  }

  draw(probability: number, what: string): boolean {
    if (probability >= 1 || probability <= 0) return probability >= 1;
    this.draws.push({ probability, what });
    return this.#options.draws?.[this.draws.length - 1] ?? true;
  }

  ipset(name: string): IpSet | undefined {
    return this.#options.ipsets?.[name];
  }

  addressType(address: IpAddress, device: string | null): AddressType {
    for (const [key, type] of Object.entries(this.#options.addressTypes ?? {})) {
      const [text, only] = key.split('@');
      if (ip(text!) === address && (device === null || only === undefined || only === device)) return type;
    }
    return 'UNICAST';
  }

  reversePath(loose: boolean, acceptLocal: boolean, validMark: boolean): boolean {
    return this.#options.reversePath?.(loose, acceptLocal, validMark) ?? true;
  }

  socketExists(): boolean {
    return this.#options.socketExists ?? false;
  }

  setConnectionMark(mark: number): void {
    if ('mark' in this.conntrack) this.conntrack = { ...this.conntrack, mark };
  }

  pathMss(): number {
    return 1410;
  }

  notrack(): void {
    this.untracked = true;
  }

  nat(action: NatAction): 'accept' | 'drop' {
    this.nats.push(action);
    return this.#options.nat ?? 'accept';
  }

  changeSet(action: { readonly kind: string; readonly set: string }): void {
    this.setChanges.push({ kind: action.kind, set: action.set });
  }

  unknownRule(rule: Rule, chain: string, number: number): void {
    this.unknown.push(`${chain} ${number}: ${rule.body}`);
  }
}
