import { compileRule } from '../../../kernel/netfilter/iptables/rule.ts';
import { portsOf } from '../../../net/packet.ts';
import { sharedRules } from './shared-rules.ts';
import type { LineChain } from '../../../kernel/netfilter/iptables/chain.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { Rule, TableName } from '../../../kernel/netfilter/iptables/table.ts';
import type { Packet } from '../../../net/packet.ts';
import type { IpFamily } from '../../../net/ip.ts';
import type { ServiceMap } from '../../services/service-map.ts';
import type { PortView } from './port-view.ts';
import type { SharedChain } from './shared-rules.ts';

export interface SharedChainParts {
  readonly chain: SharedChain;
  readonly services: ServiceMap;
  readonly family: IpFamily;
  readonly view: (index: number) => PortView;
  /** Number of rules in front of each service port's, and of all of them at the end: `ports.length + 1` numbers. */
  readonly starts: Int32Array;
  /** Rules behind those of the service ports. */
  readonly tail: readonly RuleLine[];
}

/**
 * A chain that all service ports add to, in the order of the service map. The rules of a port are made when one of them is looked
 * at, and the candidates for a packet are found by its address or port: the cost of a look-up does not grow with the number of services.
 */
export function sharedChain({ chain, services, family, view, starts, tail }: SharedChainParts): LineChain {
  const [table, name] = splitName(chain);
  const ports = services.ports;
  const fromPorts = starts[ports.length]!;
  const length = fromPorts + tail.length;
  const compiled: Rule[] = [];
  let all: readonly RuleLine[] | undefined;

  let lastIndex = -1;
  let lastBlock: readonly RuleLine[] = [];
  const block = (index: number): readonly RuleLine[] => {
    if (index !== lastIndex) {
      lastBlock = sharedRules(chain, view(index));
      lastIndex = index;
    }
    return lastBlock;
  };
  const line = (number: number): RuleLine => {
    if (number >= fromPorts) return tail[number - fromPorts]!;
    const index = lastNotAbove(starts, number, ports.length);
    return block(index)[number - starts[index]!]!;
  };

  return {
    name,
    policy: null,
    length,
    rule: (number) => (compiled[number] ??= compileRule(line(number), table, family)),
    body: (number) => line(number).body,
    get lines() {
      all ??= [...ports.flatMap((_, index) => block(index)), ...tail];
      return all;
    },
    candidates(packet) {
      const numbers: number[] = [];
      for (const index of candidatePorts(chain, services, packet)) {
        for (let number = starts[index]!; number < starts[index + 1]!; number++) numbers.push(number);
      }
      for (let number = fromPorts; number < length; number++) numbers.push(number);
      return numbers;
    },
  };
}

/** Service ports whose rules in this chain could match a packet, ascending. */
function candidatePorts(chain: SharedChain, services: ServiceMap, packet: Packet): readonly number[] {
  const l4 = portsOf(packet);
  if (l4 === null) return [];
  const { dport } = l4;
  const matchesPort = (index: number): boolean => {
    const port = services.ports[index]!;
    return port.protocol === packet.l4.protocol && port.port === dport;
  };
  switch (chain) {
    case 'nat/KUBE-SERVICES':
    case 'filter/KUBE-SERVICES':
    case 'filter/KUBE-PROXY-FIREWALL':
      return services.withAddress(packet.dst).filter(matchesPort);
    case 'nat/KUBE-NODEPORTS':
    case 'filter/KUBE-NODEPORTS':
      return services.withNodePort(dport);
    case 'filter/KUBE-EXTERNAL-SERVICES':
      return [...new Set([...services.withAddress(packet.dst).filter(matchesPort), ...services.withNodePort(dport)])].sort(
        (a, b) => a - b,
      );
  }
}

function splitName(chain: SharedChain): readonly [TableName, string] {
  return chain.startsWith('nat/') ? ['nat', chain.slice(4)] : ['filter', chain.slice(7)];
}

/** The last index in 0 .. count-1 whose start is not above `number`: the block that holds it (blocks may be empty). */
function lastNotAbove(starts: Int32Array, number: number, count: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= number) low = middle;
    else high = middle - 1;
  }
  return low;
}
