import type { Endpoint } from './connection-sockets.ts';

/** The sockets of a TCP connection that came to be, and that a later walk may continue. */
export interface Established {
  readonly client: Endpoint;
  /** null: the server's socket is gone, with its process or its namespace. */
  readonly server: Endpoint | null;
  /** Bytes of TCP header and data that both ends and the path, as far as known, allow in one segment. */
  readonly segment: number;
}
