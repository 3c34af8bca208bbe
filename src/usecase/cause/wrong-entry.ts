import { formatIp, parseIp } from '../../net/ip.ts';
import type { CauseCode } from '../../trace/outcome.ts';
import { causeAt, onHost } from './evidence.ts';
import type { Diagnose } from './evidence.ts';
import { holderIn } from './where.ts';

/** neighbour-failed: a permanent entry of `ip neigh` on the way gives the next hop a MAC address that is not its own. */
export const wrongNeighbour: Diagnose = (evidence, site) => {
  const healthy = evidence.healthy();
  for (const [index, event] of site.events.slice(0, site.index + 1).entries()) {
    if (event.kind !== 'route' || event.dev === null || event.table === 'local') continue;
    const hop = parseIp(event.via ?? event.packet?.dst ?? '');
    const host = hop === null ? undefined : evidence.world.host(event.host);
    const entry = hop === null ? undefined : host?.neighbours.get(event.dev, hop);
    if (hop === null || !healthy || entry?.state !== 'permanent' || entry.mac === null) continue;
    const meant = healthy.host(event.host)?.neighbours.get(event.dev, hop);
    const holder = holderIn(healthy, hop);
    const own = meant?.mac ?? (holder && healthy.host(holder.host)?.devices.get(holder.device)?.mac) ?? null;
    if (own === null || own === entry.mac) continue;
    const address = formatIp(hop);
    const text = `${event.host} has an entry in \`ip neigh\` that ${address} is at ${entry.mac} on ${event.dev}, but ${holder ? `${holder.host}, which has the address, is` : 'it is'} at ${own}`;
    const command =
      meant?.state === 'permanent'
        ? `ip neigh replace ${address} lladdr ${own} dev ${event.dev} nud permanent`
        : `ip neigh del ${address} dev ${event.dev}`;
    return causeAt(site, 'neighbour-failed', text, [onHost(event.host, command)], index);
  }
  return null;
};

/** What became of a packet that a tunnel sent to the wrong node. */
const FATES: Readonly<Record<string, CauseCode>> = {
  NEIGH_FAILED: 'no-such-address',
  IP_INNOROUTES: 'no-route',
  IP_OUTNOROUTES: 'no-route',
};

/** no-such-address, no-route, tunnel-blocked: the forwarding database of a tunnel leads to another node than it was meant to. */
export const wrongFdb: Diagnose = (evidence, site) => {
  const healthy = evidence.healthy();
  for (const [index, event] of site.events.slice(0, site.index + 1).entries()) {
    const sent = site.events[index - 1];
    if (event.kind !== 'encapsulate' || sent?.kind !== 'tx' || sent.dstMac === undefined) continue;
    const { device, host, remote } = event;
    const meant = healthy?.host(host)?.fdb.find((e) => e.device === device && e.mac === sent.dstMac && e.remote !== null)?.remote;
    if (meant == null || formatIp(meant) === remote) continue;
    const text = `${device} of ${host} sends what is for ${sent.dstMac} to ${remote} instead of ${formatIp(meant)}: its forwarding database (\`bridge fdb\`) has that entry`;
    const command = `bridge fdb replace ${sent.dstMac} dev ${device} dst ${formatIp(meant)} self permanent`;
    return causeAt(site, FATES[site.drop?.reason ?? ''] ?? 'tunnel-blocked', text, [onHost(host, command)], index);
  }
  return null;
};
