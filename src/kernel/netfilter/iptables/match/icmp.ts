import { isLaterFragment } from '../../../../net/packet.ts';
import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { invalidArgument, RuleError } from '../option.ts';
import { not, parseNumber } from '../value.ts';
import { requireProtocol } from './ports.ts';
import type { MatchModule } from './module.ts';

interface IcmpKind {
  /** null: any. */
  readonly type: number | null;
  readonly code: number | null;
}

const kinds = (...rows: readonly (readonly [string, number, number?])[]): ReadonlyMap<string, IcmpKind> =>
  new Map(rows.map(([name, type, code]) => [name, { type, code: code ?? null }]));

// biome-ignore format: a table reads better in rows
const ICMP_NAMES = kinds(
  ['echo-reply', 0], ['pong', 0], ['destination-unreachable', 3], ['network-unreachable', 3, 0], ['host-unreachable', 3, 1],
  ['protocol-unreachable', 3, 2], ['port-unreachable', 3, 3], ['fragmentation-needed', 3, 4], ['source-route-failed', 3, 5],
  ['network-unknown', 3, 6], ['host-unknown', 3, 7], ['network-prohibited', 3, 9], ['host-prohibited', 3, 10],
  ['TOS-network-unreachable', 3, 11], ['TOS-host-unreachable', 3, 12], ['communication-prohibited', 3, 13],
  ['host-precedence-violation', 3, 14], ['precedence-cutoff', 3, 15], ['source-quench', 4], ['redirect', 5], ['network-redirect', 5, 0],
  ['host-redirect', 5, 1], ['TOS-network-redirect', 5, 2], ['TOS-host-redirect', 5, 3], ['echo-request', 8], ['ping', 8],
  ['router-advertisement', 9], ['router-solicitation', 10], ['time-exceeded', 11], ['ttl-exceeded', 11],
  ['ttl-zero-during-transit', 11, 0], ['ttl-zero-during-reassembly', 11, 1], ['parameter-problem', 12], ['ip-header-bad', 12, 0],
  ['required-option-missing', 12, 1], ['timestamp-request', 13], ['timestamp-reply', 14], ['address-mask-request', 17],
  ['address-mask-reply', 18],
);

// biome-ignore format: a table reads better in rows
const ICMPV6_NAMES = kinds(
  ['destination-unreachable', 1], ['no-route', 1, 0], ['communication-prohibited', 1, 1], ['beyond-scope', 1, 2],
  ['address-unreachable', 1, 3], ['port-unreachable', 1, 4], ['failed-policy', 1, 5], ['reject-route', 1, 6], ['packet-too-big', 2],
  ['time-exceeded', 3], ['ttl-exceeded', 3], ['ttl-zero-during-transit', 3, 0], ['ttl-zero-during-reassembly', 3, 1],
  ['parameter-problem', 4], ['bad-header', 4, 0], ['unknown-header-type', 4, 1], ['unknown-option', 4, 2], ['echo-request', 128],
  ['ping', 128], ['echo-reply', 129], ['pong', 129], ['mld-listener-query', 130], ['mld-listener-report', 131],
  ['mld-listener-done', 132], ['mld-listener-reduction', 132], ['router-solicitation', 133], ['router-advertisement', 134],
  ['neighbour-solicitation', 135], ['neighbor-solicitation', 135], ['neighbour-advertisement', 136],
  ['neighbor-advertisement', 136], ['redirect', 137],
);

/** Type and code of an ICMP message (ip_tables.c icmp_match). */
export const icmp = icmpModule('icmp', 'icmp-type', 'icmp', ICMP_NAMES);
/** Type and code of an ICMPv6 message (ip6_tables.c icmp6_match). */
export const icmp6 = icmpModule('icmp6', 'icmpv6-type', 'icmpv6', ICMPV6_NAMES);

function icmpModule(
  name: string,
  option: string,
  protocol: 'icmp' | 'icmpv6',
  names: ReadonlyMap<string, IcmpKind>,
): MatchModule {
  return {
    name,
    options: [{ name: option, negatable: true, required: true }],
    build(given, scope) {
      requireProtocol(scope, PROTOCOL_NUMBER[protocol], invalidArgument);
      const { values, negated } = given.get(option)!;
      const { type, code } = kindOf(values[0]!, names);
      const text = type === null ? 'any' : code === null ? `${type}` : `${type}/${code}`;
      return {
        text: `${not(negated)}--${option} ${text}`,
        test: ({ packet }) => {
          const { l4 } = packet;
          if (l4.protocol !== protocol || isLaterFragment(packet)) return false;
          return (type === null || (l4.type === type && (code === null || l4.code === code))) !== negated;
        },
      };
    },
  };
}

function kindOf(text: string, names: ReadonlyMap<string, IcmpKind>): IcmpKind {
  if (text.toLowerCase() === 'any') return { type: null, code: null };
  const named = byName(text, names);
  if (named) return named;
  const [typeText, codeText] = text.split('/');
  const type = parseNumber(typeText!, 0, 255);
  const code = codeText === undefined ? null : parseNumber(codeText, 0, 255);
  if (type === null || (codeText !== undefined && code === null)) throw new RuleError(`Unknown ICMP type \`${text}'`);
  // Type 255 is how ip_tables writes "any".
  return type === 255 ? { type: null, code: null } : { type, code };
}

/** A name, or the start of exactly one name, in any case (xtables_parse_icmp). */
function byName(text: string, names: ReadonlyMap<string, IcmpKind>): IcmpKind | undefined {
  const wanted = text.toLowerCase();
  const found = [...names].filter(([name]) => name.toLowerCase().startsWith(wanted));
  return (found.find(([name]) => name.toLowerCase() === wanted) ?? (found.length === 1 ? found[0] : undefined))?.[1];
}
