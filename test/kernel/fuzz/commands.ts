import { vethName } from '../../../src/kubernetes/stable-mac.ts';
import { generateRules } from './rules.ts';
import type { ClusterDraft, HostDraft } from './cluster.ts';
import type { Random } from './random.ts';

/** Gives some hosts commands of an operator: routes, rules, sysctls, policies, links, sets. */
export function addCommands(random: Random, { scenario, services }: ClusterDraft): void {
  for (const node of scenario.nodes) {
    // The bridge plugin alone makes no routes: an administrator does.
    if (scenario.cni.plugin === 'bridge') {
      for (const other of scenario.nodes) if (other !== node) add(node, [`ip route add ${other.podCIDR} via ${other.ip}`]);
    }
    if (!random.chance(0.7)) continue;
    const commands: string[] = [];
    for (let i = random.int(1, 3); i > 0; i--) commands.push(...nodeCommands(random, { scenario, services }, node.name));
    add(node, commands);
  }
  for (const pod of scenario.pods) {
    if (pod.hostNetwork !== true && random.chance(0.1))
      add(
        pod,
        podCommands(
          random,
          scenario.nodes.map(({ ip }) => ip),
        ),
      );
  }
  const isVxlan = scenario.cni.backend === 'vxlan';
  const [first] = services;
  if (first && random.chance(0.4)) {
    // The network learns the way to service addresses, as with a routed load balancer.
    const via = random.pick(scenario.nodes).ip;
    const routed = [first.clusterIP, ...first.externalIPs, ...(first.ingress === null ? [] : [first.ingress]), '198.51.100.80'];
    scenario.underlay.commands = routed.map((address) => `ip route add ${address}/32 via ${via}`);
    if (isVxlan && random.chance(0.5)) {
      for (const node of scenario.nodes) scenario.underlay.commands.push(`ip route add ${node.podCIDR} via ${node.ip}`);
    }
  }
}

function add(host: HostDraft, commands: readonly string[]): void {
  if (commands.length > 0) host.commands = [...(host.commands ?? []), ...commands];
}

function nodeCommands(random: Random, { scenario, services }: ClusterDraft, node: string): string[] {
  const own = scenario.nodes.find(({ name }) => name === node)!;
  const other = random.pick(scenario.nodes.filter(({ name }) => name !== node));
  const pod = random.pick(scenario.pods.filter(({ ip }) => ip !== undefined));
  const isVxlan = scenario.cni.backend === 'vxlan';
  const tunnel = `flannel.${String(scenario.cni.vni ?? 1)}`;
  const router = `${own.ip.replace(/\d+$/, '1')}`;
  const table = (): string[] => [
    random.pick([
      `ip route replace default via ${router} dev eth0 table 100`,
      `ip route replace ${other.podCIDR} via ${other.ip} dev eth0 table 100`,
      'ip route replace unreachable default table 100',
    ]),
  ];
  switch (random.int(0, 15)) {
    case 0:
      return [`iptables -P ${random.pick(['FORWARD', 'FORWARD', 'INPUT', 'OUTPUT'])} DROP`];
    case 1:
      return [
        'iptables -N OPS-FW',
        'iptables -A OPS-FW -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
        ...(random.chance(0.5) ? ['iptables -A OPS-FW -m conntrack --ctstate INVALID -j DROP'] : []),
        ...(random.chance(0.6) ? [`iptables -A OPS-FW -s ${pod.ip} -j ${random.pick(['ACCEPT', 'RETURN'])}`] : []),
        `iptables -A OPS-FW -j ${random.pick(['DROP', 'REJECT', 'RETURN', 'REJECT --reject-with icmp-net-unreachable'])}`,
        `iptables -${random.pick(['A', 'I'])} ${random.pick(['FORWARD', 'FORWARD', 'INPUT', 'OUTPUT'])} -j OPS-FW`,
      ];
    case 2: {
      const hook = random.pick(['PREROUTING', 'PREROUTING', 'OUTPUT']);
      return [
        `iptables -t mangle -A ${hook} -j CONNMARK --restore-mark`,
        `iptables -t mangle -A ${hook} -m mark ! --mark 0x0 -j ACCEPT`,
        `iptables -t mangle -A ${hook} -s ${pod.ip} -m conntrack --ctstate NEW -j MARK --set-mark ${random.pick(['0x1', '0x10'])}`,
        `iptables -t mangle -A ${hook} -j CONNMARK --save-mark`,
      ];
    }
    case 3:
      return [
        ...table(),
        `ip rule add ${random.pick(['fwmark 0x1/0xff', 'fwmark 0x10/0xff', `from ${pod.ip}`, `to ${pod.ip}`, 'iif cni0', 'from 10.244.0.0/16'])} lookup 100`,
        ...(random.chance(0.6)
          ? [
              `iptables -t mangle -A ${random.pick(['PREROUTING', 'OUTPUT'])} -d ${random.pick(services).clusterIP} -j MARK --set-mark 0x1`,
            ]
          : []),
      ];
    case 4:
      return [
        random.pick([
          `ip route del ${other.podCIDR}`,
          'ip route del default',
          `ip route replace ${other.podCIDR} via ${other.ip} dev eth0`,
          `ip route add ${pod.ip}/32 via ${other.ip}`,
          `ip route add blackhole ${pod.ip}/32`,
          `ip route add prohibit ${random.pick(services).clusterIP}/32`,
          `ip route add unreachable ${other.podCIDR.replace('0/24', '128/25')}`,
        ]),
      ];
    case 5:
      return [
        random.pick([
          'sysctl -w net.ipv4.conf.eth0.rp_filter=1',
          'sysctl -w net.ipv4.conf.cni0.rp_filter=1',
          'sysctl -w net.bridge.bridge-nf-call-iptables=0',
          'sysctl -w net.ipv4.ip_forward=0',
          'sysctl -w net.ipv4.conf.all.route_localnet=0',
          'sysctl -w net.ipv4.conf.all.rp_filter=2',
        ]),
      ];
    case 6:
      return isVxlan
        ? [
            random.pick([
              `bridge fdb del be:ef:${hex(other.ip)} dev ${tunnel} dst ${other.ip}`,
              `ip neigh del ${other.podCIDR.replace('/24', '')} dev ${tunnel}`,
              `ip link set ${tunnel} mtu 1400`,
              `ip link set ${tunnel} down`,
            ]),
          ]
        : ['ip link set cni0 mtu 1400'];
    case 7:
      return [
        random.pick([
          'ip link set eth0 mtu 1400',
          'ip link set cni0 mtu 1400',
          'ip addr add 198.51.100.80/32 dev lo',
          `ip addr add ${own.ip.replace(/\d+$/, '77')}/24 dev eth0`,
        ]),
      ];
    case 8: {
      const service = random.pick(services);
      return [
        random.pick([
          `iptables -t nat -I KUBE-SERVICES -d ${service.clusterIP} -j RETURN`,
          'iptables -t nat -D POSTROUTING 1',
          'iptables -t nat -F KUBE-POSTROUTING',
          `iptables -I KUBE-FORWARD -s ${pod.ip} -j ${random.pick(['ACCEPT', 'DROP'])}`,
          'iptables -t nat -A KUBE-MARK-MASQ -j MARK --or-mark 0x1',
          'iptables -D FORWARD 2',
        ]),
      ];
    }
    case 9:
      return [
        `iptables -t raw -${random.pick(['A', 'I'])} ${random.pick(['PREROUTING', 'PREROUTING', 'OUTPUT'])} ${random.pick(['-p tcp ', `-s ${pod.ip} `, `-d ${pod.ip} `, '-p udp --dport 5353 ', '-i eth0 '])}-j CT --notrack`.replace(
          /OUTPUT -i eth0/,
          'OUTPUT',
        ),
      ];
    case 10: {
      const near = scenario.pods.find((p) => p.node === node && p.ip !== undefined);
      const veth = near && vethName({ namespace: 'default', name: near.name });
      return [
        random.pick([
          `ip neigh replace ${other.ip} lladdr 02:42:00:00:00:99 dev eth0 nud permanent`,
          'ip addr del 10.244.1.1/24 dev cni0',
          `ip route replace ${other.podCIDR} nexthop via ${other.ip} dev eth0 weight 1 nexthop via ${router} dev eth0 weight 1`,
          'iptables-legacy -P FORWARD DROP',
          'sysctl -w net.ipv4.conf.all.accept_local=1',
          'sysctl -w net.ipv4.ip_default_ttl=4',
          'sysctl -w net.ipv4.conf.eth0.forwarding=0',
          ...(veth
            ? [
                `bridge link set dev ${veth} hairpin ${random.pick(['on', 'off'])}`,
                `ip link set ${veth} down`,
                `ip link set ${veth} nomaster`,
              ]
            : []),
        ]),
      ];
    }
    default:
      return generateRules(random, { scenario, services }, node);
  }
}

function podCommands(random: Random, nodes: readonly string[]): string[] {
  return [
    random.pick([
      'iptables -P INPUT DROP',
      `iptables -A INPUT -s ${random.pick(nodes)} -j REJECT`,
      'iptables -A INPUT -p tcp --dport 8080 -m conntrack --ctstate NEW -j ACCEPT',
      'iptables -A OUTPUT -p udp -j DROP',
      'ip route del default',
      'iptables -t nat -A OUTPUT -p tcp -m addrtype ! --dst-type LOCAL -j RETURN',
    ]),
  ];
}

function hex(ip: string): string {
  return ip
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join(':');
}
