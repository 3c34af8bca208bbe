import { formatCidr, isIpv4Cidr } from '../../../net/cidr.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { Origin } from '../../../trace/origin.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { ChainRules } from '../../add-rules.ts';

/**
 * flannel's masquerade rules (v0.28, masqRules, masqIP6Rules). Roles: "masquerade-jump", "marked-by-kube-proxy", "to-cluster", "to-node",
 * "from-outside", "masquerade-out", "masquerade-in".
 */
export function masqueradeRules(cluster: Cidr, node: Cidr): readonly ChainRules[] {
  const multicast = isIpv4Cidr(cluster) ? '224.0.0.0/4' : 'ff00::/8';
  const c = formatCidr(cluster);
  const n = formatCidr(node);
  const comment = '-m comment --comment "flanneld masq"';
  return [
    { table: 'nat', chain: 'POSTROUTING', lines: [line(`${comment} -j FLANNEL-POSTRTG`, 'masquerade-jump')] },
    {
      table: 'nat',
      chain: 'FLANNEL-POSTRTG',
      lines: [
        line(`-m mark --mark 0x4000/0x4000 ${comment} -j RETURN`, 'marked-by-kube-proxy'),
        line(`-s ${n} -d ${c} ${comment} -j RETURN`, 'to-cluster'),
        line(`-s ${c} -d ${n} ${comment} -j RETURN`, 'to-node'),
        line(`! -s ${c} -d ${n} ${comment} -j RETURN`, 'from-outside'),
        line(`-s ${c} ! -d ${multicast} ${comment} -j MASQUERADE --random-fully`, 'masquerade-out'),
        line(`! -s ${c} -d ${c} ${comment} -j MASQUERADE --random-fully`, 'masquerade-in'),
      ],
    },
  ];
}

/** flannel's rules that let pod traffic through FORWARD. Roles: "forward-jump", "forward-accept". */
export function forwardRules(cluster: Cidr): readonly ChainRules[] {
  const c = formatCidr(cluster);
  const comment = '-m comment --comment "flanneld forward"';
  return [
    { table: 'filter', chain: 'FORWARD', lines: [line(`${comment} -j FLANNEL-FWD`, 'forward-jump')] },
    {
      table: 'filter',
      chain: 'FLANNEL-FWD',
      lines: [line(`-s ${c} ${comment} -j ACCEPT`, 'forward-accept'), line(`-d ${c} ${comment} -j ACCEPT`, 'forward-accept')],
    },
  ];
}

function line(body: string, role: string): RuleLine {
  const origin: Origin = { object: null, by: 'flannel', role };
  return { body, origin };
}
