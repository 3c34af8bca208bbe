import { EstablishedSockets } from '../socket/established-sockets.ts';
import { verdictOfErrno } from '../socket/errno.ts';
import { invariant } from '../../support/invariant.ts';
import { perform, replyOf } from './perform.ts';
import { Walk } from './walk.ts';
import type { Established } from '../socket/established.ts';
import type { ConnectionOptions, ConnectionRequest, ConnectionResult } from './connection.ts';

/**
 * One more segment of a TCP connection that stands: from its client's socket to its server's, and the acknowledgement back. What
 * conntrack remembers decides where it goes; where it remembers nothing the segment begins an entry of its own
 * (nf_conntrack_tcp_loose). `request` says what the segment looks like.
 */
export function continueConnection(
  request: ConnectionRequest,
  established: Established,
  { world, state, choices, record }: ConnectionOptions,
): ConnectionResult {
  const walk = new Walk(world, state, choices, record);
  const { client } = established;
  const host = world.host(client.host);
  invariant(host, `there is no host ${client.host}`);
  const sockets = new EstablishedSockets(walk, request, established);
  walk.sockets = sockets;
  sockets.send(host);
  walk.run(perform);
  const { errno } = sockets;
  return {
    verdict: errno !== null ? verdictOfErrno(errno) : sockets.acknowledged ? 'connected' : 'timeout',
    errno,
    server: sockets.server,
    answering: sockets.answering,
    source: sockets.source,
    local: { address: client.address, port: client.port },
    established: errno === null ? established : null,
    unknownRules: [...walk.unknownRules],
    losses: walk.losses,
    request: walk.events.request,
    reply: replyOf(walk),
    ack: [],
    data: [],
    rulesLookedAt: walk.rulesLookedAt,
    work: walk.work,
    givenUp: walk.givenUp,
  };
}
