import { numberFor, parseNumber, wrong } from '../arguments.ts';
import { refuse, unmodelled } from '../failure.ts';
import { parsePrefix6 } from '../ip6/words.ts';
import { parsePrefix } from './addresses.ts';
import { parseTable } from './names.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { IpFamily } from '../../../net/ip.ts';
import type { Arguments } from '../arguments.ts';
import type { RoutingRule } from '../../routing/route.ts';

type PortRange = NonNullable<RoutingRule['sport']>;

/** What the words of `ip rule add|del ...` say; undefined: not said, null: "all". */
export interface RuleWords {
  priority?: number;
  invert?: boolean;
  from?: Cidr | null;
  to?: Cidr | null;
  iif?: string;
  oif?: string;
  mark?: NonNullable<RoutingRule['mark']>;
  protocol?: NonNullable<RoutingRule['protocol']>;
  sport?: PortRange;
  dport?: PortRange;
  suppressPrefixLength?: number;
  action?: RoutingRule['action'];
}

/** Reads the words of one rule (iprule_modify in iproute2's ip/iprule.c). */
export function readRule(args: Arguments, family: IpFamily): RuleWords {
  const rule: RuleWords = {};
  while (!args.done) {
    const word = args.next();
    switch (word) {
      case 'not':
        rule.invert = true;
        break;
      case 'from':
        rule.from = readRange(args.next(), family);
        break;
      case 'to':
        rule.to = readRange(args.next(), family);
        break;
      case 'preference':
      case 'pref':
      case 'order':
      case 'priority':
        rule.priority = numberFor(args.next(), 'preference value is invalid\n');
        break;
      case 'fwmark':
        rule.mark = readMark(args.next());
        break;
      case 'table':
      case 'lookup':
        rule.action = { kind: 'lookup', table: parseTable(args.next()) };
        break;
      case 'iif':
      case 'dev':
        rule.iif = args.next();
        break;
      case 'oif':
        rule.oif = args.next();
        break;
      case 'ipproto':
        rule.protocol = readProtocol(args.next());
        break;
      case 'sport':
        rule.sport = readPorts(args.next(), 'sport');
        break;
      case 'dport':
        rule.dport = readPorts(args.next(), 'dport');
        break;
      case 'suppress_prefixlength':
      case 'sup_pl':
        rule.suppressPrefixLength = numberFor(args.next(), 'suppress_prefixlength value is invalid\n');
        break;
      case 'type':
        rule.action = readType(args.next());
        break;
      default:
        if (NOT_MODELLED.includes(word)) unmodelled(`ip rule ... ${word}`);
        rule.action = readType(word);
    }
  }
  return rule;
}

const NOT_MODELLED: readonly string[] = [
  'tos',
  'dsfield',
  'realms',
  'uidrange',
  'l3mdev',
  'tun_id',
  'suppress_ifgroup',
  'sup_group',
  'nat',
  'map-to',
  'goto',
  'protocol',
];

/** null for the whole range: "all" is no condition. Host bits are kept by the kernel but never matched. */
function readRange(text: string, family: IpFamily): Cidr | null {
  const { cidr } = family === 4 ? parsePrefix(text) : parsePrefix6(text);
  return cidr.length === 0 ? null : cidr;
}

function readMark(text: string): NonNullable<RoutingRule['mark']> {
  const [value = '', mask = '0xffffffff', ...rest] = text.split('/');
  const complaint = 'fwmark value is invalid\n';
  if (rest.length > 0) wrong(text, complaint);
  return { value: numberFor(value, complaint), mask: numberFor(mask, 'fwmask value is invalid\n') };
}

function readProtocol(text: string): NonNullable<RoutingRule['protocol']> {
  switch (text) {
    case 'tcp':
    case '6':
      return 'tcp';
    case 'udp':
    case '17':
      return 'udp';
    case 'icmp':
    case '1':
      return 'icmp';
    case 'ipv6-icmp':
    case 'icmpv6':
    case '58':
      return 'icmpv6';
    case 'sctp':
    case '132':
      return 'sctp';
    default:
      return parseNumber(text) === null ? wrong(text, 'Invalid "ipproto" value\n') : unmodelled(`ip rule ... ipproto ${text}`);
  }
}

function readPorts(text: string, option: string): PortRange {
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const from = Number(first);
  const to = Number(last);
  const valid = first !== '' && from >= 1 && to <= 65535 && from <= to;
  return valid ? { from, to } : refuse(`Error: argument "${text}" is wrong: invalid ${option} range\n`);
}

function readType(word: string): RoutingRule['action'] {
  switch (word) {
    case 'unreachable':
    case 'prohibit':
    case 'blackhole':
      return { kind: word };
    default:
      return wrong(word, 'Failed to parse rule type');
  }
}
