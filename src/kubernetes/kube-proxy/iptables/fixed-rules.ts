import { formatIp } from '../../../net/ip.ts';
import { isLoopback } from '../../services/node-port-addresses.ts';
import { comment, proxyLine } from './port-view.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { ProxySettings } from './settings.ts';

/** Chains that don't depend on services, by name. */
export type FixedChains = ReadonlyMap<string, readonly RuleLine[]>;

const NEW = '-m conntrack --ctstate NEW ';
const NO_LINES: readonly RuleLine[] = [];

function jump(chain: string, match = ''): RuleLine {
  return proxyLine('jump', `${match}-j ${chain}`);
}

const LOAD_BALANCER_FIREWALL = jump('KUBE-PROXY-FIREWALL', NEW + comment('kubernetes load balancer firewall'));
const FILTER_SERVICES = jump('KUBE-SERVICES', NEW + comment('kubernetes service portals'));
const EXTERNAL_SERVICES = jump('KUBE-EXTERNAL-SERVICES', NEW + comment('kubernetes externally-visible service portals'));
const NAT_SERVICES = jump('KUBE-SERVICES', comment('kubernetes service portals'));

/**
 * Jumps from the base chains of a fresh table. kube-proxy puts each in front of what is there, so they stand in the reverse order of its
 * list (pkg/proxy/iptables iptablesJumpChains).
 */
export const FILTER_JUMPS: FixedChains = new Map([
  [
    'INPUT',
    [
      jump('KUBE-FIREWALL'),
      LOAD_BALANCER_FIREWALL,
      jump('KUBE-NODEPORTS', comment('kubernetes health check service ports')),
      EXTERNAL_SERVICES,
    ],
  ],
  [
    'FORWARD',
    [LOAD_BALANCER_FIREWALL, jump('KUBE-FORWARD', comment('kubernetes forwarding rules')), FILTER_SERVICES, EXTERNAL_SERVICES],
  ],
  ['OUTPUT', [jump('KUBE-FIREWALL'), LOAD_BALANCER_FIREWALL, FILTER_SERVICES]],
]);

export const NAT_JUMPS: FixedChains = new Map([
  ['PREROUTING', [NAT_SERVICES]],
  ['OUTPUT', [NAT_SERVICES]],
  ['POSTROUTING', [jump('KUBE-POSTROUTING', comment('kubernetes postrouting rules'))]],
]);

/** Filter chains beside the shared ones. The canary is empty: when somebody flushes the tables it vanishes, and kube-proxy writes all anew. */
export function fixedFilterChains(settings: ProxySettings): FixedChains {
  return new Map([
    ['KUBE-FIREWALL', settings.localhostNodePorts ? [LOCALNET_GUARD] : NO_LINES],
    ['KUBE-FORWARD', forwardRules(settings)],
    ['KUBE-PROXY-CANARY', NO_LINES],
  ]);
}

/** With route_localnet on, only what belongs to a connection of the node or was translated may reach 127.0.0.0/8 (CVE-2020-8558). */
const LOCALNET_GUARD = proxyLine(
  'localnet-guard',
  `! -s 127.0.0.0/8 -d 127.0.0.0/8 ${comment('block incoming localnet connections')}` +
    '-m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP',
);

function forwardRules({ mark, conntrackLiberal }: ProxySettings): readonly RuleLine[] {
  const accept = [
    proxyLine('forward-accept', `${comment('kubernetes forwarding rules')}-m mark --mark ${mark}/${mark} -j ACCEPT`),
    proxyLine(
      'established-accept',
      `${comment('kubernetes forwarding conntrack rule')}-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
    ),
  ];
  return conntrackLiberal ? accept : [proxyLine('invalid-drop', '-m conntrack --ctstate INVALID -j DROP'), ...accept];
}

/** Nat chains beside the shared ones and those of service ports. */
export function fixedNatChains({ mark }: ProxySettings): FixedChains {
  const masquerade = comment('kubernetes service traffic requiring SNAT');
  return new Map([
    ['KUBE-MARK-MASQ', [proxyLine('set-mark', `-j MARK --set-xmark ${mark}/${mark}`)]],
    [
      'KUBE-POSTROUTING',
      [
        proxyLine('unmarked', `-m mark ! --mark ${mark}/${mark} -j RETURN`),
        proxyLine('clear-mark', `-j MARK --set-xmark ${mark}/0x0`),
        proxyLine('masquerade', `${masquerade}-j MASQUERADE --random-fully`),
      ],
    ],
    ['KUBE-PROXY-CANARY', NO_LINES],
  ]);
}

/** The end of nat KUBE-SERVICES: what is addressed to the node goes to the node ports. */
export function nodePortJumps(settings: ProxySettings): readonly RuleLine[] {
  const { nodePortAddresses, localhostNodePorts, family, hostSuffix } = settings;
  const remark = comment('kubernetes service nodeports; NOTE: this must be the last rule in this chain');
  if (nodePortAddresses.matchesAll) {
    const notLoopback = family === 6 ? '! -d ::1/128 ' : localhostNodePorts ? '' : '! -d 127.0.0.0/8 ';
    return [proxyLine('node-ports', `${notLoopback}${remark}-m addrtype --dst-type LOCAL -j KUBE-NODEPORTS`)];
  }
  return nodePortAddresses
    .among(settings.interfaceAddresses)
    .filter((address) => localhostNodePorts || !isLoopback(address))
    .map((address) => proxyLine('node-ports', `-d ${formatIp(address)}${hostSuffix} ${remark}-j KUBE-NODEPORTS`));
}
