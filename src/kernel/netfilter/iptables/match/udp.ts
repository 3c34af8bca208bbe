import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { RuleError } from '../option.ts';
import { PORT_OPTIONS, portTest, requireProtocol } from './ports.ts';
import type { MatchModule } from './module.ts';

/** UDP ports (xt_tcpudp.c udp_mt). */
export const udp: MatchModule = {
  name: 'udp',
  options: PORT_OPTIONS,
  build(given, scope) {
    requireProtocol(scope, PROTOCOL_NUMBER.udp, () => new RuleError("UDP match requires '-p udp'"));
    const ports = portTest(given, true);
    return { text: ports.text, test: ({ packet }) => packet.l4.protocol === 'udp' && ports.test(packet) };
  },
};
