import { formatCidr } from '../../../net/cidr.ts';
import { formatIp } from '../../../net/ip.ts';
import { podAddress, podKey } from '../../cluster-index.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { ChainRules } from '../../add-rules.ts';
import type { Pod } from '../../model/cluster.ts';

/** Docker's masquerade rule for what leaves the bridge. Role: "masquerade-out". */
export function masqueradeRules(bridge: string, range: Cidr): readonly ChainRules[] {
  return [nat('POSTROUTING', [line(`-s ${formatCidr(range)} ! -o ${bridge} -j MASQUERADE`, 'masquerade-out')])];
}

/**
 * Published ports as Docker writes them (libnetwork, bridge driver). Roles: "published-jump", "published-from-bridge",
 * "published-hairpin", "dnat".
 */
export function publishedPortRules(bridge: string, pods: readonly Pod[]): readonly ChainRules[] {
  const published = pods.flatMap((pod) => {
    const address = podAddress(pod, 4);
    return address === null ? [] : pod.ports.flatMap((port) => (port.hostPort === null ? [] : [{ pod, address, port }]));
  });
  if (published.length === 0) return [];
  return [
    nat('PREROUTING', [line('-m addrtype --dst-type LOCAL -j DOCKER', 'published-jump')]),
    nat('OUTPUT', [line('! -d 127.0.0.0/8 -m addrtype --dst-type LOCAL -j DOCKER', 'published-jump')]),
    nat('DOCKER', [line(`-i ${bridge} -j RETURN`, 'published-from-bridge')]),
    ...published.flatMap(({ pod, address, port }) => {
      const ip = formatIp(address);
      const object = `Pod ${podKey(pod)}`;
      const host = port.hostIp === null || port.hostIp === 0 ? '' : `-d ${formatIp(port.hostIp)}/32 `;
      const match = `-p ${port.protocol} -m ${port.protocol} --dport`;
      return [
        nat('POSTROUTING', [line(`-s ${ip}/32 -d ${ip}/32 ${match} ${port.port} -j MASQUERADE`, 'published-hairpin', object)]),
        nat('DOCKER', [
          line(`${host}! -i ${bridge} ${match} ${port.hostPort} -j DNAT --to-destination ${ip}:${port.port}`, 'dnat', object),
        ]),
      ];
    }),
  ];
}

function nat(chain: string, lines: readonly RuleLine[]): ChainRules {
  return { table: 'nat', chain, lines };
}

function line(body: string, role: string, object: string | null = null): RuleLine {
  return { body, origin: { object, by: 'docker', role } };
}
