import { cidrsOverlap, formatCidr } from '../../net/cidr.ts';
import { formatIp, parseIp } from '../../net/ip.ts';
import type { Cause } from '../../trace/outcome.ts';
import type { FdbEntry } from '../../kernel/device/fdb.ts';
import { causeAt, describePacket, lastRoute, onHost, packetAt } from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';
import { missingRoute, translatedAway, wrongRoute } from './route.ts';
import { lostInTunnel } from './lost-in-tunnel.ts';
import { holderIn } from './where.ts';

/** neighbour-failed, tunnel-blocked, no-such-address: nobody answers for the next hop (neigh_invalidate). */
export const neighbourFailed: Diagnose = (evidence, site) => {
  if (site.drop?.reason !== 'NEIGH_FAILED') return null;
  const hop = nextHop(site);
  if (!hop)
    return causeAt(
      site,
      'neighbour-failed',
      `nobody answered ${site.host} for the next hop of ${describePacket(packetAt(site))}`,
      null,
    );
  const { address, device } = hop;
  const parsed = parseIp(address);
  const intended = parsed === null ? undefined : evidence.healthy()?.host(site.host)?.neighbours.get(device, parsed);
  if (intended?.mac) {
    const text = `${site.host} knows no MAC address for ${address} on ${device}, and nobody answers there: the entry that the network daemon made is gone`;
    return causeAt(site, 'neighbour-failed', text, [
      onHost(site.host, `ip neigh replace ${address} lladdr ${intended.mac} dev ${device} nud permanent`),
    ]);
  }
  const holder = parsed === null ? null : (holderIn(evidence.world, parsed)?.host ?? null);
  if (holder === null) {
    const target = parseIp(packetAt(site)?.dst ?? '');
    const translated = translatedAway(evidence, site, address);
    if (translated) return translated;
    const change = target === null ? null : missingRoute(evidence, site, target);
    if (change) return wrongRoute(site, change, 'no-such-address', `to ${packetAt(site)?.dst}`);
    const text = `nobody has the address ${address}: ${site.host} asked for it on ${device}, and no one answered`;
    const stale = staleEntry(site, address);
    return causeAt(site, 'no-such-address', stale === null ? text : `${text}; ${stale.text}`, stale?.remedy ?? null);
  }
  const text = `${site.host} looked for ${address} on ${device}, where nobody answers; ${holder} has it, but not on this link`;
  return (
    lostInTunnel(evidence, site, holder, text) ??
    overlappingRange(evidence, site, text) ??
    causeAt(site, 'neighbour-failed', text, null)
  );
};

/** conntrack leads to an address that is no more: what a rule once chose for the connection, no rule is asked about again. */
function staleEntry(site: Site, address: string): { readonly text: string; readonly remedy: Cause['remedy'] } | null {
  const index = site.events.findLastIndex((event) => event.kind === 'nat' && event.type === 'dnat' && !event.outer);
  const nat = site.events[index];
  if (nat?.kind !== 'nat' || nat.after.dst !== address || site.events[index - 1]?.kind === 'rule') return null;
  const protocol = nat.packet?.protocol;
  const text = `conntrack of ${nat.host} still sends this ${protocol === 'udp' ? 'client' : 'connection'} there`;
  const command = `conntrack -D -p udp --orig-dst ${nat.before.dst} --dst-nat ${address}`;
  // A TCP connection has lost its server for good.
  return { text, remedy: protocol === 'udp' ? [onHost(nat.host, command)] : null };
}

/** A pod takes its node's whole range for its own link, a node its own network: what lies in both is on one of them only. */
function overlappingRange({ cluster }: Evidence, site: Site, text: string): Cause | null {
  const { nodeCidr } = cluster.underlay;
  const pods = cluster.podCidrs.find((range) => cidrsOverlap(range, nodeCidr));
  if (pods && !site.host.startsWith('external/')) {
    const who = site.host.startsWith('pod/') ? 'the pod' : site.host;
    const why = `: the pod range ${formatCidr(pods)} overlaps with the nodes' network ${formatCidr(nodeCidr)}, so ${who} takes that for its own link`;
    const remedy = [`give cluster.podCIDR a range that does not overlap with ${formatCidr(nodeCidr)}`];
    return causeAt(site, 'neighbour-failed', `${text}${why}`, remedy);
  }
  for (const [i, node] of cluster.nodes.entries()) {
    const twin = cluster.nodes
      .slice(0, i)
      .find((other) => other.podCidrs.some((a) => node.podCidrs.some((b) => cidrsOverlap(a, b))));
    if (!twin) continue;
    const why = `: the nodes ${twin.name} and ${node.name} have pod ranges that overlap, ${twin.podCidrs.map(formatCidr).join(', ')} and ${node.podCidrs.map(formatCidr).join(', ')}`;
    return causeAt(site, 'neighbour-failed', `${text}${why}`, [`give node ${node.name} a podCIDR of its own`]);
  }
  return null;
}

function nextHop(site: Site): { readonly address: string; readonly device: string } | null {
  const asked = site.drop?.detail?.address;
  if (asked !== undefined && site.drop?.device !== undefined) return { address: asked, device: site.drop.device };
  const route = lastRoute(site);
  const address = route?.via ?? packetAt(site)?.dst;
  return route?.dev && address !== undefined ? { address, device: route.dev } : null;
}

/** fdb-missing: a vxlan device knows no remote for the next hop's MAC (vxlan_xmit). */
export const missingFdb: Diagnose = (evidence, site) => {
  if (site.drop?.reason !== 'NO_TX_TARGET') return null;
  const device = site.drop.device ?? 'the tunnel';
  const mac = site.drop.detail?.mac;
  const entry = missingEntries(evidence, site.host, device).find((e) => e.mac === mac);
  const text = `${device} of ${site.host} does not know behind which node ${mac ?? 'the next hop'} is: its forwarding database has no entry for it`;
  if (!entry || entry.remote === null) return causeAt(site, 'fdb-missing', text, null);
  const command = `bridge fdb append ${entry.mac} dev ${device} dst ${formatIp(entry.remote)} self permanent`;
  return causeAt(site, 'fdb-missing', text, [onHost(site.host, command)]);
};

function missingEntries({ world, healthy }: Evidence, host: string, device: string): FdbEntry[] {
  const present = world.host(host)?.fdb ?? [];
  const intended = healthy()?.host(host)?.fdb ?? [];
  return intended.filter((e) => e.device === device && !present.some((p) => p.device === device && p.mac === e.mac));
}
