import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { invalidArgument, RuleError } from '../option.ts';
import { join, not } from '../value.ts';
import { PORT_OPTIONS, portTest, requireProtocol } from './ports.ts';
import type { GivenOption } from '../option.ts';
import type { MatchModule } from './module.ts';

/** Chunk types by number (RFC 9260), in the order of iptables-save. */
// biome-ignore format: a table reads better in rows
const CHUNKS: ReadonlyMap<string, number> = new Map([
  ['DATA', 0], ['INIT', 1], ['INIT_ACK', 2], ['SACK', 3], ['HEARTBEAT', 4], ['HEARTBEAT_ACK', 5], ['ABORT', 6], ['SHUTDOWN', 7],
  ['SHUTDOWN_ACK', 8], ['ERROR', 9], ['COOKIE_ECHO', 10], ['COOKIE_ACK', 11], ['ECN_ECNE', 12], ['ECN_CWR', 13],
  ['SHUTDOWN_COMPLETE', 14], ['I_DATA', 64], ['RE_CONFIG', 130], ['PAD', 132], ['ASCONF', 193], ['ASCONF_ACK', 128],
  ['FORWARD_TSN', 192], ['I_FORWARD_TSN', 194],
]);

/** SCTP ports and chunk types (xt_sctp.c). A packet here has one chunk, so "any", "all" and "only" ask for that one. */
export const sctp: MatchModule = {
  name: 'sctp',
  options: [...PORT_OPTIONS, { name: 'chunk-types', args: 2, negatable: true }],
  build(given, scope) {
    requireProtocol(scope, PROTOCOL_NUMBER.sctp, invalidArgument);
    const ports = portTest(given, false);
    const chunks = chunkTest(given.get('chunk-types'));
    return {
      text: join(ports.text, chunks?.text),
      test: ({ packet }) => {
        const { l4 } = packet;
        if (l4.protocol !== 'sctp' || !ports.test(packet)) return false;
        return chunks === null ? true : chunks.test(l4.chunk);
      },
    };
  },
};

interface ChunkTest {
  readonly text: string;
  test(chunk: number): boolean | 'unknown';
}

/** Flags of a chunk ("DATA:Be") are not part of a packet here: where they would decide, the answer is unknown. */
function chunkTest(option: GivenOption | undefined): ChunkTest | null {
  if (!option) return null;
  const { negated } = option;
  const [how, list] = option.values as [string, string];
  if (!['any', 'all', 'only'].includes(how)) throw new RuleError('sctp: --chunk-types needs any, all or only');
  const given = new Map(
    list === 'ALL'
      ? [...CHUNKS.keys()].map((name) => [name, ''])
      : list === 'NONE'
        ? []
        : list.split(',').map((part) => {
            const [name, flags = ''] = part.split(':') as [string, string?];
            if (!CHUNKS.has(name.toUpperCase())) throw new RuleError(`Unknown sctp chunk \`${name}'`);
            return [name.toUpperCase(), flags];
          }),
  );
  const names = [...CHUNKS.keys()].filter((name) => given.has(name));
  const printed =
    list === 'ALL' || list === 'NONE' ? list : names.map((name) => name + (given.get(name) && `:${given.get(name)}`)).join(',');
  return {
    text: `${not(negated)}--chunk-types ${how} ${printed}`,
    test: (chunk) => {
      const name = names.find((candidate) => CHUNKS.get(candidate) === chunk);
      if (name !== undefined && given.get(name)) return 'unknown';
      const every = how !== 'all' || names.length <= 1;
      return (name !== undefined && every) !== negated;
    },
  };
}
