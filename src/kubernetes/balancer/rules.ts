import { formatCidr } from '../../net/cidr.ts';
import { familyOf, formatEndpoint, formatIp } from '../../net/ip.ts';
import { addRules } from '../add-rules.ts';
import { cloudOrigin } from './roles.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { IpFamily } from '../../net/ip.ts';
import type { IptablesTables, TableName } from '../../kernel/netfilter/iptables/table.ts';
import type { RuleLine } from '../../kernel/netfilter/iptables/rule.ts';
import type { ChainRules } from '../add-rules.ts';
import type { Cluster, ServicePort } from '../model/cluster.ts';
import type { Backend, Balancer } from './balancers.ts';
import type { CloudRole } from './roles.ts';

const SOURCES = 'CLOUD-SOURCES';

/**
 * The rules of a balancer in one family. Mode nodePort: each port of the service goes to its node port on one of the healthy nodes, with
 * the client's address kept; `inside` are ranges whose hosts would answer the client without passing the balancer again, so it
 * masquerades them. Mode direct: only what does not belong to the service is dropped; routes choose the node.
 */
export function balancerRules(
  { loadBalancer }: Cluster,
  balancer: Balancer,
  healthy: readonly Backend[],
  inside: readonly Cidr[],
  family: IpFamily,
): IptablesTables {
  const isDirect = loadBalancer?.mode === 'direct';
  const { service, publicAddresses, name } = balancer;
  const length = family === 4 ? 32 : 128;
  const ports = service.ports.filter((port, i) => service.ports.findIndex((p) => isSame(p, port)) === i);
  const guards: RuleLine[] = [];
  const listeners: RuleLine[] = [];
  for (const address of publicAddresses.filter((ip) => familyOf(ip) === family)) {
    const destination = `-d ${formatIp(address)}/${length}`;
    for (const port of ports) {
      const what = `-m comment --comment "${name}${port.name === '' ? '' : `:${port.name}`}`;
      const rule = (text: string, target: string, role: CloudRole): RuleLine => ({
        body: `${destination} -p ${port.protocol} ${what} ${text}" -m ${port.protocol} --dport ${port.port} -j ${target}`,
        origin: cloudOrigin(balancer, role),
      });
      if (service.loadBalancerSourceRanges.length > 0) guards.push(rule('only for some sources', SOURCES, 'source-ranges'));
      if (!isDirect && port.nodePort === 0) guards.push(rule('has no node port', 'DROP', 'no-node-port'));
      else if (healthy.length === 0) guards.push(rule('has no healthy node', 'DROP', 'no-healthy-node'));
      else if (isDirect) guards.push(rule('goes on to a node as it is', 'ACCEPT', 'listener'));
      else listeners.push(rule('picks a healthy node', chainOf(port), 'listener'));
    }
    if (isDirect) guards.push({ body: `${destination} -j DROP`, origin: cloudOrigin(balancer, 'not-balanced') });
  }
  const picks = listeners.length === 0 ? [] : ports.filter(({ nodePort }) => nodePort !== 0);
  return addRules(
    new Map(),
    [
      ...rulesIn('mangle', 'PREROUTING', guards),
      ...rulesIn('mangle', SOURCES, guards.length === 0 ? [] : sourceRules(balancer, family)),
      ...rulesIn('nat', 'PREROUTING', listeners),
      ...picks.flatMap((port) => rulesIn('nat', chainOf(port), backendRules(balancer, port, healthy))),
      ...rulesIn('nat', 'POSTROUTING', listeners.length === 0 ? [] : masqueradeRules(balancer, inside)),
    ],
    family,
  );
}

function isSame(a: ServicePort, b: ServicePort): boolean {
  return a.port === b.port && a.protocol === b.protocol;
}

/** "CLOUD-NODES-TCP-80" */
function chainOf({ protocol, port }: ServicePort): string {
  return `CLOUD-NODES-${protocol.toUpperCase()}-${port}`;
}

/** Round robin as one client meets it: each healthy node is as likely as the others. */
function backendRules(balancer: Balancer, { protocol, nodePort }: ServicePort, healthy: readonly Backend[]): RuleLine[] {
  return healthy.map(({ node, address }, i) => {
    const left = healthy.length - i;
    const chance = left === 1 ? '' : `-m statistic --mode random --probability ${(1 / left).toFixed(11)} `;
    const comment = `-m comment --comment "${balancer.name} -> ${node.name}" `;
    return {
      body: `-p ${protocol} ${comment}${chance}-j DNAT --to-destination ${formatEndpoint(address, nodePort)}`,
      origin: cloudOrigin(balancer, 'backend'),
    };
  });
}

function sourceRules(balancer: Balancer, family: IpFamily): RuleLine[] {
  const ranges = balancer.service.loadBalancerSourceRanges;
  if (ranges.length === 0) return [];
  return [
    ...ranges
      .filter(({ address }) => familyOf(address) === family)
      .map((range) => ({ body: `-s ${formatCidr(range)} -j RETURN`, origin: cloudOrigin(balancer, 'source-range-allow') })),
    { body: '-j DROP', origin: cloudOrigin(balancer, 'source-range') },
  ];
}

function masqueradeRules(balancer: Balancer, inside: readonly Cidr[]): RuleLine[] {
  const comment = '-m comment --comment "the node would answer this client directly"';
  return inside.map((range) => ({
    body: `-s ${formatCidr(range)} ${comment} -m conntrack --ctstate DNAT -j MASQUERADE`,
    origin: cloudOrigin(balancer, 'masquerade'),
  }));
}

function rulesIn(table: TableName, chain: string, lines: readonly RuleLine[]): ChainRules[] {
  return lines.length === 0 ? [] : [{ table, chain, lines }];
}
