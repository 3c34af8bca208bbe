import { cidrContains, formatCidr } from '../../net/cidr.ts';
import { parseIp } from '../../net/ip.ts';
import type { RoutingRule } from '../../kernel/routing/route.ts';
import { causeAt, describePacket, lastBefore, onHost, packetAt } from './evidence.ts';
import type { Diagnose } from './evidence.ts';

type Refusing = Exclude<RoutingRule['action']['kind'], 'lookup'>;

/** route-blackhole, route-prohibit, route-unreachable: a rule of `ip rule` refuses by itself, before any table is asked (fib_rule_action). */
export const routingRuleRefuses: Diagnose = ({ world, request }, site) => {
  const index = lastBefore(site, (e) => e.kind === 'route');
  const route = site.events[index];
  if (route?.kind !== 'route' || route.entry !== null) return null;
  const packet = packetAt(site);
  const src = parseIp(packet?.src ?? '');
  const dst = parseIp(packet?.dst ?? '') ?? request.destination;
  const selects = ({ from, to, family, invert }: RoutingRule): boolean =>
    family === (typeof dst === 'number' ? 4 : 6) &&
    (invert || ((!from || (src !== null && cidrContains(from, src))) && (!to || cidrContains(to, dst))));
  for (const rule of world.host(site.host)?.routing.rules ?? []) {
    const { kind } = rule.action;
    if (kind === 'lookup' || !selects(rule)) continue;
    const what = site.drop ? describePacket(packet) : `what is sent to ${packet?.dst ?? 'it'}`;
    const text = `${site.host} has the rule \`${asPrinted(rule, kind)}\` in \`ip rule\`, which refuses ${what} before any route is looked up`;
    const family = rule.family === 6 ? 'ip -6' : 'ip';
    return causeAt(site, `route-${kind}`, text, [onHost(site.host, `${family} rule del pref ${rule.priority}`)], index);
  }
  return null;
};

/** As `ip rule` prints it. */
function asPrinted({ priority, invert, from, to, iif, oif }: RoutingRule, kind: Refusing): string {
  const parts = [
    `${priority}:`,
    ...(invert ? ['not'] : []),
    `from ${from ? formatCidr(from) : 'all'}`,
    ...(to ? [`to ${formatCidr(to)}`] : []),
    ...(iif === null ? [] : [`iif ${iif}`]),
    ...(oif === null ? [] : [`oif ${oif}`]),
    kind,
  ];
  return parts.join(' ');
}
