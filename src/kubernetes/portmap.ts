import { formatCidr } from '../net/cidr.ts';
import { familyOf, formatEndpoint, formatIp } from '../net/ip.ts';
import { podAddress, podKey } from './cluster-index.ts';
import { NETWORK_NAME, podChain, podComment } from './sandbox-id.ts';
import type { Cidr } from '../net/cidr.ts';
import type { IpAddress } from '../net/ip.ts';
import type { TransportProtocol } from '../net/protocol.ts';
import type { RuleLine } from '../kernel/netfilter/iptables/rule.ts';
import type { ChainRules } from './add-rules.ts';
import type { ContainerPort, Pod } from './model/cluster.ts';

/** Most ports that the multiport match takes. */
const MULTIPORT_MAX = 15;

/** Does the portmap plugin have anything to do for a pod? */
export function hasHostPorts(pod: Pod): boolean {
  return !pod.hostNetwork && pod.ports.some(({ hostPort }) => hostPort !== null);
}

/**
 * The rules that CNI's portmap plugin adds on a node for its pods with hostPorts, in the order of the pods (facts: flannel-node,
 * hostPort; plugins/meta/portmap). Roles: "host-port-jump", "masquerade-jump", "set-mark", "masquerade", "host-port",
 * "masquerade-own-subnet", "masquerade-localhost", "dnat". `range` is the pods' subnet of the family that the rules are for, `network`
 * the name of the CNI network; IPv6 has no way from localhost to a pod.
 */
export function portmapRules(pods: readonly Pod[], range: Cidr, network = NETWORK_NAME): readonly ChainRules[] {
  const mapped = pods.flatMap((pod): [Pod, IpAddress][] => {
    const address = podAddress(pod, familyOf(range.address));
    return address !== null && hasHostPorts(pod) ? [[pod, address]] : [];
  });
  if (mapped.length === 0) return [];
  return [...COMMON_RULES, ...mapped.flatMap(([pod, address]) => podRules(pod, address, range, network))];
}

const LOCAL_JUMP = '-m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT';

/** Made with the first host port of a node. The masquerade jump is prepended, the others are appended. */
const COMMON_RULES: readonly ChainRules[] = [
  nat('PREROUTING', [line(LOCAL_JUMP, 'host-port-jump')]),
  nat('OUTPUT', [line(LOCAL_JUMP, 'host-port-jump')]),
  {
    ...nat('POSTROUTING', [
      line('-m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ', 'masquerade-jump'),
    ]),
    at: 'start',
  },
  nat('CNI-HOSTPORT-SETMARK', [
    line('-m comment --comment "CNI portfwd masquerade mark" -j MARK --set-xmark 0x2000/0x2000', 'set-mark'),
  ]),
  nat('CNI-HOSTPORT-MASQ', [line('-m mark --mark 0x2000/0x2000 -j MASQUERADE', 'masquerade')]),
];

function podRules(pod: Pod, address: IpAddress, range: Cidr, network: string): ChainRules[] {
  const family = familyOf(address);
  const object = `Pod ${podKey(pod)}`;
  const chain = podChain('CNI-DN-', pod, network);
  const ports = pod.ports.filter(({ hostPort }) => hostPort !== null);
  const comment = `-m comment --comment "dnat ${podComment(pod, network)}"`;
  const entries = protocolsOf(ports).flatMap((protocol) =>
    chunks(ports.filter((port) => port.protocol === protocol).map(({ hostPort }) => hostPort)).map((numbers) =>
      line(`-p ${protocol} ${comment} -m multiport --dports ${numbers.join(',')} -j ${chain}`, 'host-port', object),
    ),
  );
  const translations = ports
    .filter(({ hostIp }) => hostIp === null || familyOf(hostIp) === family)
    .flatMap((port) => {
      // An unspecified address (0.0.0.0) is no destination.
      const host =
        port.hostIp === null || BigInt(port.hostIp) === 0n ? '' : `-d ${formatIp(port.hostIp)}/${family === 4 ? 32 : 128} `;
      const match = `${host}-p ${port.protocol} -m ${port.protocol} --dport ${port.hostPort}`;
      return [
        line(`-s ${formatCidr(range)} ${match} -j CNI-HOSTPORT-SETMARK`, 'masquerade-own-subnet', object),
        ...(family === 4 ? [line(`-s 127.0.0.1/32 ${match} -j CNI-HOSTPORT-SETMARK`, 'masquerade-localhost', object)] : []),
        line(`${match} -j DNAT --to-destination ${formatEndpoint(address, port.port)}`, 'dnat', object),
      ];
    });
  return [nat('CNI-HOSTPORT-DNAT', entries), nat(chain, translations)];
}

function protocolsOf(ports: readonly ContainerPort[]): TransportProtocol[] {
  return [...new Set(ports.map(({ protocol }) => protocol))].sort();
}

function chunks<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += MULTIPORT_MAX) parts.push(items.slice(start, start + MULTIPORT_MAX));
  return parts;
}

function nat(chain: string, lines: readonly RuleLine[]): ChainRules {
  return { table: 'nat', chain, lines };
}

function line(body: string, role: string, object: string | null = null): RuleLine {
  return { body, origin: { object, by: 'portmap', role } };
}
