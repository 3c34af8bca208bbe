import type { PolicyEvent, RuleEvent } from '../../trace/event.ts';
import type { Cause } from '../../trace/outcome.ts';
import {
  acceptByPolicy,
  causeAt,
  chainOf,
  deleteRule,
  describePacket,
  describeRule,
  lastBefore,
  onHost,
  packetAt,
  placeOf,
  untrackingRule,
} from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';
import { serviceOfAddress } from '../refs/service.ts';
import { noEndpoints, noLocalEndpoints, sourceRange, unknownPort } from './service-refuses.ts';

/** The rule or policy that dropped what was lost at a site: the last deciding one on that host. null: it was none. */
export function droppingRule(site: Site): { readonly event: RuleEvent | PolicyEvent; readonly index: number } | null {
  if (site.drop?.reason !== 'NETFILTER_DROP') return null;
  const index = lastBefore(site, (e) => e.kind === 'rule' || e.kind === 'policy');
  const event = site.events[index];
  if ((event?.kind === 'rule' || event?.kind === 'policy') && event.verdict === 'drop') return { event, index };
  return null;
}

/** Everything that a DROP, a REJECT or a policy decided. */
export const ruleDropped: Diagnose = (evidence, site) => {
  const found = droppingRule(site);
  if (!found) return null;
  const { event, index } = found;
  if (event.kind === 'policy') return policyDrop(evidence, event, site, index);
  switch (roleOf(event)) {
    case 'no-endpoints':
      return noEndpoints(evidence, site, event, index);
    case 'no-local-endpoints':
      return noLocalEndpoints(evidence, site, event, index);
    case 'source-range':
      return sourceRange(evidence, site, event, index);
    case 'unknown-port':
      return unknownPort(evidence, site, event, index);
    case 'invalid-drop':
      return conntrackInvalid(evidence, site, event, index);
    case 'localnet-guard':
      return causeAt(
        site,
        'rule-drop',
        `${site.host} dropped it by ${placeOf(event)}: 127.0.0.0/8 is not open to others, as designed`,
        null,
        index,
      );
    default:
      return isReject(event) ? ruleReject(site, event, index) : ruleDrop(evidence, site, event, index);
  }
};

/** What kube-proxy made a rule for: its origin says it, in a dump its text does. */
function roleOf(rule: RuleEvent): string | null {
  if (rule.origin?.role !== undefined) return rule.origin.role;
  if (!rule.chain.startsWith('KUBE-')) return null;
  if (/has no endpoints"/.test(rule.text)) return 'no-endpoints';
  if (/has no local endpoints"/.test(rule.text)) return 'no-local-endpoints';
  if (/traffic not accepted by KUBE-FW-/.test(rule.text)) return 'source-range';
  if (rule.chain === 'KUBE-FORWARD' && /--ctstate INVALID/.test(rule.text)) return 'invalid-drop';
  if (rule.chain === 'KUBE-FIREWALL' && /block incoming localnet/.test(rule.text)) return 'localnet-guard';
  return null;
}

export function isReject(rule: RuleEvent): boolean {
  return rule.family === undefined
    ? / -j REJECT\b/.test(rule.text)
    : /(^| )reject( |$)/.test(rule.text.replace(/ comment ".*"$/, ''));
}

/** Firewalls that were made for other proxy modes do not expect service traffic in INPUT. */
function becauseOfIpvs({ cluster, request }: Evidence, event: RuleEvent | PolicyEvent): string {
  const isService =
    event.hook === 'INPUT' && cluster.kubeProxy.mode === 'ipvs' && serviceOfAddress(cluster, request.destination) !== null;
  return isService ? "; in mode ipvs a service's address is one of the node's own, so its traffic passes INPUT, not FORWARD" : '';
}

function policyDrop(evidence: Evidence, event: PolicyEvent, site: Site, index: number): Cause {
  const text = `no rule of ${chainOf(event)} on ${event.host} accepted ${describePacket(packetAt(site))}, and the chain's policy is DROP${becauseOfIpvs(evidence, event)}`;
  return causeAt(site, 'policy-drop', text, [onHost(event.host, acceptByPolicy(event))], index);
}

function ruleDrop(evidence: Evidence, site: Site, rule: RuleEvent, index: number): Cause {
  const text = `${rule.host} dropped ${describePacket(packetAt(site))} by ${describeRule(rule)}${becauseOfIpvs(evidence, rule)}`;
  return causeAt(site, 'rule-drop', text, [deleteRule(rule)], index);
}

function ruleReject(site: Site, rule: RuleEvent, index: number): Cause {
  const text = `${rule.host} rejected ${describePacket(packetAt(site))} by ${describeRule(rule)}`;
  return causeAt(site, 'rule-reject', text, [deleteRule(rule)], index);
}

/**
 * conntrack-invalid: KUBE-FORWARD drops what belongs to no connection that this node has seen begin. Either the first packet was
 * exempt from tracking, or it went another way.
 */
function conntrackInvalid({ result }: Evidence, site: Site, rule: RuleEvent, index: number): Cause {
  const untracking = untrackingRule(result, site.host);
  const packet = describePacket(packetAt(site));
  if (untracking) {
    const text = `${site.host} dropped ${packet} as INVALID (${placeOf(rule)}), since ${describeRule(untracking)} kept the connection out of conntrack`;
    return causeAt(site, 'conntrack-invalid', text, [deleteRule(untracking)], index);
  }
  const text = `${site.host} dropped ${packet} as INVALID (${placeOf(rule)}): conntrack there knows no connection that it belongs to: the other direction took another way, or was changed before it was seen`;
  return causeAt(site, 'conntrack-invalid', text, null, index);
}
