import { formatIp } from '../../../net/ip.ts';
import { PROTOCOL_NUMBER } from '../../../net/protocol.ts';
import { chainOf, tableOf } from '../../../kernel/netfilter/iptables/chain.ts';
import { admitsNode } from './ipsets.ts';
import { portOrigin } from './port-view.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { Chain, IptablesTables, TableName } from '../../../kernel/netfilter/iptables/table.ts';
import type { IpFamily } from '../../../net/ip.ts';
import type { ProxyRole } from '../../services/proxy-role.ts';
import type { ProxySetName, ProxySets } from './ipsets.ts';
import type { PortView } from './port-view.ts';
import type { IpvsSettings } from './settings.ts';

/**
 * The iptables chains of kube-proxy in IPVS mode in a fresh table (pkg/proxy/ipvs writeIptablesRules): they mark for masquerading, check
 * source ranges and guard the addresses of kube-ipvs0; IPVS itself does the rest. A rule for a set that nothing was put in is left out.
 */
export function ipvsTables(settings: IpvsSettings, sets: ProxySets, views: readonly PortView[]): IptablesTables {
  const { family } = settings;
  const nat = tableFrom('nat', family, [...NAT_JUMPS, ...natChains(settings, sets)]);
  const filter = tableFrom('filter', family, [...filterJumps(settings), ...filterChains(settings, sets, views)]);
  return new Map([
    ['filter', tableOf('filter', filter)],
    ['nat', tableOf('nat', nat)],
  ]);
}

type ChainLines = readonly [name: string, lines: readonly RuleLine[]];

function tableFrom(table: TableName, family: IpFamily, chains: readonly ChainLines[]): readonly Chain[] {
  return chains.map(([name, lines]) => chainOf(table, name, name.startsWith('KUBE-') ? null : 'ACCEPT', lines, family));
}

function line(role: ProxyRole, body: string): RuleLine {
  return { body, origin: { object: null, by: 'kube-proxy', role } };
}

function comment(text: string): string {
  return `-m comment --comment "${text}" `;
}

function jump(text: string, chain: string): RuleLine {
  return line('jump', `${comment(text)}-j ${chain}`);
}

const PORTALS = jump('kubernetes service portals', 'KUBE-SERVICES');
const FIREWALL = jump('kube-proxy firewall rules', 'KUBE-PROXY-FIREWALL');

/** kube-proxy puts each in front of what is there, so they stand in the reverse order of its list. */
const NAT_JUMPS: readonly ChainLines[] = [
  ['PREROUTING', [PORTALS]],
  ['INPUT', []],
  ['OUTPUT', [PORTALS]],
  ['POSTROUTING', [jump('kubernetes postrouting rules', 'KUBE-POSTROUTING')]],
];

function filterJumps({ guardsAddresses, filtersOutput }: IpvsSettings): readonly ChainLines[] {
  const guard = guardsAddresses ? [jump('kubernetes ipvs access filter', 'KUBE-IPVS-FILTER')] : [];
  return [
    ['INPUT', [...guard, FIREWALL, jump('kubernetes health check rules', 'KUBE-NODE-PORT')]],
    ['FORWARD', [FIREWALL, jump('kubernetes forwarding rules', 'KUBE-FORWARD')]],
    ['OUTPUT', filtersOutput ? [jump('kubernetes ipvs access filter', 'KUBE-IPVS-OUT-FILTER')] : []],
  ];
}

/** What the rules say of the sets they test. */
const REMARKS: Readonly<Partial<Record<ProxySetName, string>>> = {
  'KUBE-LOOP-BACK': 'Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose',
  'KUBE-CLUSTER-IP': 'Kubernetes service cluster ip + port for masquerade purpose',
  'KUBE-EXTERNAL-IP': 'Kubernetes service external ip + port for masquerade and filter purpose',
  'KUBE-EXTERNAL-IP-LOCAL': 'Kubernetes service external ip + port with externalTrafficPolicy=local',
  'KUBE-LOAD-BALANCER': 'Kubernetes service lb portal',
  'KUBE-LOAD-BALANCER-LOCAL': 'Kubernetes service load balancer ip + port with externalTrafficPolicy=local',
  'KUBE-LOAD-BALANCER-FW': 'Kubernetes service load balancer ip + port for load balancer with sourceRange',
  'KUBE-LOAD-BALANCER-SOURCE-IP': 'Kubernetes service load balancer ip + port + source IP for packet filter purpose',
  'KUBE-LOAD-BALANCER-SOURCE-CIDR': 'Kubernetes service load balancer ip + port + source cidr for packet filter purpose',
  'KUBE-NODE-PORT-TCP': 'Kubernetes nodeport TCP port for masquerade purpose',
  'KUBE-NODE-PORT-LOCAL-TCP': 'Kubernetes nodeport TCP port with externalTrafficPolicy=local',
  'KUBE-NODE-PORT-UDP': 'Kubernetes nodeport UDP port for masquerade purpose',
  'KUBE-NODE-PORT-LOCAL-UDP': 'Kubernetes nodeport UDP port with externalTrafficPolicy=local',
  'KUBE-NODE-PORT-SCTP-HASH': "Kubernetes nodeport SCTP port for masquerade purpose with type \\'hash ip:port\\'",
  'KUBE-NODE-PORT-LOCAL-SCTP-HASH': "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type \\'hash ip:port\\'",
  'KUBE-HEALTH-CHECK-NODE-PORT': 'Kubernetes health check node port',
};

/** A rule for what is in a set, unless nothing is. `before` stands in front of the comment, `behind` after the set. */
function setRule(
  role: ProxyRole,
  sets: ProxySets,
  name: ProxySetName,
  directions: string,
  target: string,
  { before = '', behind = '' }: { readonly before?: string; readonly behind?: string } = {},
): readonly RuleLine[] {
  if (!sets.isUsed(name)) return [];
  const remark = REMARKS[name];
  return [
    line(role, `${before}${remark === undefined ? '' : comment(remark)}${matchSet(sets, name, directions)}${behind}-j ${target}`),
  ];
}

function matchSet(sets: ProxySets, name: ProxySetName, directions: string): string {
  return `-m set --match-set ${sets.nameOf(name)} ${directions} `;
}

function natChains(settings: IpvsSettings, sets: ProxySets): readonly ChainLines[] {
  const { mark } = settings;
  return [
    ['KUBE-SERVICES', serviceRules(settings, sets)],
    [
      'KUBE-LOAD-BALANCER',
      [
        ...setRule('leave-alone', sets, 'KUBE-LOAD-BALANCER-LOCAL', 'dst,dst', 'RETURN'),
        line('masquerade-mark', '-j KUBE-MARK-MASQ'),
      ],
    ],
    ['KUBE-NODE-PORT', nodePortRules(sets)],
    ['KUBE-MARK-MASQ', [line('set-mark', `-j MARK --set-xmark ${mark}/${mark}`)]],
    [
      'KUBE-POSTROUTING',
      [
        ...setRule('masquerade', sets, 'KUBE-LOOP-BACK', 'dst,dst,src', 'MASQUERADE'),
        line('unmarked', `-m mark ! --mark ${mark}/${mark} -j RETURN`),
        line('clear-mark', `-j MARK --set-xmark ${mark}/0x0`),
        line('masquerade', `${comment('kubernetes service traffic requiring SNAT')}-j MASQUERADE --random-fully`),
      ],
    ],
  ];
}

function serviceRules(settings: IpvsSettings, sets: ProxySets): readonly RuleLine[] {
  const loopback = settings.family === 4 ? '127.0.0.0/8' : '::1/128';
  const clusterIp = matchSet(sets, 'KUBE-CLUSTER-IP', 'dst,dst');
  const loadBalancer = matchSet(sets, 'KUBE-LOAD-BALANCER', 'dst,dst');
  return [
    line('leave-alone', `-s ${loopback} -j RETURN`),
    ...setRule('dispatch', sets, 'KUBE-LOAD-BALANCER', 'dst,dst', 'KUBE-LOAD-BALANCER'),
    ...clusterIpMasquerade(settings, sets),
    ...setRule('masquerade-mark', sets, 'KUBE-EXTERNAL-IP', 'dst,dst', 'KUBE-MARK-MASQ'),
    ...externalAccepts(sets, 'KUBE-EXTERNAL-IP'),
    ...externalAccepts(sets, 'KUBE-EXTERNAL-IP-LOCAL'),
    line('node-ports', '-m addrtype --dst-type LOCAL -j KUBE-NODE-PORT'),
    ...(sets.isUsed('KUBE-CLUSTER-IP') ? [line('service-accept', `${clusterIp}-j ACCEPT`)] : []),
    ...(sets.isUsed('KUBE-LOAD-BALANCER') ? [line('service-accept', `${loadBalancer}-j ACCEPT`)] : []),
  ];
}

/**
 * Masquerades all traffic to cluster IPs, or what does not come from pods. Without a way to tell pods, only what comes from a cluster IP
 * itself: a connection of the node to one of its own addresses on kube-ipvs0.
 */
function clusterIpMasquerade({ masqueradeAll, local }: IpvsSettings, sets: ProxySets): readonly RuleLine[] {
  const rule = (directions: string, before = ''): readonly RuleLine[] =>
    setRule('masquerade-mark', sets, 'KUBE-CLUSTER-IP', directions, 'KUBE-MARK-MASQ', { before });
  if (masqueradeAll) return rule('dst,dst');
  return local === null ? rule('src,dst') : rule('dst,dst', `! ${local} `);
}

/** Traffic to an external IP that comes from outside the node, not by a bridge, or to an address that the node has. */
function externalAccepts(sets: ProxySets, name: ProxySetName): readonly RuleLine[] {
  const accept = (behind: string): readonly RuleLine[] => setRule('service-accept', sets, name, 'dst,dst', 'ACCEPT', { behind });
  return [...accept('-m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL '), ...accept('-m addrtype --dst-type LOCAL ')];
}

function nodePortRules(sets: ProxySets): readonly RuleLine[] {
  const pair = (protocol: string, local: ProxySetName, all: ProxySetName, directions: string): readonly RuleLine[] => {
    const before = `-p ${protocol} `;
    return [
      ...setRule('leave-alone', sets, local, directions, 'RETURN', { before }),
      ...setRule('masquerade-mark', sets, all, directions, 'KUBE-MARK-MASQ', { before }),
    ];
  };
  return [
    ...pair('tcp', 'KUBE-NODE-PORT-LOCAL-TCP', 'KUBE-NODE-PORT-TCP', 'dst'),
    ...pair('udp', 'KUBE-NODE-PORT-LOCAL-UDP', 'KUBE-NODE-PORT-UDP', 'dst'),
    ...pair('sctp', 'KUBE-NODE-PORT-LOCAL-SCTP-HASH', 'KUBE-NODE-PORT-SCTP-HASH', 'dst,dst'),
  ];
}

function filterChains(settings: IpvsSettings, sets: ProxySets, views: readonly PortView[]): readonly ChainLines[] {
  const { mark } = settings;
  const known = `${comment('kubernetes forwarding conntrack rule')}-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`;
  const healthCheck = `${comment(REMARKS['KUBE-HEALTH-CHECK-NODE-PORT']!)}${matchSet(sets, 'KUBE-HEALTH-CHECK-NODE-PORT', 'dst')}-j ACCEPT`;
  return [
    [
      'KUBE-FORWARD',
      [
        line('forward-accept', `${comment('kubernetes forwarding rules')}-m mark --mark ${mark}/${mark} -j ACCEPT`),
        line('established-accept', known),
      ],
    ],
    ['KUBE-NODE-PORT', [line('health-check', healthCheck)]],
    ['KUBE-PROXY-FIREWALL', setRule('dispatch', sets, 'KUBE-LOAD-BALANCER-FW', 'dst,dst', 'KUBE-SOURCE-RANGES-FIREWALL')],
    [
      'KUBE-SOURCE-RANGES-FIREWALL',
      [
        ...setRule('source-range-allow', sets, 'KUBE-LOAD-BALANCER-SOURCE-CIDR', 'dst,dst,src', 'RETURN'),
        ...setRule('source-range-allow', sets, 'KUBE-LOAD-BALANCER-SOURCE-IP', 'dst,dst,src', 'RETURN'),
        line('source-range', '-j DROP'),
      ],
    ],
    ...(settings.guardsAddresses ? [['KUBE-IPVS-FILTER', accessFilter(settings, sets)] as const] : []),
    ...(settings.filtersOutput ? [['KUBE-IPVS-OUT-FILTER', views.flatMap(outFilter)] as const] : []),
  ];
}

/** Lets in what goes to a service; refuses new connections to anything else at the addresses of kube-ipvs0. */
function accessFilter({ family }: IpvsSettings, sets: ProxySets): readonly RuleLine[] {
  const served = (['KUBE-LOAD-BALANCER', 'KUBE-CLUSTER-IP', 'KUBE-EXTERNAL-IP', 'KUBE-EXTERNAL-IP-LOCAL'] as const).map((name) =>
    line('leave-alone', `${matchSet(sets, name, 'dst,dst')}-j RETURN`),
  );
  const reject = `-j REJECT --reject-with ${family === 4 ? 'icmp' : 'icmp6'}-port-unreachable`;
  return [
    ...served,
    line('leave-alone', `${matchSet(sets, 'KUBE-HEALTH-CHECK-NODE-PORT', 'dst')}-j RETURN`),
    line('unknown-port', `-m conntrack --ctstate NEW ${matchSet(sets, 'KUBE-IPVS-IPS', 'dst')}${reject}`),
  ];
}

/** A node that source ranges keep out may not use the balancer's address as its own source either. */
function outFilter(view: PortView): readonly RuleLine[] {
  const { port, settings } = view;
  if (port.sourceRanges.length === 0 || admitsNode(view)) return [];
  return port.loadBalancerIps.map((ip) => {
    const address = formatIp(ip);
    const server = `-m ipvs --vaddr ${address} --vproto ${PROTOCOL_NUMBER[port.protocol]} --vport ${port.port}`;
    return {
      body: `-s ${address}/${settings.family === 4 ? 32 : 128} ${server} -j DROP`,
      origin: portOrigin(view, 'source-range'),
    };
  });
}
