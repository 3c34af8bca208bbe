import { hash } from 'node:crypto';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { ChainRules } from '../../add-rules.ts';

/** Namespaces that every cluster has. */
const ALWAYS = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const MARK = '0x40000/0x40000';

/** Where the policy controller keeps the pods of a namespace that no policy selects. */
export function defaultAllowSet(direction: 'ingress' | 'egress', namespace: string): string {
  return `weave-${shortName(`${direction}-default-allow:${namespace}`)}`;
}

/** The namespaces that it knows, in order. */
export function knownNamespaces(used: Iterable<string>): readonly string[] {
  return [...new Set([...ALWAYS, ...used])].sort();
}

/**
 * The rules of weave-npc where no policy is (createBaseRules, prog/weave-npc; ensureBypassRules, npc/namespace.go; 2.8). Roles:
 * "established", "multicast", "to-other-node", "from-other-node", "to-this-node", "isolation", "policies", "mark", "default-allow".
 * @param port the bridge's port towards the other nodes
 */
export function policyRules(port: string, namespaces: readonly string[]): readonly ChainRules[] {
  const established = line('-m state --state RELATED,ESTABLISHED -j ACCEPT', 'established');
  const unmarked = `-m state --state NEW -m mark ! --mark ${MARK}`;
  return [
    chain('WEAVE-NPC', [
      established,
      line('-d 224.0.0.0/4 -j ACCEPT', 'multicast'),
      line(`-m physdev --physdev-out ${port} --physdev-is-bridged -j ACCEPT`, 'to-other-node'),
      line('-m state --state NEW -j WEAVE-NPC-DEFAULT', 'isolation'),
      line('-m state --state NEW -j WEAVE-NPC-INGRESS', 'policies'),
    ]),
    chain('WEAVE-NPC-INGRESS', []),
    chain('WEAVE-NPC-EGRESS-ACCEPT', [line(`-j MARK --set-xmark ${MARK}`, 'mark')]),
    chain('WEAVE-NPC-EGRESS', [
      established,
      line(`-m physdev --physdev-in ${port} --physdev-is-bridged -j RETURN`, 'from-other-node'),
      line('-m addrtype --dst-type LOCAL -j RETURN', 'to-this-node'),
      line('-d 224.0.0.0/4 -j RETURN', 'multicast'),
      line('-m state --state NEW -j WEAVE-NPC-EGRESS-DEFAULT', 'isolation'),
      line(`${unmarked} -j WEAVE-NPC-EGRESS-CUSTOM`, 'policies'),
    ]),
    chain('WEAVE-NPC-EGRESS-CUSTOM', []),
    chain(
      'WEAVE-NPC-DEFAULT',
      namespaces.map((name) => defaultAllow('ingress', name, 'dst', 'ACCEPT')),
    ),
    chain(
      'WEAVE-NPC-EGRESS-DEFAULT',
      namespaces.flatMap((name) => [
        defaultAllow('egress', name, 'src', 'WEAVE-NPC-EGRESS-ACCEPT'),
        defaultAllow('egress', name, 'src', 'RETURN'),
      ]),
    ),
  ];
}

function defaultAllow(direction: 'ingress' | 'egress', namespace: string, side: 'src' | 'dst', target: string): RuleLine {
  const set = defaultAllowSet(direction, namespace);
  const comment = `DefaultAllow ${direction} isolation for namespace: ${namespace}`;
  return {
    body: `-m set --match-set ${set} ${side} -m comment --comment "${comment}" -j ${target}`,
    origin: { object: `Namespace ${namespace}`, by: 'weave', role: 'default-allow' },
  };
}

function chain(name: string, lines: readonly RuleLine[]): ChainRules {
  return { table: 'filter', chain: name, lines };
}

function line(body: string, role: string): RuleLine {
  return { body, origin: { object: null, by: 'weave', role } };
}

const SYMBOLS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789(){}[]+=_$%^!*|/?.;:@#~';

/** shortName (npc/shortname.go): a SHA-1 sum in the digits above, the lowest first, so that it fits into the name of a set. */
function shortName(text: string): string {
  let sum = BigInt(`0x${hash('sha1', text)}`);
  let name = '';
  for (; sum > 0n; sum /= BigInt(SYMBOLS.length)) name += SYMBOLS[Number(sum % BigInt(SYMBOLS.length))];
  return name;
}
