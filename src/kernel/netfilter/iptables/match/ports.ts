import { isLaterFragment, portsOf } from '../../../../net/packet.ts';
import { not, portRangeOf } from '../value.ts';
import type { Packet } from '../../../../net/packet.ts';
import type { GivenOption, GivenOptions, OptionSpec } from '../option.ts';
import type { NumberRange } from '../value.ts';

/** --sport and --dport, which tcp, udp and sctp share. */
export const PORT_OPTIONS: readonly OptionSpec[] = [
  { name: 'sport', aliases: ['source-port'], negatable: true },
  { name: 'dport', aliases: ['destination-port'], negatable: true },
];

export interface PortTest {
  readonly text: string;
  /** Fails for packets without ports on the wire: later fragments never match (tcp_mt, udp_mt). */
  test(packet: Packet): boolean;
}

/** Compiles --sport and --dport of a rule. */
export function portTest(given: GivenOptions): PortTest {
  const sport = compile(given.get('sport'));
  const dport = compile(given.get('dport'));
  return {
    text: [sport?.text, dport?.text].filter(Boolean).join(' '),
    test: (packet) => {
      const ports = portsOf(packet);
      return ports !== null && !isLaterFragment(packet) && holds(sport, ports.sport) && holds(dport, ports.dport);
    },
  };
}

interface CompiledPort extends NumberRange {
  readonly negated: boolean;
  readonly text: string;
}

function compile(option: GivenOption | undefined): CompiledPort | null {
  if (!option) return null;
  const { negated, ...range } = normalise(portRangeOf(option.values[0]!), option.negated);
  if (!negated && range.min === 0 && range.max === 65535) return null;
  const value = range.min === range.max ? `${range.min}` : `${range.min}:${range.max}`;
  return { ...range, negated, text: `${not(negated)}--${option.name} ${value}` };
}

/** iptables-nft turns the complement of a range that starts at 0 or ends at 65535 into the other range. */
function normalise(range: NumberRange, negated: boolean): NumberRange & { readonly negated: boolean } {
  if (negated && range.min === 0 && range.max > 0 && range.max < 65535) return { min: range.max + 1, max: 65535, negated: false };
  if (negated && range.min > 0 && range.min < 65535 && range.max === 65535) return { min: 0, max: range.min - 1, negated: false };
  return { ...range, negated };
}

function holds(port: CompiledPort | null, value: number): boolean {
  return port === null || (value >= port.min && value <= port.max) !== port.negated;
}
