import { formatIp } from '../net/ip.ts';
import type { ConnectionRequest, ConnectionResult } from '../kernel/walk/connection.ts';
import type { Server } from './refs/server.ts';

/**
 * Did the connection go to this server? The socket that answered tells it; a connection that died on the way went where its last
 * DNAT sent it.
 */
export function reachedServer(result: ConnectionResult, request: ConnectionRequest, server: Server): boolean {
  if (result.server !== null) return result.server === server.name;
  let destination = formatIp(request.destination);
  for (const event of result.request) {
    if (event.kind === 'nat' && event.type === 'dnat' && !event.outer && event.after.dst !== undefined)
      destination = event.after.dst;
  }
  return server.addresses.some((address) => formatIp(address) === destination);
}
