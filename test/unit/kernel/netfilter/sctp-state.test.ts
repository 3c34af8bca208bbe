import { describe, expect, test } from 'vitest';
import { SCTP_CHUNK as CHUNK } from '../../../../src/net/sctp.ts';
import { nextSctpState, opensSctpEntry } from '../../../../src/kernel/netfilter/conntrack/sctp-state.ts';
import type { SctpState } from '../../../../src/kernel/netfilter/conntrack/sctp-state.ts';

type Step = readonly [direction: 'original' | 'reply', chunk: keyof typeof CHUNK, state: SctpState | 'INVALID'];

/** sctp_conntracks of nf_conntrack_proto_sctp.c, as associations go through it. */
describe('states of an SCTP entry', () => {
  const opened: readonly Step[] = [
    ['original', 'INIT', 'CLOSED'],
    ['reply', 'INIT_ACK', 'COOKIE_WAIT'],
    ['original', 'COOKIE_ECHO', 'COOKIE_ECHOED'],
    ['reply', 'COOKIE_ACK', 'ESTABLISHED'],
  ];
  test.each<[string, readonly Step[]]>([
    ['a handshake', opened],
    ['an INIT sent again', [...opened.slice(0, 1), ['original', 'INIT', 'CLOSED'], ['reply', 'INIT_ACK', 'COOKIE_WAIT']]],
    [
      'a closed port',
      [
        ['original', 'INIT', 'CLOSED'],
        ['reply', 'ABORT', 'CLOSED'],
      ],
    ],
    ['a stale cookie', [...opened.slice(0, 3), ['reply', 'ERROR', 'CLOSED']]],
    ['a restart', [...opened, ['original', 'INIT', 'ESTABLISHED']]],
    [
      'the client ends it',
      [
        ...opened,
        ['original', 'SHUTDOWN', 'SHUTDOWN_SENT'],
        ['reply', 'SHUTDOWN_ACK', 'SHUTDOWN_ACK_SENT'],
        ['original', 'SHUTDOWN_COMPLETE', 'CLOSED'],
      ],
    ],
    [
      'the server ends it',
      [...opened, ['reply', 'SHUTDOWN', 'SHUTDOWN_RECD'], ['original', 'SHUTDOWN_ACK', 'SHUTDOWN_ACK_SENT']],
    ],
    ['an abort in the middle', [...opened, ['reply', 'ABORT', 'CLOSED']]],
    ['an answer to nothing', [['reply', 'INIT_ACK', 'INVALID']]],
  ])('%s', (_, steps) => {
    let state: SctpState = 'NONE';
    for (const [direction, chunk, expected] of steps) {
      const next = nextSctpState(direction, state, CHUNK[chunk]);
      expect(next, `${chunk} in ${state}`).toBe(expected);
      if (next !== 'INVALID') state = next;
    }
  });

  test('DATA changes nothing (sctp_new_state)', () => expect(nextSctpState('original', 'ESTABLISHED', 0)).toBe('ESTABLISHED'));
});

test.each<[string, number, boolean]>([
  ['INIT', CHUNK.INIT, true],
  ['SHUTDOWN-ACK', CHUNK.SHUTDOWN_ACK, true],
  ['HEARTBEAT, of another path', 4, true],
  ['ABORT', CHUNK.ABORT, false],
  ['COOKIE-ACK', CHUNK.COOKIE_ACK, false],
  ['SHUTDOWN-COMPLETE', CHUNK.SHUTDOWN_COMPLETE, false],
  ['DATA', 0, false],
])('may %s begin an entry (nf_conntrack_sctp_packet, sctp_new)', (_, chunk, may) => expect(opensSctpEntry(chunk)).toBe(may));
