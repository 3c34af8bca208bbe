import { formatCidr } from '../../../net/cidr.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { ChainRules } from '../../add-rules.ts';

/** The set of what this node's own pods may have. */
export const NO_MASQUERADE_SET = 'weaver-no-masq-local';

/**
 * The router's rules (ConfigureIPTables, net/bridge.go; exposeNAT, net/expose.go; 2.8): first in FORWARD, last elsewhere. Roles:
 * "control-port", "masquerade-jump", "to-node", "multicast", "masquerade-in", "masquerade-out", "egress-policy", "ingress-policy",
 * "policy-log", "policy-drop", "within", "expose-jump", "expose", "forward-out", "forward-replies".
 * @param npc the policy controller runs (--expect-npc)
 */
export function routerRules(range: Cidr, npc: boolean): readonly ChainRules[] {
  const canaries = (['mangle', 'nat', 'filter'] as const).map((table) => ({ table, chain: 'WEAVE-CANARY', lines: [] }));
  return [
    { table: 'filter', chain: 'INPUT', lines: inputRules(npc) },
    { table: 'filter', chain: 'FORWARD', at: 'start', lines: forwardRules(npc) },
    ...(npc ? [] : [exposed(range)]),
    { table: 'nat', chain: 'POSTROUTING', lines: [line('-j WEAVE', 'masquerade-jump')] },
    { table: 'nat', chain: 'WEAVE', lines: masqueradeRules(range) },
    ...canaries,
  ];
}

function inputRules(npc: boolean): readonly RuleLine[] {
  return [
    line(
      '-d 127.0.0.1/32 -p tcp -m tcp --dport 6784 -m addrtype ! --src-type LOCAL -m conntrack ! --ctstate RELATED,ESTABLISHED ' +
        '-m comment --comment "Block non-local access to Weave Net control port" -j DROP',
      'control-port',
    ),
    ...(npc ? [line('-i weave -j WEAVE-NPC-EGRESS', 'egress-policy')] : []),
  ];
}

function forwardRules(npc: boolean): readonly RuleLine[] {
  const first = `-m comment --comment "NOTE: this must go before '-j KUBE-FORWARD'"`;
  const policies = [
    line(`-i weave ${first} -j WEAVE-NPC-EGRESS`, 'egress-policy'),
    line(`-o weave ${first} -j WEAVE-NPC`, 'ingress-policy'),
    line('-o weave -m state --state NEW -j NFLOG --nflog-group 86', 'policy-log'),
    line('-o weave -j DROP', 'policy-drop'),
  ];
  const without = [line('-i weave -o weave -j ACCEPT', 'within'), line('-o weave -j WEAVE-EXPOSE', 'expose-jump')];
  return [
    ...(npc ? policies : without),
    line('-i weave ! -o weave -j ACCEPT', 'forward-out'),
    line('-o weave -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT', 'forward-replies'),
  ];
}

function exposed(range: Cidr): ChainRules {
  return { table: 'filter', chain: 'WEAVE-EXPOSE', lines: [line(`-d ${formatCidr(range)} -j ACCEPT`, 'expose')] };
}

function masqueradeRules(range: Cidr): readonly RuleLine[] {
  const r = formatCidr(range);
  return [
    line(
      `-m set --match-set ${NO_MASQUERADE_SET} dst -m comment --comment "Prevent SNAT to locally running containers" -j RETURN`,
      'to-node',
    ),
    line(`-s ${r} -d 224.0.0.0/4 -j RETURN`, 'multicast'),
    line(`! -s ${r} -d ${r} -j MASQUERADE`, 'masquerade-in'),
    line(`-s ${r} ! -d ${r} -j MASQUERADE`, 'masquerade-out'),
  ];
}

function line(body: string, role: string): RuleLine {
  return { body, origin: { object: null, by: 'weave', role } };
}
