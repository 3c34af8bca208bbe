import { TCP_FLAG } from '../../../../net/packet.ts';
import { join } from '../value.ts';
import type { MatchModule } from './module.ts';

/**
 * Is there a socket here that takes the packet (xt_socket.c)? No socket here is a transparent one. Whether a listener is bound to
 * one address, which decides about a new connection unless --nowildcard is given, can't be told.
 */
export const socket: MatchModule = {
  name: 'socket',
  hooks: ['PREROUTING', 'INPUT'],
  options: [
    { name: 'transparent', args: 0 },
    { name: 'nowildcard', args: 0 },
    { name: 'restore-skmark', args: 0 },
  ],
  build(given) {
    const [transparent, noWildcard, restore] = [given.has('transparent'), given.has('nowildcard'), given.has('restore-skmark')];
    return {
      text: join(transparent && '--transparent', noWildcard && '--nowildcard', restore && '--restore-skmark'),
      test: (context) => {
        if (transparent || !context.socketExists()) return false;
        if (restore) return 'unknown';
        const { l4 } = context.packet;
        const meetsListener = l4.protocol === 'tcp' ? (l4.flags & (TCP_FLAG.SYN | TCP_FLAG.ACK)) === TCP_FLAG.SYN : true;
        return noWildcard || !meetsListener ? true : 'unknown';
      },
    };
  },
};
