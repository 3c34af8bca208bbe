import { isLaterFragment, portsOf } from '../../../../net/packet.ts';
import { not, portRangeOf } from '../value.ts';
import type { Packet } from '../../../../net/packet.ts';
import type { GivenOption, GivenOptions, OptionSpec, RuleError } from '../option.ts';
import type { NumberRange } from '../value.ts';
import type { RuleScope } from './module.ts';

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

/**
 * Compiles --sport and --dport of a rule. `native`: iptables-nft makes nft expressions of them (tcp, udp), in which the complement
 * of ":N" is the range behind it.
 */
export function portTest(given: GivenOptions, native: boolean): PortTest {
  const sport = compile(given.get('sport'), native);
  const dport = compile(given.get('dport'), native);
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

function compile(option: GivenOption | undefined, native: boolean): CompiledPort | null {
  if (!option) return null;
  const given = portRangeOf(option.values[0]!);
  const behind = native && option.negated && given.min === 0 && given.max > 0 && given.max < 65535;
  const negated = option.negated && !behind;
  const range = behind ? { min: given.max + 1, max: 65535 } : given;
  if (!negated && range.min === 0 && range.max === 65535) return null;
  const value = range.min === range.max ? `${range.min}` : `${range.min}:${range.max}`;
  return { ...range, negated, text: `${not(negated)}--${option.name} ${value}` };
}

function holds(port: CompiledPort | null, value: number): boolean {
  return port === null || (value >= port.min && value <= port.max) !== port.negated;
}

/** Refuses a rule whose -p is not the protocol of a module that needs it. */
export function requireProtocol({ protocol }: RuleScope, number: number, refusal: () => RuleError): void {
  if (protocol.number !== number || protocol.negated) throw refusal();
}
