import { TCP_FLAG } from '../../../../net/packet.ts';
import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { RuleError } from '../option.ts';
import { join, not, numberOf } from '../value.ts';
import { PORT_OPTIONS, portTest, requireProtocol } from './ports.ts';
import type { TcpHeader } from '../../../../net/packet.ts';
import type { GivenOption, GivenOptions } from '../option.ts';
import type { MatchModule } from './module.ts';

/** TCP ports, flags and options (xt_tcpudp.c tcp_mt). */
export const tcp: MatchModule = {
  name: 'tcp',
  options: [
    ...PORT_OPTIONS,
    { name: 'tcp-flags', args: 2, negatable: true },
    { name: 'syn', args: 0, negatable: true },
    { name: 'tcp-option', negatable: true },
  ],
  build(given, scope) {
    requireProtocol(scope, PROTOCOL_NUMBER.tcp, () => new RuleError("TCP match requires '-p tcp'"));
    const ports = portTest(given, true);
    const flags = flagTest(given);
    const option = optionTest(given.get('tcp-option'));
    return {
      text: join(ports.text, option?.text, flags?.text),
      test: ({ packet }) => {
        const l4 = packet.l4;
        return (
          l4.protocol === 'tcp' &&
          ports.test(packet) &&
          (flags === null || flags.test(l4)) &&
          (option === null || option.test(l4))
        );
      },
    };
  },
};

interface HeaderTest {
  readonly text: string;
  test(header: TcpHeader): boolean;
}

/** `--syn` is short for "FIN,SYN,RST,ACK SYN". */
function flagTest(given: GivenOptions): HeaderTest | null {
  const syn = given.get('syn');
  const flags = given.get('tcp-flags');
  if (syn && flags) throw new RuleError('tcp: option "--syn" cannot be used together with "--tcp-flags".');
  const option = flags ?? syn;
  if (!option) return null;
  const { negated } = option;
  const mask = flags ? flagsOf(flags.values[0]!) : flagsOf('FIN,SYN,RST,ACK');
  const wanted = flags ? flagsOf(flags.values[1]!) : TCP_FLAG.SYN;
  return {
    text: `${not(negated)}--tcp-flags ${formatFlags(mask)} ${formatFlags(wanted)}`,
    test: (header) => ((header.flags & mask) === wanted) !== negated,
  };
}

function flagsOf(text: string): number {
  if (text === 'ALL') return 0x3f;
  if (text === 'NONE') return 0;
  let bits = 0;
  for (const name of text.split(',')) {
    const bit = (TCP_FLAG as Readonly<Record<string, number>>)[name.toUpperCase()];
    if (bit === undefined) throw new RuleError(`Unknown TCP flag \`${name}'`);
    bits |= bit;
  }
  return bits;
}

function formatFlags(bits: number): string {
  return (
    Object.entries(TCP_FLAG)
      .filter(([, bit]) => bits & bit)
      .map(([name]) => name)
      .join(',') || 'NONE'
  );
}

/** Linux' own segments carry these options: a SYN MSS, window scale, SACK and timestamps; others timestamps; a RST none. */
function optionTest(option: GivenOption | undefined): HeaderTest | null {
  if (!option) return null;
  const { negated } = option;
  const wanted = numberOf(option.values[0]!, 'tcp', 'tcp-option', 1, 255);
  return {
    text: `${not(negated)}--tcp-option ${wanted}`,
    test: ({ flags }) => {
      const options = flags & TCP_FLAG.RST ? [] : flags & TCP_FLAG.SYN ? [1, 2, 3, 4, 8] : [1, 8];
      return options.includes(wanted) !== negated;
    },
  };
}
