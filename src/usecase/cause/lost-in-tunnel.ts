import { causeAt } from './evidence.ts';
import { liftedRules } from './underlay-firewall.ts';
import type { Cause } from '../../trace/outcome.ts';
import type { VxlanDevice } from '../../kernel/device/device.ts';
import type { World } from '../../kernel/world.ts';
import type { Evidence, Site } from './evidence.ts';

/**
 * tunnel-blocked: on a link that goes over a tunnel to other nodes the question who has an address is one of the tunnel's packets itself;
 * where these are lost nobody answers. null: there is no such tunnel between asker and holder.
 */
export function lostInTunnel(evidence: Evidence, site: Site, holder: string, text: string): Cause | null {
  const { world } = evidence;
  const [here, there] = [nodeOf(world, site.host), nodeOf(world, holder)];
  if (here === null || there === null || here === there) return null;
  const tunnel = floodingTunnel(world, here);
  if (!tunnel || floodingTunnel(world, there)?.port !== tunnel.port) return null;
  const packet = { protocol: 'udp', dport: tunnel.port };
  const why = `: ${there} is behind ${tunnel.name} of ${here}, and the tunnel's packets (UDP ${tunnel.port}) don't pass between the two`;
  return causeAt(site, 'tunnel-blocked', `${text.replace(/, but not on this link$/, '')}${why}`, liftedRules(evidence, packet));
}

/** The node that a host is, or hangs on. */
function nodeOf(world: World, host: string): string | null {
  if (host.startsWith('node/')) return host;
  const eth0 = world.host(host)?.devices.get('eth0');
  return eth0?.kind === 'veth' && eth0.peer.host.startsWith('node/') ? eth0.peer.host : null;
}

/** The VXLAN device of a node that sends what is for everybody to other nodes. */
function floodingTunnel(world: World, node: string): VxlanDevice | undefined {
  const devices = [...(world.host(node)?.devices.values() ?? [])];
  return devices.find((device): device is VxlanDevice => device.kind === 'vxlan' && device.learning);
}
