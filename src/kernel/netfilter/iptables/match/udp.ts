import { PORT_OPTIONS, portTest } from './ports.ts';
import type { MatchModule } from './module.ts';

/** UDP ports (xt_tcpudp.c udp_mt). */
export const udp: MatchModule = {
  name: 'udp',
  options: PORT_OPTIONS,
  build(given) {
    const ports = portTest(given);
    return { text: ports.text, test: ({ packet }) => packet.l4.protocol === 'udp' && ports.test(packet) };
  },
};
