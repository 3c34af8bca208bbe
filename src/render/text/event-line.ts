import { assertNever } from '../../support/assert-never.ts';
import { percent } from '../style.ts';
import { dropMeaning } from './drop-words.ts';
import { endpoint, shortName } from './names.ts';
import { ruleParts } from './rule-text.ts';
import type {
  DropEvent,
  IpvsDecision,
  NatEvent,
  NatFields,
  PolicyEvent,
  RouteEvent,
  RuleEvent,
  SocketEvent,
  TraceEvent,
} from '../../trace/event.ts';
import type { Line, Tone } from './line.ts';

type Content = Pick<Line, 'place' | 'columns' | 'tone' | 'note'>;

/** The event at `position` as one line. `nat` is the rewrite that a rule caused, told on the rule's own line. */
export function eventLine(event: TraceEvent, position: number, nat?: NatEvent): Line {
  return { event: position, layer: event.layer, host: shortName(event.host), ...content(event, nat) };
}

function content(event: TraceEvent, nat: NatEvent | undefined): Content {
  switch (event.kind) {
    case 'socket':
      return { place: 'socket', ...socket(event) };
    case 'tx':
      return { place: event.device, columns: [`sends ${frame(event)}`], tone: 'plain', ...macs(event.srcMac, event.dstMac) };
    case 'rx':
      return { place: event.device, columns: [`receives ${frame(event)}`], tone: 'plain', ...macs(event.srcMac, event.dstMac) };
    case 'bridge':
      return {
        place: event.bridge,
        columns: [bridgeText(event.action, event.inPort ?? event.bridge, event.outPort)],
        tone: 'plain',
      };
    case 'rule':
      return { place: event.hook, ...rule(event, nat) };
    case 'policy':
      return {
        place: event.hook,
        columns: [tableText(event), `${event.chain} policy ${event.verdict.toUpperCase()}`],
        tone: event.verdict === 'drop' ? 'bad' : 'plain',
        ...(event.verdict === 'drop' && { note: 'no rule of the chain decided' }),
      };
    case 'nat':
      if (event.ipvs)
        return { place: event.hook, columns: [`IPVS ${rewrite(event)}`], tone: 'change', note: ipvsText(event.ipvs) };
      return {
        place: event.hook,
        columns: [`${event.type === 'dnat' ? 'destination' : 'source'} ${rewrite(event)}`],
        tone: 'change',
        ...(event.random && { note: 'drawn at random' }),
      };
    case 'conntrack':
      return {
        place: event.hook,
        columns: ['conntrack', event.entry === null ? event.state : `${event.state}, entry ${event.entry}`],
        tone: event.state === 'INVALID' ? 'bad' : 'quiet',
      };
    case 'route':
      return { place: 'route', ...route(event) };
    case 'neighbour':
      return event.mac === null
        ? { place: event.device, columns: [`nobody answers ARP for ${event.address}`], tone: 'bad' }
        : { place: event.device, columns: [`${event.address} is at ${event.mac}`], tone: 'quiet' };
    case 'encapsulate':
      return {
        place: event.device,
        columns: [`${event.tunnel.toUpperCase()} vni ${event.vni} · ${event.local} → ${event.remote}`],
        tone: 'change',
        note: `${event.overhead} bytes more`,
      };
    case 'decapsulate':
      return { place: event.device, columns: [`${event.tunnel.toUpperCase()} off, the inner packet goes on`], tone: 'change' };
    case 'drop':
      return {
        place: event.hook ?? event.device ?? 'drop',
        columns: [`DROPPED  ${event.reason}`],
        tone: 'bad',
        note: dropNote(event),
      };
    case 'proxy':
      return { place: 'proxy', columns: [event.text], tone: 'change' };
    default:
      return assertNever(event);
  }
}

/** What the kernel's word means, and its function. */
function dropNote(event: DropEvent): string {
  const details = Object.entries(event.detail ?? {}).map(([key, value]) => `${key} ${value}`);
  const place = [event.where, ...details].filter((part) => part !== '').join(', ');
  return [dropMeaning(event), place].filter((part) => part !== null && part !== '').join(' · ');
}

function socket(event: SocketEvent): Pick<Line, 'columns' | 'tone'> {
  const packet = event.packet;
  const to = packet ? endpoint(packet.dst, packet.dport) : '';
  const from = packet ? endpoint(packet.src, packet.sport) : '';
  const what = packet ? packetWord(packet) : 'packet';
  const whose = event.owner !== null && event.owner !== event.host ? `${shortName(event.owner)} ` : '';
  switch (event.action) {
    case 'connect':
      return { columns: [`${whose}connects${to && ` to ${to}`}, sends ${what}`], tone: 'plain' };
    case 'send':
      return { columns: [`${whose}sends ${what}${to && ` to ${to}`}`], tone: 'plain' };
    case 'deliver':
      return { columns: [`${whose}takes ${what}${to && ` on ${to}`}${from && `, sees ${from}`}`], tone: 'good' };
    case 'answer':
      return { columns: [`${whose}gets ${what}${from && ` from ${from}`}`], tone: 'good' };
    case 'refuse':
      return { columns: [`nobody listens${to && ` on ${to}`}`], tone: 'bad' };
    case 'error':
      return { columns: [`${whose}fails${event.errno ? `: ${event.errno}` : ''}`], tone: 'bad' };
    default:
      return assertNever(event.action);
  }
}

const ICMP_WORDS: Readonly<Record<string, string>> = {
  'icmp 0': 'echo reply',
  'icmp 3': 'ICMP unreachable',
  'icmp 8': 'echo request',
  'icmp 11': 'ICMP time exceeded',
  'icmpv6 1': 'ICMPv6 unreachable',
  'icmpv6 2': 'ICMPv6 packet too big',
  'icmpv6 3': 'ICMPv6 hop limit exceeded',
  'icmpv6 128': 'echo request',
  'icmpv6 129': 'echo reply',
};

/** What kind of packet it is, in a word or two: "SYN", "datagram", "echo request". */
function packetWord(packet: NonNullable<TraceEvent['packet']>): string {
  if (packet.flags) return packet.flags.replaceAll(',', '-');
  if (packet.icmp) {
    const { type, code } = packet.icmp;
    if (packet.protocol === 'icmp' && type === 3 && code === 4) return 'ICMP fragmentation needed';
    return ICMP_WORDS[`${packet.protocol} ${type}`] ?? `${packet.protocol === 'icmpv6' ? 'ICMPv6' : 'ICMP'} type ${type}`;
  }
  return packet.chunk ?? (packet.protocol === 'udp' ? 'datagram' : 'packet');
}

function bridgeText(action: 'local' | 'forward' | 'flood', from: string, to: string | null): string {
  switch (action) {
    case 'local':
      return `from ${from}: for this host itself, up to its IP stack`;
    case 'forward':
      return `${from} → ${to ?? '?'}, bridged`;
    case 'flood':
      return `from ${from} to every port: no entry for this MAC address`;
    default:
      return assertNever(action);
  }
}

function macs(src: string | undefined, dst: string | undefined): Pick<Line, 'note'> {
  return src && dst ? { note: `${src} → ${dst}` } : {};
}

/** "SYN 10.244.0.2:40000 → 10.96.0.20:80" */
function frame({ packet }: TraceEvent): string {
  return packet
    ? `${packetWord(packet)} ${endpoint(packet.src, packet.sport)} → ${endpoint(packet.dst, packet.dport)}`
    : 'a frame';
}

function rule(event: RuleEvent, nat: NatEvent | undefined): Pick<Line, 'columns' | 'tone' | 'note'> {
  const parts = ruleParts(event);
  const notes = [
    ...(event.unknown === undefined ? [] : [`not understood by k8snet: ${event.unknown}`]),
    ...(parts.comment === null ? [] : [parts.comment]),
    ...(parts.probability === null ? [] : [percent(parts.probability)]),
    ...(nat?.random ? ['drawn at random'] : []),
  ];
  return {
    columns: [tableText(event), `${event.chain} #${event.rule}`, ruleEffect(event, nat)],
    tone: ruleTone(event, nat),
    ...(notes.length > 0 && { note: notes.join(' · ') }),
  };
}

/** What the rule did: "→ CHAIN", "DNAT a ⇒ b", "ACCEPT". */
export function ruleEffect(event: RuleEvent, nat: NatEvent | undefined): string {
  const { target, targetOptions } = ruleParts(event);
  if (event.verdict === 'jump' || event.verdict === 'goto') return `→ ${target ?? '?'}`;
  if (nat) return `${target ?? nat.type.toUpperCase()} ${rewrite(nat)}`;
  if (target === null) return '(no target)';
  return targetOptions === '' ? target : `${target} ${targetOptions}`;
}

export function ruleTone(event: RuleEvent, nat: NatEvent | undefined): Tone {
  if (event.verdict === 'drop' || event.unknown !== undefined) return 'bad';
  if (nat || (event.verdict === 'continue' && ruleParts(event).target !== null)) return 'change';
  return 'plain';
}

/** "filter", "legacy filter" for a table of iptables-legacy. */
export function tableText({ table, legacy }: RuleEvent | PolicyEvent): string {
  return legacy ? `legacy ${table}` : table;
}

/** "virtual server tcp 10.96.0.20:80 · rr, 1 of 2 real servers" */
export function ipvsText({ server, scheduler, realServers }: IpvsDecision): string {
  if (scheduler === undefined) return `the connection to virtual server ${server}`;
  const among =
    scheduler === 'persistence' ? 'the one that the client had before' : `${scheduler}, 1 of ${realServers ?? '?'} real servers`;
  return `virtual server ${server} · ${among}`;
}

/** "10.96.0.20:80 ⇒ 10.244.1.2:8080": source or destination, whatever the rewrite is about. */
export function rewrite(event: NatEvent): string {
  return `${natSide(event.before, event.type)} ⇒ ${natSide(event.after, event.type)}`;
}

function natSide(fields: NatFields, type: NatEvent['type']): string {
  const [address, port] = type === 'dnat' ? [fields.dst, fields.dport] : [fields.src, fields.sport];
  if (address === undefined) return port === undefined ? `id ${fields.icmpId ?? '?'}` : `:${port}`;
  return endpoint(address, port);
}

const ROUTE_NOTES: Readonly<Record<RouteEvent['purpose'], string>> = {
  input: '',
  output: '',
  reroute: 'asked again after the rewrite',
  bridge: 'asked by br_netfilter, for the new destination',
  tunnel: 'for the outer packet',
};

function route(event: RouteEvent): Pick<Line, 'columns' | 'tone' | 'note'> {
  const notes = [
    ROUTE_NOTES[event.purpose],
    event.table === 'main' || event.table === 'local' ? '' : `table ${event.table}`,
    event.source === null ? '' : `source address ${event.source}`,
  ].filter((note) => note !== '');
  if (event.entry === null) {
    // The packet in hand is still the inner one; the line above names the tunnel's other end.
    const to = event.purpose === 'tunnel' ? " to the tunnel's other end" : event.packet ? ` to ${event.packet.dst}` : '';
    return { columns: [`no route${to}`], tone: 'bad' };
  }
  const refused = /^(unreachable|blackhole|prohibit|throw) /.test(event.entry);
  return { columns: [event.entry], tone: refused ? 'bad' : 'plain', ...(notes.length > 0 && { note: notes.join(', ') }) };
}
