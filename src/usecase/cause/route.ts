import { cidrContains, formatCidr } from '../../net/cidr.ts';
import { formatIp, parseIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import { formatRoute } from '../../kernel/routing/format.ts';
import type { RouteEvent } from '../../trace/event.ts';
import type { Cause, CauseCode } from '../../trace/outcome.ts';
import {
  causeAt,
  deleteRule,
  describePacket,
  describeRule,
  foreignTranslation,
  lastBefore,
  lastRoute,
  onHost,
  packetAt,
} from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';
import { serviceOfAddress } from '../refs/service.ts';
import { bestRoute, holderIn, mainTable } from './where.ts';

const REFUSING = ['unreachable', 'prohibit', 'blackhole'] as const;

/** route-unreachable, route-prohibit, route-blackhole: the route that matched refuses. */
export const routeRefuses: Diagnose = (evidence, site) => {
  const route = lastRoute(site);
  const kind = REFUSING.find((type) => route?.entry?.startsWith(type));
  if (!route?.entry || !kind) return null;
  const code: CauseCode = `route-${kind}`;
  const packet = packetAt(site);
  const refused = site.drop ? describePacket(packet) : `what it sends to ${packet?.dst ?? evidence.destination.label}`;
  const text = `${site.host} has the route \`${route.entry}\` in table ${route.table}, which refuses ${refused}`;
  const table = route.table === 'main' ? '' : ` table ${route.table}`;
  const remedy = [onHost(site.host, `ip route del ${route.entry}${table}`)];
  const address = parseIp(packet?.dst ?? '') ?? evidence.request.destination;
  if (holderIn(evidence.world, address) === null && serviceOfAddress(evidence.cluster, address) === null)
    return causeAt(
      site,
      code,
      `${text}; nobody has the address, so there is nothing to be reached, as designed`,
      null,
      routeIndex(site),
    );
  const replaced = route.table === 'main' ? lostRoute(evidence, site.host, address) : null;
  if (replaced) remedy.push(onHost(site.host, `ip route add ${replaced}`));
  return causeAt(site, code, text, remedy, routeIndex(site));
};

/** The route that should lead on and is not there any more: one that refuses took its place. */
function lostRoute({ world, healthy }: Evidence, host: string, address: IpAddress): string | null {
  const intended = healthy();
  const right = intended && bestRoute(intended, host, address);
  if (!right) return null;
  for (const route of mainTable(world, host)?.lookup(address) ?? []) if (formatRoute(route) === right.route) return null;
  return right.route;
}

/** no-route, no-route-back, no-such-address: no route leads on, or only one to a host that has none. */
export const noRoute: Diagnose = (evidence, site) => {
  const { drop, part } = site;
  const unroutable = drop
    ? ['IP_INNOROUTES', 'IP_INADDRERRORS', 'IP_OUTNOROUTES'].includes(drop.reason) || drop.where === 'nf_hook_slow'
    : isLocalFailure(evidence);
  if (!unroutable) return null;
  const target = tunnelEnd(site) ?? packetAt(site)?.dst ?? (part === 'request' ? evidence.destination.label : null);
  if (target === null) return null;
  const address = parseIp(target) ?? (part === 'request' ? evidence.request.destination : null);
  const repair = address === null ? null : missingRoute(evidence, site, address);
  const code: CauseCode = part === 'request' ? 'no-route' : 'no-route-back';
  const what = part === 'request' ? `to ${target}` : `back to ${target}`;
  if (repair) return wrongRoute(site, repair, code, what);
  if (part === 'request' && address !== null && drop && holderIn(evidence.world, address) === null)
    return translatedAway(evidence, site, target) ?? nobody(site, target);
  if (part === 'reply') {
    const cause = translatedAway(evidence, site, target);
    if (cause) return cause;
  }
  const astray = strangeTable(site);
  if (astray !== null && address !== null) return ledAstray(evidence, site, code, what, address, astray);
  const isPod = evidence.cluster.pods.some((pod) => !pod.hostNetwork && address !== null && pod.addresses.includes(address));
  const why = isPod && site.host === 'underlay' ? ": pods' addresses are known to the nodes only" : '';
  const masquerade = part === 'reply' && why !== '' ? missingMasquerade(evidence, address) : null;
  const nobodyDid = masquerade === null ? '' : ', and nobody masqueraded the client on its way out';
  const text = `${site.host} has no route ${what}${why}${nobodyDid}`;
  if (masquerade !== null) return causeAt(site, code, text, [masquerade], routeIndex(site));
  return causeAt(site, code, text, overlayRoute(evidence, site, address), routeIndex(site));
};

/** The last host before the site that looked the packet up in a table of an operator's (`ip rule`). */
function strangeTable(site: Site): RouteEvent | null {
  const outer = site.drop?.outer ?? false;
  const event = site.events
    .slice(0, site.index)
    .findLast(
      (e) => e.kind === 'route' && (e.outer ?? false) === outer && !['main', 'local', 'default', 'none'].includes(e.table),
    );
  return event?.kind === 'route' ? event : null;
}

function ledAstray(evidence: Evidence, site: Site, code: CauseCode, what: string, address: IpAddress, by: RouteEvent): Cause {
  const where =
    by.host === site.host ? 'which leads nowhere' : `which led it astray to ${site.host}, where no route leads on ${what}`;
  const text = `${by.host} looked it up in table ${by.table}, as a rule of \`ip rule\` there says, and took \`${by.entry ?? 'no route'}\`, ${where}`;
  const right = bestRoute(evidence.world, by.host, address);
  const remedy = right ? [onHost(by.host, `ip route add ${right.route} table ${by.table}`)] : null;
  return causeAt(site, code, text, remedy, site.events.indexOf(by));
}

/** The other end of a tunnel that knows no way there: the packet that is dropped is still the inner one. */
function tunnelEnd(site: Site): string | null {
  if (site.drop?.where !== 'vxlan_xmit_one') return null;
  const event = site.events[lastBefore(site, (e) => e.kind === 'encapsulate')];
  return event?.kind === 'encapsulate' ? event.remote : null;
}

function isLocalFailure({ result }: Evidence): boolean {
  return ['network-unreachable', 'host-unreachable', 'invalid-argument', 'prohibited'].includes(result.verdict);
}

function nobody(site: Site, address: string): Cause {
  return causeAt(site, 'no-such-address', `nobody has the address ${address}, and ${site.host} knows no route to it`, null);
}

/** no-such-address, no-route-back: a rule of an operator's put an address into the packet that leads nowhere. */
export function translatedAway({ result }: Evidence, site: Site, address: string): Cause | null {
  const isRequest = site.part === 'request';
  const rule = foreignTranslation(result.request, isRequest ? 'dnat' : 'snat', address);
  if (!rule) return null;
  const text = isRequest
    ? `${describeRule(rule)}, of ${rule.host} sends the packet to ${address}, and nobody who has that address can be reached from ${site.host}`
    : `${describeRule(rule)}, of ${rule.host} gives the client the source ${address}, and ${site.host} knows no way back to that`;
  return causeAt(site, isRequest ? 'no-such-address' : 'no-route-back', text, [deleteRule(rule)]);
}

function routeIndex(site: Site): number {
  const index = lastBefore(site, (e) => e.kind === 'route');
  return index < 0 ? site.index : index;
}

/** How a host's main table differs from what its controllers meant it to have for an address. */
export interface RouteChange {
  readonly host: string;
  /** As it should be. */
  readonly route: string;
  /** What it takes instead of that route; null: it has none for the address any more. */
  readonly instead: string | null;
  /** The route is there still, but the other one is more specific or preferred. */
  readonly shadowed: boolean;
}

/** The first host on the way, up to the site, that would route the address better without its operator's commands. */
export function missingRoute(evidence: Evidence, site: Site, address: IpAddress): RouteChange | null {
  const healthy = evidence.healthy();
  if (!healthy) return null;
  for (const host of new Set([...site.events.slice(0, site.index + 1).map((e) => e.host), site.host])) {
    const intended = bestRoute(healthy, host, address);
    const instead = bestRoute(evidence.world, host, address)?.route ?? null;
    if (!intended || intended.route === instead) continue;
    const present = [...(mainTable(evidence.world, host)?.lookup(address) ?? [])].map(formatRoute);
    return { host, route: intended.route, instead, shadowed: present.includes(intended.route) };
  }
  return null;
}

/** The cause that a host routes the packet otherwise than it was meant to, and the command that mends it. */
export function wrongRoute(site: Site, change: RouteChange, code: CauseCode, what: string): Cause {
  const { host, route, instead, shadowed } = change;
  if (shadowed && instead !== null) {
    const by = host === site.host ? '' : ` and leads the packet astray to ${site.host}`;
    const text = `${host} has the route \`${instead}\` ${what}, which comes before its route \`${route}\`${by}`;
    return causeAt(site, code, text, [onHost(host, `ip route del ${instead}`)], routeIndex(site));
  }
  const astray = host === site.host ? '' : `, so the packet went astray to ${site.host}, which has none either`;
  const replaced = instead?.split(' ')[0] === route.split(' ')[0];
  const but = replaced ? ` but \`${instead}\`` : '';
  const text = `${host} no longer has its route ${what}, \`${route}\`${but}${astray}`;
  return causeAt(site, code, text, [onHost(host, `ip route ${replaced ? 'replace' : 'add'} ${route}`)], routeIndex(site));
}

/** The rule by which the client's node would lend its address to what leaves the pods' range. */
function missingMasquerade({ cluster, source, result }: Evidence, address: IpAddress | null): string | null {
  const { pod } = source;
  const range = cluster.podCidrs.find((cidr) => address !== null && cidrContains(cidr, address));
  if (!pod || pod.hostNetwork || !range || address === null || !pod.addresses.includes(address)) return null;
  if (result.request.some((event) => event.kind === 'nat' && event.type === 'snat' && !event.outer)) return null;
  const pods = formatCidr(range);
  return onHost(`node/${pod.node}`, `iptables -t nat -A POSTROUTING -s ${pods} ! -d ${pods} -j MASQUERADE`);
}

/** Pods behind an overlay are unknown to everybody but the nodes: the route that would tell the router, through the pod's node. */
function overlayRoute({ cluster }: Evidence, site: Site, address: IpAddress | null): readonly string[] | null {
  const pod = cluster.pods.find((p) => !p.hostNetwork && address !== null && p.addresses.includes(address));
  const node = cluster.nodes.find((n) => n.name === pod?.node);
  const nodeAddress = node?.addresses.find((a) => typeof a === typeof address);
  if (!pod || nodeAddress === undefined || site.host !== 'underlay' || address === null) return null;
  return [onHost(site.host, `ip route add ${formatIp(address)} via ${formatIp(nodeAddress)}`)];
}
