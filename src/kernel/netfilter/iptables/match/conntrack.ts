import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { formatHostMaskShort, hostMaskContains, hostMaskOf } from '../host-mask.ts';
import { RuleError } from '../option.ts';
import { protocolNumber } from '../protocol-names.ts';
import { formatRange, join, not, portRangeOf, rangeOf } from '../value.ts';
import type { ConntrackView, Tuple } from '../../conntrack/view.ts';
import type { GivenOption, GivenOptions } from '../option.ts';
import type { MatchModule } from './module.ts';

/** A ConntrackView that has an entry. */
type Entry = Extract<ConntrackView, { readonly original: Tuple }>;

/** Order of iptables-save. */
const STATES = ['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED', 'SNAT', 'DNAT'] as const;
const STATUSES = ['EXPECTED', 'SEEN_REPLY', 'ASSURED', 'CONFIRMED'] as const;
const ADDRESSES: Readonly<Record<string, (entry: Entry) => Tuple['src']>> = {
  ctorigsrc: (entry) => entry.original.src,
  ctorigdst: (entry) => entry.original.dst,
  ctreplsrc: (entry) => entry.reply.src,
  ctrepldst: (entry) => entry.reply.dst,
};
const PORTS: Readonly<Record<string, (entry: Entry) => number>> = {
  ctorigsrcport: (entry) => entry.original.sport,
  ctorigdstport: (entry) => entry.original.dport,
  ctreplsrcport: (entry) => entry.reply.sport,
  ctrepldstport: (entry) => entry.reply.dport,
};

interface Condition {
  readonly text: string;
  readonly test: (entry: Entry) => boolean;
}

/** What conntrack knows of the packet (xt_conntrack.c conntrack_mt, revision 3). */
export const conntrack: MatchModule = {
  name: 'conntrack',
  options: [
    { name: 'ctstate', negatable: true },
    { name: 'ctproto', negatable: true },
    ...[...Object.keys(ADDRESSES), ...Object.keys(PORTS)].map((name) => ({ name, negatable: true }) as const),
    { name: 'ctstatus', negatable: true },
    { name: 'ctexpire', negatable: true },
    { name: 'ctdir' },
  ],
  build(given, { family }) {
    if (given.size === 0) throw new RuleError('conntrack: At least one option is required');
    const state = stateTest(given.get('ctstate'), 'ctstate');
    const conditions = [
      protocolCondition(given.get('ctproto')),
      ...Object.entries(ADDRESSES).map(([name, get]) => addressCondition(given.get(name), get, family)),
      ...Object.entries(PORTS).map(([name, get]) => portCondition(given.get(name), get)),
      statusCondition(given.get('ctstatus')),
      expireCondition(given.get('ctexpire')),
      directionCondition(given),
    ].filter((condition) => condition !== null);
    return {
      text: join(state?.text, ...conditions.map((condition) => condition.text)),
      test: ({ conntrack: view }) => {
        if (state) {
          if (!state.test(view)) return false;
          if (conditions.length === 0) return true;
        }
        // The kernel tells nothing else of a packet without an entry: it looks no further and holds if a state was asked for.
        if (!('original' in view)) return state !== null;
        return conditions.length === 0 || conditions.every((condition) => condition.test(view));
      },
    };
  },
};

/** `--ctstate` and `-m state --state`. SNAT and DNAT are states beside the others. */
export function stateTest(
  option: GivenOption | undefined,
  name: string,
): { readonly text: string; readonly test: (view: ConntrackView) => boolean } | null {
  if (!option) return null;
  const { negated } = option;
  const wanted = listOf(option.values[0]!, STATES, 'state');
  const [states, snat, dnat] = [new Set<string>(wanted), wanted.includes('SNAT'), wanted.includes('DNAT')];
  const test = (view: ConntrackView) =>
    states.has(view.state) || ((snat || dnat) && 'original' in view && ((snat && view.snat) || (dnat && view.dnat)));
  return { text: `${not(negated)}--${name} ${wanted.join(',')}`, test: (view) => test(view) !== negated };
}

function listOf<T extends string>(text: string, names: readonly T[], what: string): readonly T[] {
  const given = text.toUpperCase().split(',');
  const bad = given.find((name) => !(names as readonly string[]).includes(name));
  if (bad !== undefined) throw new RuleError(`Bad ct${what} "${bad}"`);
  return names.filter((name) => given.includes(name));
}

function condition(option: GivenOption, value: string, test: (entry: Entry) => boolean): Condition {
  const { negated } = option;
  return { text: `${not(negated)}--${option.name} ${value}`, test: (entry) => test(entry) !== negated };
}

function protocolCondition(option: GivenOption | undefined): Condition | null {
  if (!option) return null;
  const number = protocolNumber(option.values[0]!);
  if (!number) throw new RuleError(`unknown protocol "${option.values[0]}" specified`);
  return condition(option, `${number}`, ({ original }) => tupleProtocol(original) === number);
}

function tupleProtocol({ protocol }: Tuple): number {
  return (PROTOCOL_NUMBER as Readonly<Record<string, number>>)[protocol] ?? Number(protocol);
}

function addressCondition(option: GivenOption | undefined, get: (entry: Entry) => Tuple['src'], family: 4 | 6): Condition | null {
  if (!option) return null;
  const host = hostMaskOf(option.values[0]!, family);
  return condition(option, formatHostMaskShort(host), (entry) => hostMaskContains(host, get(entry)));
}

function portCondition(option: GivenOption | undefined, get: (entry: Entry) => number): Condition | null {
  if (!option) return null;
  const range = portRangeOf(option.values[0]!);
  return condition(option, formatRange(range), (entry) => get(entry) >= range.min && get(entry) <= range.max);
}

function statusCondition(option: GivenOption | undefined): Condition | null {
  if (!option) return null;
  // NONE is an empty mask, which no entry's status meets.
  const wanted = option.values[0]!.toUpperCase() === 'NONE' ? [] : listOf(option.values[0]!, STATUSES, 'status');
  const flags = { EXPECTED: 'expected', SEEN_REPLY: 'seenReply', ASSURED: 'assured', CONFIRMED: 'confirmed' } as const;
  return condition(option, wanted.join(',') || 'NONE', (entry) => wanted.some((name) => entry[flags[name]]));
}

function expireCondition(option: GivenOption | undefined): Condition | null {
  if (!option) return null;
  const range = rangeOf(option.values[0]!, 'conntrack', 'ctexpire', 0xffffffff);
  return condition(option, formatRange(range), (entry) => {
    const seconds = Math.floor(entry.expires / 1000);
    return seconds >= range.min && seconds <= range.max;
  });
}

function directionCondition(given: GivenOptions): Condition | null {
  const option = given.get('ctdir');
  if (!option) return null;
  const wanted = option.values[0]!.toUpperCase();
  if (wanted !== 'ORIGINAL' && wanted !== 'REPLY') throw new RuleError('conntrack: bad value for option "--ctdir"');
  return condition(option, wanted, (entry) => entry.direction === wanted.toLowerCase());
}
