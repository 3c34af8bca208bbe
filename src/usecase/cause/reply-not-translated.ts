import { formatIp } from '../../net/ip.ts';
import { sysctl } from '../../kernel/sysctl.ts';
import type { Cause } from '../../trace/outcome.ts';
import { causeAt, deleteRule, describePacket, describeRule, onHost, packetAt, untrackingRule } from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';

/**
 * bridge-nf-off, reply-not-translated: the answer reaches the client from an address it never spoke to, because it passed by the
 * conntrack entry that would have put the service's address back. The client has no such connection.
 */
export const replyNotTranslated: Diagnose = (evidence, site) => {
  const { request, result } = evidence;
  if (site.drop?.reason !== 'NO_SOCKET' || site.part !== 'reply') return null;
  const packet = packetAt(site);
  if (site.host !== request.host) return answeredToAnother(evidence, site);
  const expected = formatIp(request.destination);
  const translator = result.request.find((e) => e.kind === 'nat' && e.type === 'dnat' && !e.outer)?.host;
  if (translator === undefined) {
    const text = `the answer ${describePacket(packet)} is not what ${request.owner} waits for: an address or port of it was changed on the way`;
    return causeAt(site, 'reply-not-translated', text, null);
  }
  if (bypassed(evidence, translator)) {
    const text = `${translator} translated the request, but bridged the answer ${describePacket(packet)} past netfilter (net.bridge.bridge-nf-call-iptables=0), so the client gets it from the endpoint instead of ${expected}`;
    return causeAt(site, 'bridge-nf-off', text, [onHost(translator, 'sysctl -w net.bridge.bridge-nf-call-iptables=1')]);
  }
  const untracking = untrackingRule(result, translator);
  if (untracking) {
    const text = `the client gets the answer ${describePacket(packet)} instead of one from ${expected}: ${describeRule(untracking)} kept it out of conntrack on ${translator}, so the translation was not undone`;
    return causeAt(site, 'reply-not-translated', text, [deleteRule(untracking)]);
  }
  const passes = result.reply.some((e) => e.host === translator);
  const why = passes
    ? `${translator} did not take it for an answer to the connection it had translated`
    : `it does not come back through ${translator}, which translated the request`;
  const text = `the client gets the answer ${describePacket(packet)} instead of one from ${expected}: ${why}`;
  return causeAt(site, 'reply-not-translated', text, passes ? null : masquerade(evidence, translator));
};

/** own-source-address: the answer goes to the host whose address the client used; or to one that a rule on the way named. */
function answeredToAnother({ request, result }: Evidence, site: Site): Cause {
  const packet = packetAt(site);
  const local = result.local === null ? null : formatIp(result.local.address);
  if (packet?.dst === local) {
    const text = `the client used the source address ${local}, which is ${site.host}'s: the answer ${describePacket(packet)} went there, where nobody waits for it`;
    return causeAt(site, 'own-source-address', text, null);
  }
  const text = `the answer ${describePacket(packet)} went to ${site.host}, where nobody waits for it, instead of ${request.owner}: the source that was put in on the way was not put back`;
  return causeAt(site, 'reply-not-translated', text, null);
}

/** Masquerading makes the endpoint answer to the node that translated. */
function masquerade({ result }: Evidence, translator: string): readonly string[] | null {
  const dnat = result.request.findLast((e) => e.kind === 'nat' && e.type === 'dnat' && !e.outer && e.host === translator);
  if (dnat?.kind !== 'nat' || dnat.after.dst === undefined) return null;
  return [onHost(translator, `iptables -t nat -A POSTROUTING -d ${dnat.after.dst}/32 -j MASQUERADE`)];
}

/** The answer was bridged on the translating node, and its bridges don't call iptables. */
function bypassed({ world, result }: Evidence, node: string): boolean {
  const host = world.host(node);
  if (!host || sysctl(host.sysctls, 'net.bridge.bridge-nf-call-iptables') !== 0) return false;
  const answer = result.reply.filter((e) => e.host === node && !e.outer);
  return answer.length > 0 && !answer.some((e) => e.kind === 'route');
}
