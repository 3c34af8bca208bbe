import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { isLaterFragment, portsOf } from '../../../../net/packet.ts';
import { RuleError, exactlyOne } from '../option.ts';
import { formatRange, not, portOf } from '../value.ts';
import type { NumberRange } from '../value.ts';
import type { MatchModule } from './module.ts';

/** Protocols with ports: tcp, udp, sctp, dccp, udplite. */
const WITH_PORTS: readonly number[] = [PROTOCOL_NUMBER.tcp, PROTOCOL_NUMBER.udp, PROTOCOL_NUMBER.sctp, 33, 136];
/** XT_MULTI_PORTS: a range takes two of them. */
const MAX_PORTS = 15;

/** A list of ports and ranges (xt_multiport.c ports_match_v1). */
export const multiport: MatchModule = {
  name: 'multiport',
  options: [
    { name: 'sports', aliases: ['source-ports'], negatable: true },
    { name: 'dports', aliases: ['destination-ports'], negatable: true },
    { name: 'ports', negatable: true },
  ],
  build(given, { protocol }) {
    if (protocol.negated || !WITH_PORTS.includes(protocol.number)) {
      throw new RuleError("multiport needs `-p tcp', `-p udp', `-p udplite', `-p sctp' or `-p dccp'");
    }
    const option = exactlyOne(given, 'multiport', ['sports', 'dports', 'ports'], 'multiport expection an option');
    const { negated, name } = option;
    const ranges = portList(option.values[0]!);
    const listed = (port: number) => ranges.some(({ min, max }) => port >= min && port <= max);
    return {
      text: `${not(negated)}--${name} ${ranges.map((range) => formatRange(range)).join(',')}`,
      test: ({ packet }) => {
        const ports = portsOf(packet);
        if (ports === null || isLaterFragment(packet)) return false;
        const found = (name !== 'dports' && listed(ports.sport)) || (name !== 'sports' && listed(ports.dport));
        return found !== negated;
      },
    };
  },
};

function portList(text: string): readonly NumberRange[] {
  const ranges = text.split(',').map((part) => {
    const [low, high] = part.split(':');
    const min = portOf(low!);
    const max = high === undefined ? min : portOf(high);
    if (min > max) throw new RuleError('invalid portrange specified');
    return { min, max };
  });
  const words = ranges.reduce((sum, { min, max }) => sum + (min === max ? 1 : 2), 0);
  if (words > MAX_PORTS) throw new RuleError('too many ports specified');
  return ranges;
}
