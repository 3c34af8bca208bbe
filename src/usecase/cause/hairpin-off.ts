import { causeAt, describePacket, onHost, packetAt } from './evidence.ts';
import type { Diagnose } from './evidence.ts';

/**
 * hairpin-off: a bridge never sends a frame back out of the port it came in by, unless that port is in hairpin mode
 * (br_forward.c, should_deliver).
 */
export const hairpinOff: Diagnose = (_evidence, site) => {
  const port = site.drop?.device;
  if (site.drop?.where !== 'br_handle_frame_finish' || port === undefined) return null;
  const text = `${describePacket(packetAt(site))} would go back out of ${port} on ${site.host}, the bridge port it came in by, and that port is not in hairpin mode`;
  return causeAt(site, 'hairpin-off', text, [onHost(site.host, `bridge link set dev ${port} hairpin on`)]);
};
