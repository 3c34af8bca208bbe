import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import type { Probe } from '../../../../src/kubernetes/model/check.ts';
import { CAUSE_CODES } from '../../../../src/trace/outcome.ts';
import type { CauseCode, Verdict } from '../../../../src/trace/outcome.ts';
import { BASE, outcome, veth } from './lab.ts';

interface Case {
  readonly code: CauseCode;
  readonly what: string;
  /** Changes of the base scenario's text. */
  readonly edit?: readonly (readonly [string, string])[];
  /** Kubernetes objects behind it. */
  readonly append?: string;
  readonly commands?: readonly string[];
  readonly from?: string;
  readonly to: string;
  readonly more?: Partial<Probe>;
  readonly verdict: Verdict;
  /** In the cause's sentence. */
  readonly says: readonly (string | RegExp)[];
  /** The remedy as printed, or how many commands it has; null: works as designed. */
  readonly remedy: readonly string[] | number | null;
}

const local = 'type: NodePort, externalTrafficPolicy: Local, clusterIP: 10.96.0.21';

const LOAD_BALANCER = `
---
apiVersion: v1
kind: Service
metadata: { name: lb, namespace: default }
spec:
  type: LoadBalancer
  clusterIP: 10.96.0.30
  selector: { app: web-1 }
  loadBalancerSourceRanges: [203.0.113.0/24]
  ports: [{ port: 80, targetPort: 8080, nodePort: 30090 }]
status: { loadBalancer: { ingress: [{ ip: 172.18.0.200 }] } }
`;

const CASES: readonly Case[] = [
  {
    code: 'no-endpoints',
    what: 'the selector matches no pod',
    edit: [['selector: { app: web-1 }', 'selector: { app: wbe }']],
    to: 'svc/near',
    verdict: 'refused',
    says: ['Service default/near has no ready endpoint', 'its selector app=wbe matches no pod'],
    remedy: [`kubectl -n default patch service near --type merge -p '{"spec":{"selector":{"app":"web-1"}}}'`],
  },
  {
    code: 'no-endpoints',
    what: 'its pod is not ready',
    edit: [['labels: { app: web-1 }', 'labels: { app: web-1 }, ready: false']],
    to: 'svc/near',
    verdict: 'refused',
    says: ['pod/web-1 matches its selector app=web-1, but is not ready'],
    remedy: ['kubectl -n default describe pod/web-1  # why its readiness probe fails'],
  },
  {
    code: 'no-endpoints',
    what: 'no container port has the name of targetPort',
    edit: [
      ['app: web-1 }, ports: [8080]', 'app: web-1 }, ports: [{ name: http, containerPort: 8080 }]'],
      ['app: web-1 }, ports: [{ port: 80, targetPort: 8080', 'app: web-1 }, ports: [{ port: 80, targetPort: web'],
    ],
    to: 'svc/near',
    verdict: 'refused',
    says: ['has a port named web; they call theirs http'],
    remedy: [
      `kubectl -n default patch service near --type json -p '[{"op":"replace","path":"/spec/ports/0/targetPort","value":"http"}]'`,
    ],
  },
  {
    code: 'no-local-endpoints',
    what: 'external traffic policy',
    edit: [
      ['clusterIP: 10.96.0.21', local],
      ['targetPort: 8080 }] }\nexternal', 'targetPort: 8080, nodePort: 30080 }] }\nexternal'],
    ],
    from: 'external/neighbour',
    to: 'node/node-1:30080',
    verdict: 'timeout',
    says: ['externalTrafficPolicy Local', 'no endpoint on node/node-1'],
    remedy: [`kubectl -n default patch service far --type merge -p '{"spec":{"externalTrafficPolicy":"Cluster"}}'`],
  },
  {
    code: 'no-local-endpoints',
    what: 'internal traffic policy',
    edit: [['clusterIP: 10.96.0.21', 'internalTrafficPolicy: Local, clusterIP: 10.96.0.21']],
    to: 'svc/far',
    verdict: 'timeout',
    says: ['internalTrafficPolicy Local'],
    remedy: [`kubectl -n default patch service far --type merge -p '{"spec":{"internalTrafficPolicy":"Cluster"}}'`],
  },
  {
    code: 'port-not-listening',
    what: 'wrong targetPort',
    edit: [['app: web-1 }, ports: [{ port: 80, targetPort: 8080', 'app: web-1 }, ports: [{ port: 80, targetPort: 9090']],
    to: 'svc/near',
    verdict: 'refused',
    says: ['nothing listens on port 9090/tcp of pod/default/web-1', 'it listens on 8080/tcp'],
    remedy: [
      `kubectl -n default patch service near --type json -p '[{"op":"replace","path":"/spec/ports/0/targetPort","value":8080}]'`,
    ],
  },
  {
    code: 'port-not-listening',
    what: 'a closed port of a node',
    to: 'node/node-2:22',
    verdict: 'refused',
    says: ['nothing listens on port 22/tcp of node/node-2'],
    remedy: null,
  },
  {
    code: 'port-not-in-service',
    what: 'a port the service lacks',
    to: 'svc/near:81',
    verdict: 'network-unreachable',
    says: ['Service default/near has no port 81/tcp', 'it has 80/tcp'],
    remedy: [
      `kubectl -n default patch service near --type merge -p '{"spec":{"ports":[{"name":"port-1","port":80,"protocol":"TCP","targetPort":8080},{"name":"port-2","port":81,"protocol":"TCP","targetPort":8080}]}}'`,
    ],
  },
  {
    code: 'no-such-address',
    what: 'an external IP that no machine holds',
    edit: [['clusterIP: 10.96.0.20', 'externalIPs: [172.18.0.200], clusterIP: 10.96.0.20']],
    from: 'external/neighbour',
    to: '172.18.0.200:80',
    verdict: 'host-unreachable',
    says: ['172.18.0.200 of Service default/near belongs to no machine'],
    remedy: ['ip addr add 172.18.0.200/32 dev eth0  # on node/node-1'],
  },
  {
    code: 'clusterip-not-pingable',
    what: 'ping of a ClusterIP',
    to: 'svc/near',
    more: { protocol: 'icmp' },
    verdict: 'network-unreachable',
    says: ['10.96.0.20 of Service default/near', 'as designed'],
    remedy: null,
  },
  {
    code: 'echo-ignored',
    what: 'a node that answers no echo requests',
    commands: ['node-2: sysctl -w net.ipv4.icmp_echo_ignore_all=1'],
    to: 'node/node-2',
    more: { protocol: 'icmp' },
    verdict: 'timeout',
    says: ['node/node-2 got', 'answers no echo requests (net.ipv4.icmp_echo_ignore_all=1)'],
    remedy: ['sysctl -w net.ipv4.icmp_echo_ignore_all=0  # on node/node-2'],
  },
  {
    code: 'bridge-nf-off',
    what: 'the bridged answer passes netfilter by',
    commands: ['node-1: sysctl -w net.bridge.bridge-nf-call-iptables=0'],
    to: 'svc/near',
    verdict: 'timeout',
    says: ['net.bridge.bridge-nf-call-iptables=0', 'from the endpoint instead of 10.96.0.20'],
    remedy: ['sysctl -w net.bridge.bridge-nf-call-iptables=1  # on node/node-1'],
  },
  {
    code: 'hairpin-off',
    what: 'a pod reaches itself',
    edit: [['name: web-1, node', 'hairpinMode: false, name: web-1, node']],
    from: 'pod/web-1',
    to: 'svc/near',
    verdict: 'timeout',
    says: ['is not in hairpin mode'],
    remedy: ['bridge link set dev veth85dffee6 hairpin on  # on node/node-1'],
  },
  {
    code: 'ip-forward-off',
    what: 'the node is no router',
    commands: ['node-1: sysctl -w net.ipv4.ip_forward=0'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['node/node-1 does not forward packets'],
    remedy: ['sysctl -w net.ipv4.ip_forward=1  # on node/node-1'],
  },
  {
    code: 'rule-drop',
    what: 'an operator drops',
    commands: ['node-2: iptables -I FORWARD -s 10.244.1.2/32 -p tcp -j DROP'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: [
      'node/node-2 dropped tcp 10.244.1.2:40000 → 10.244.2.2:8080 by rule 1 of filter FORWARD',
      '`-A FORWARD -s 10.244.1.2/32 -p tcp -j DROP`',
    ],
    remedy: ['iptables -t filter -D FORWARD -s 10.244.1.2/32 -p tcp -j DROP  # on node/node-2'],
  },
  {
    code: 'rule-reject',
    what: 'an operator rejects',
    commands: ['node-1: iptables -I FORWARD -p tcp --dport 8080 -j REJECT'],
    to: 'svc/far',
    verdict: 'refused',
    says: ['node/node-1 rejected'],
    remedy: [
      'iptables -t filter -D FORWARD -p tcp -m tcp --dport 8080 -j REJECT --reject-with icmp-port-unreachable  # on node/node-1',
    ],
  },
  {
    code: 'policy-drop',
    what: 'no rule accepts',
    edit: [['backend: vxlan', 'backend: vxlan, iptablesForwardRules: false']],
    commands: ['node-1: iptables -P FORWARD DROP'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['no rule of filter FORWARD on node/node-1 accepted'],
    remedy: ['iptables -t filter -P FORWARD ACCEPT  # on node/node-1'],
  },
  {
    code: 'source-range',
    what: 'the client is not in the ranges',
    append: LOAD_BALANCER,
    from: 'external/neighbour',
    to: '172.18.0.200:80',
    commands: ['external/neighbour: ip route add 172.18.0.200/32 via 172.18.0.2'],
    verdict: 'timeout',
    says: ['Service default/lb lets only 203.0.113.0/24', '172.18.0.100 is not in it'],
    remedy: [
      `kubectl -n default patch service lb --type merge -p '{"spec":{"loadBalancerSourceRanges":["203.0.113.0/24","172.18.0.100/32"]}}'`,
    ],
  },
  ...(
    [
      [
        "the client's device is down",
        'pod/client: ip link set eth0 down',
        'network-unreachable',
        'eth0 of pod/default/client is down',
        3,
      ],
      ["the server's device is down", 'pod/web-2: ip link set eth0 down', 'timeout', 'eth0 of pod/default/web-2 is down', 3],
      ["the other node's device is down", 'node-2: ip link set eth0 down', 'timeout', 'eth0 of node/node-2 is down', 2],
      ["the other node's bridge is down", 'node-2: ip link set cni0 down', 'timeout', 'cni0 of node/node-2 is down', 1],
      ['the tunnel is down', 'node-1: ip link set flannel.1 down', 'timeout', 'flannel.1 of node/node-1 is down', 3],
      ['the node has no address', 'node-1: ip addr del 172.18.0.2/16 dev eth0', 'timeout', 'the address 172.18.0.2 on eth0', 2],
      ['the bridge is gone', 'node-1: ip link del cni0', 'timeout', 'node/node-1 has no device cni0 any more', 5],
      ['the pod is not plugged in', 'node-1: ip link set CLIENT nomaster', 'timeout', 'is no port of cni0 any more', 2],
      ['the other pod is not plugged in', 'node-2: ip link set SERVER nomaster', 'timeout', 'is no port of cni0 any more', 2],
    ] as const
  ).map(
    ([what, command, verdict, says, commands]): Case => ({
      code: 'no-route',
      what,
      commands: [command.replace('CLIENT', veth('client')).replace('SERVER', veth('web-2'))],
      to: 'pod/web-2:8080',
      verdict,
      says: [says],
      remedy: commands,
    }),
  ),
  {
    code: 'no-such-address',
    what: 'the pod has lost its address',
    commands: ['pod/web-2: ip addr del 10.244.2.2/24 dev eth0'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['pod/default/web-2 no longer has the address 10.244.2.2 on eth0'],
    remedy: 3,
  },
  {
    code: 'no-route',
    what: 'flannel route gone',
    commands: ['node-1: ip route del 10.244.2.0/24'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['node/node-1 no longer has its route to 10.244.2.2', 'the packet went astray to underlay'],
    remedy: ['ip route add 10.244.2.0/24 via 10.244.2.0 dev flannel.1 onlink  # on node/node-1'],
  },
  {
    code: 'no-route',
    what: 'the pod has no default route',
    commands: ['pod/client: ip route del default'],
    to: 'svc/near',
    verdict: 'network-unreachable',
    says: ['pod/default/client no longer has its route to 10.96.0.20'],
    remedy: ['ip route add default via 10.244.1.1 dev eth0  # on pod/default/client'],
  },
  {
    code: 'no-route',
    what: 'pods are unknown outside',
    from: 'external/laptop',
    to: 'pod/web-2:8080',
    verdict: 'network-unreachable',
    says: ['underlay has no route to 10.244.2.2'],
    remedy: ['ip route add 10.244.2.2 via 172.18.0.3  # on underlay'],
  },
  {
    code: 'no-route-back',
    what: 'nobody masquerades',
    edit: [['backend: vxlan', 'backend: vxlan, ipMasq: false']],
    to: 'external/laptop',
    verdict: 'timeout',
    says: ['underlay has no route back to 10.244.1.2', 'nobody masqueraded the client'],
    remedy: ['iptables -t nat -A POSTROUTING -s 10.244.0.0/16 ! -d 10.244.0.0/16 -j MASQUERADE  # on node/node-1'],
  },
  {
    code: 'route-blackhole',
    what: 'it swallows what is for nobody',
    commands: ['node-1: ip route add blackhole 10.244.9.0/24'],
    to: '10.244.9.9:80',
    verdict: 'timeout',
    says: ['nobody has the address', 'as designed'],
    remedy: null,
  },
  ...(['unreachable', 'prohibit', 'blackhole'] as const).map(
    (type): Case => ({
      code: `route-${type}`,
      what: 'a route refuses',
      commands: [`node-1: ip route add ${type} 10.244.2.2`],
      to: 'pod/web-2:8080',
      verdict: type === 'blackhole' ? 'timeout' : 'host-unreachable',
      says: [`node/node-1 has the route \`${type} 10.244.2.2\``],
      remedy: [`ip route del ${type} 10.244.2.2  # on node/node-1`],
    }),
  ),
  {
    code: 'route-unreachable',
    what: "it took flannel's place",
    commands: ['node-1: ip route replace unreachable 10.244.2.0/24'],
    to: 'pod/web-2:8080',
    verdict: 'host-unreachable',
    says: ['node/node-1 has the route `unreachable 10.244.2.0/24` in table main'],
    remedy: [
      'ip route del unreachable 10.244.2.0/24  # on node/node-1',
      'ip route add 10.244.2.0/24 via 10.244.2.0 dev flannel.1 onlink  # on node/node-1',
    ],
  },
  {
    code: 'no-route',
    what: 'a rule of `ip rule` leads astray',
    commands: ['node-1: ip rule add from 10.244.1.2 lookup 100', 'node-1: ip route add default via 172.18.0.1 table 100'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['node/node-1 looked it up in table 100', 'astray to underlay'],
    remedy: ['ip route add 10.244.2.0/24 via 10.244.2.0 dev flannel.1 onlink table 100  # on node/node-1'],
  },
  {
    code: 'no-route',
    what: 'a more specific route leads astray',
    commands: ['node-1: ip route add 10.244.2.2/32 via 172.18.0.1'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['`10.244.2.2 via 172.18.0.1 dev eth0`', 'comes before its route `10.244.2.0/24 via 10.244.2.0', 'astray to underlay'],
    remedy: ['ip route del 10.244.2.2 via 172.18.0.1 dev eth0  # on node/node-1'],
  },
  {
    code: 'no-route-back',
    what: 'a more specific route leads the answer astray',
    commands: ['node-2: ip route add 10.244.1.2/32 via 172.18.0.1'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['node/node-2 has the route `10.244.1.2 via 172.18.0.1 dev eth0` back to 10.244.1.2'],
    remedy: ['ip route del 10.244.1.2 via 172.18.0.1 dev eth0  # on node/node-2'],
  },
  {
    code: 'no-route',
    what: 'a route of type throw',
    commands: ['node-1: ip route add throw 10.244.2.2'],
    to: 'pod/web-2:8080',
    verdict: 'network-unreachable',
    says: ['node/node-1 has the route `throw 10.244.2.2`'],
    remedy: ['ip route del throw 10.244.2.2  # on node/node-1'],
  },
  {
    code: 'no-such-address',
    what: 'a route through a gateway that is not there',
    commands: ['node-1: ip route replace 10.244.2.0/24 via 172.18.0.99'],
    to: 'pod/web-2:8080',
    verdict: 'host-unreachable',
    says: ['but `10.244.2.0/24 via 172.18.0.99 dev eth0`'],
    remedy: ['ip route replace 10.244.2.0/24 via 10.244.2.0 dev flannel.1 onlink  # on node/node-1'],
  },
  {
    code: 'ip-forward-off',
    what: 'one device of the node lets nothing through',
    commands: ['node-1: sysctl -w net.ipv4.conf.cni0.forwarding=0'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['node/node-1 does not forward packets that come in by cni0'],
    remedy: ['sysctl -w net.ipv4.conf.cni0.forwarding=1  # on node/node-1'],
  },
  {
    code: 'no-such-address',
    what: 'a packet comes to a pod that lacks its destination',
    commands: ['node-1: ip route add 10.7.7.7/32 via 10.244.1.3'],
    to: '10.7.7.7:80',
    verdict: 'timeout',
    says: ['came to pod/default/web-1, which does not have the address 10.7.7.7'],
    remedy: null,
  },
  {
    code: 'neighbour-failed',
    what: 'a permanent entry is wrong',
    commands: ['node-1: ip neigh replace 172.18.0.3 lladdr 00:11:22:33:44:55 dev eth0 nud permanent'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['that 172.18.0.3 is at 00:11:22:33:44:55 on eth0, but node/node-2'],
    remedy: ['ip neigh del 172.18.0.3 dev eth0  # on node/node-1'],
  },
  {
    code: 'neighbour-failed',
    what: "the daemon's permanent entry is wrong",
    commands: ['node-1: ip neigh replace 10.244.2.0 lladdr 00:11:22:33:44:55 dev flannel.1 nud permanent'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['that 10.244.2.0 is at 00:11:22:33:44:55 on flannel.1'],
    remedy: ['ip neigh replace 10.244.2.0 lladdr be:ef:ac:12:00:03 dev flannel.1 nud permanent  # on node/node-1'],
  },
  {
    code: 'no-such-address',
    what: 'the tunnel leads to a machine that is not there',
    commands: ['node-1: bridge fdb replace be:ef:ac:12:00:03 dev flannel.1 dst 172.18.0.99'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['flannel.1 of node/node-1 sends what is for be:ef:ac:12:00:03 to 172.18.0.99 instead of 172.18.0.3'],
    remedy: ['bridge fdb replace be:ef:ac:12:00:03 dev flannel.1 dst 172.18.0.3 self permanent  # on node/node-1'],
  },
  ...(['blackhole', 'prohibit', 'unreachable'] as const).map(
    (type): Case => ({
      code: `route-${type}`,
      what: 'a rule of `ip rule` refuses',
      commands: [`node-1: ip rule add from 10.244.0.0/16 ${type}`],
      to: 'pod/web-2:8080',
      verdict: type === 'blackhole' ? 'timeout' : type === 'prohibit' ? 'host-unreachable' : 'network-unreachable',
      says: [`node/node-1 has the rule \`32765: from 10.244.0.0/16 ${type}\``],
      remedy: ['ip rule del pref 32765  # on node/node-1'],
    }),
  ),
  {
    code: 'no-endpoints',
    what: 'the selector matches no pod, and no pod bears labels like it',
    edit: [['selector: { app: web-1 }', 'selector: { app: shop }']],
    to: 'svc/near',
    verdict: 'refused',
    says: ['its selector app=shop matches no pod'],
    remedy: ['kubectl -n default label pod POD app=shop  # the pods that are meant, better in the template of their workload'],
  },
  {
    code: 'port-not-listening',
    what: 'a host port on another node',
    edit: [['app: web-2 }, ports: [8080,', 'app: web-2 }, ports: [{ containerPort: 8080, hostPort: 8000 },']],
    to: 'node/node-1:8000',
    verdict: 'refused',
    says: ['nothing listens on port 8000/tcp of node/node-1: it is the host port of pod/default/web-2, on node/node-2'],
    remedy: null,
  },
  {
    code: 'no-such-address',
    what: "the node has lost the service's rules",
    commands: ['node-1: iptables -t nat -F KUBE-SERVICES'],
    to: 'svc/far',
    verdict: 'network-unreachable',
    says: ['no rule of node/node-1 translated what goes to 10.96.0.21:80 of Service default/far'],
    remedy: ['kubectl -n kube-system rollout restart daemonset kube-proxy  # it writes the rules of node/node-1 anew'],
  },
  {
    code: 'no-such-address',
    what: 'nothing of the node is tracked, so no service is translated',
    commands: ['node-1: iptables -t raw -A PREROUTING -j NOTRACK'],
    to: 'svc/far',
    verdict: 'timeout',
    says: ['`-A PREROUTING -j NOTRACK`, kept the connection out of conntrack on node/node-1'],
    remedy: ['iptables -t raw -D PREROUTING -j NOTRACK  # on node/node-1'],
  },
  {
    code: 'no-such-address',
    what: "an operator's DNAT to nowhere",
    commands: ['node-1: iptables -t nat -I PREROUTING -d 10.244.2.2 -p tcp -j DNAT --to-destination 9.9.9.9:80'],
    to: 'pod/web-2:8080',
    verdict: 'network-unreachable',
    says: ['-j DNAT --to-destination 9.9.9.9:80`, of node/node-1 sends the packet to 9.9.9.9'],
    remedy: ['iptables -t nat -D PREROUTING -d 10.244.2.2/32 -p tcp -j DNAT --to-destination 9.9.9.9:80  # on node/node-1'],
  },
  {
    code: 'no-such-address',
    what: "an operator's DNAT to an address of a link that nobody has",
    commands: ['node-1: iptables -t nat -I PREROUTING -d 10.244.2.2 -p tcp -j DNAT --to-destination 172.18.0.99:80'],
    to: 'pod/web-2:8080',
    verdict: 'host-unreachable',
    says: ['of node/node-1 sends the packet to 172.18.0.99'],
    remedy: ['iptables -t nat -D PREROUTING -d 10.244.2.2/32 -p tcp -j DNAT --to-destination 172.18.0.99:80  # on node/node-1'],
  },
  {
    code: 'no-route-back',
    what: "an operator's SNAT to nowhere",
    commands: ['node-1: iptables -t nat -I POSTROUTING -d 10.244.2.2 -p tcp -j SNAT --to-source 9.9.9.9'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['of node/node-1 gives the client the source 9.9.9.9', 'knows no way back'],
    remedy: ['iptables -t nat -D POSTROUTING -d 10.244.2.2/32 -p tcp -j SNAT --to-source 9.9.9.9  # on node/node-1'],
  },
  {
    code: 'ttl-expired',
    what: "an operator's rule",
    commands: ['node-1: iptables -t mangle -A PREROUTING -s 10.244.1.2 -j TTL --ttl-set 1'],
    to: 'pod/web-2:8080',
    verdict: 'host-unreachable',
    says: ['-j TTL --ttl-set 1`, of node/node-1 changed it'],
    remedy: ['iptables -t mangle -D PREROUTING -s 10.244.1.2/32 -j TTL --ttl-set 1  # on node/node-1'],
  },
  {
    code: 'tunnel-blocked',
    what: 'a node announces the public IP of another',
    edit: [
      [
        'podCIDR: 10.244.2.0/24 }',
        'podCIDR: 10.244.2.0/24, annotations: { flannel.alpha.coreos.com/public-ip: 172.18.0.4 } }\n- { name: node-3, ip: 172.18.0.4, podCIDR: 10.244.3.0/24 }',
      ],
    ],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['leads to 172.18.0.4', 'node/node-3 has that address'],
    remedy: [
      'kubectl annotate --overwrite node node-2 flannel.alpha.coreos.com/public-ip-overwrite=172.18.0.3  # or start flanneld with --iface',
    ],
  },
  {
    code: 'neighbour-failed',
    what: 'two nodes have one pod range',
    edit: [
      ['podCIDR: 10.244.2.0/24 }', 'podCIDR: 10.244.1.0/24 }'],
      ['ip: 10.244.2.2', 'ip: 10.244.1.4'],
    ],
    to: 'pod/web-2:8080',
    verdict: 'host-unreachable',
    says: ['the nodes node-1 and node-2 have pod ranges that overlap, 10.244.1.0/24 and 10.244.1.0/24'],
    remedy: ['give node node-2 a podCIDR of its own'],
  },
  {
    code: 'no-such-address',
    what: 'a pod that is not there',
    to: '10.244.2.99:8080',
    verdict: 'host-unreachable',
    says: ['nobody has the address 10.244.2.99: node/node-2 asked for it on cni0'],
    remedy: null,
  },
  {
    code: 'no-such-address',
    what: 'a service that is not there',
    to: '10.96.7.7:80',
    verdict: 'network-unreachable',
    says: ['no service has the address 10.96.7.7'],
    remedy: null,
  },
  {
    code: 'ttl-expired',
    what: 'all nodes announce one public IP to flannel',
    edit: [
      ['podCIDR: 10.244.1.0/24 }', 'podCIDR: 10.244.1.0/24, interfaces: [{ ip: 10.0.2.15/24 }] }'],
      ['podCIDR: 10.244.2.0/24 }', 'podCIDR: 10.244.2.0/24, annotations: { flannel.alpha.coreos.com/public-ip: 10.0.2.15 } }'],
    ],
    to: 'pod/web-2:8080',
    verdict: 'host-unreachable',
    says: ["flannel's tunnel to the pods of node/node-2 leads to 10.0.2.15", 'an address of node/node-1 itself'],
    remedy: [
      'kubectl annotate --overwrite node node-2 flannel.alpha.coreos.com/public-ip-overwrite=172.18.0.3  # or start flanneld with --iface',
    ],
  },
  {
    code: 'ttl-expired',
    what: 'flanneld takes the interface of the default route, where all nodes have one address',
    edit: [
      [
        'podCIDR: 10.244.1.0/24 }',
        'podCIDR: 10.244.1.0/24, interfaces: [{ name: eth0, ip: 10.0.2.15/24 }, { name: eth1, ip: 172.18.0.2/16 }] }',
      ],
      [
        'podCIDR: 10.244.2.0/24 }',
        'podCIDR: 10.244.2.0/24, interfaces: [{ name: eth0, ip: 10.0.2.15/24 }, { name: eth1, ip: 172.18.0.3/16 }] }',
      ],
    ],
    to: 'pod/web-2:8080',
    verdict: 'host-unreachable',
    says: ["flannel's tunnel to the pods of node/node-2 leads to 10.0.2.15", 'an address of node/node-1 itself'],
    remedy: [
      `kubectl -n kube-flannel patch daemonset kube-flannel-ds --type=json -p '[{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--iface=eth1"}]'  # in a scenario: cni.iface`,
    ],
  },
  {
    code: 'no-route',
    what: 'a node announces a public IP that nobody can reach',
    edit: [
      ['podCIDR: 10.244.2.0/24 }', 'podCIDR: 10.244.2.0/24, annotations: { flannel.alpha.coreos.com/public-ip: 10.9.0.12 } }'],
    ],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['leads to 10.9.0.12', 'underlay knows no way to that address'],
    remedy: [
      'kubectl annotate --overwrite node node-2 flannel.alpha.coreos.com/public-ip-overwrite=172.18.0.3  # or start flanneld with --iface',
    ],
  },
  {
    code: 'neighbour-failed',
    what: 'the pod range contains the network of the nodes',
    edit: [
      ['podCIDR: 10.244.0.0/16, serviceCIDR', 'podCIDR: 172.18.0.0/16, serviceCIDR'],
      ['podCIDR: 10.244.1.0/24', 'podCIDR: 172.18.0.0/24'],
      ['ip: 10.244.1.2', 'ip: 172.18.0.50'],
      ['ip: 10.244.1.3', 'ip: 172.18.0.51'],
    ],
    to: 'node/node-2:22',
    verdict: 'host-unreachable',
    says: ['node/node-2 has it, but not on this link', 'overlaps with the nodes'],
    remedy: ['give cluster.podCIDR a range that does not overlap with 172.18.0.0/16'],
  },
  {
    code: 'neighbour-failed',
    what: 'a permanent entry is gone',
    commands: ['node-1: ip neigh del 10.244.2.0 dev flannel.1'],
    to: 'pod/web-2:8080',
    verdict: 'host-unreachable',
    says: ['node/node-1 knows no MAC address for 10.244.2.0 on flannel.1'],
    remedy: ['ip neigh replace 10.244.2.0 lladdr be:ef:ac:12:00:03 dev flannel.1 nud permanent  # on node/node-1'],
  },
  {
    code: 'fdb-missing',
    what: 'the tunnel does not know the node',
    commands: ['node-1: bridge fdb del be:ef:ac:12:00:03 dev flannel.1 dst 172.18.0.3'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['flannel.1 of node/node-1 does not know behind which node be:ef:ac:12:00:03 is'],
    remedy: ['bridge fdb append be:ef:ac:12:00:03 dev flannel.1 dst 172.18.0.3 self permanent  # on node/node-1'],
  },
  {
    code: 'tunnel-blocked',
    what: 'a host firewall',
    commands: ['node-2: iptables -I INPUT -p udp --dport 8472 -j DROP'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ["node/node-2 dropped the tunnel's packet udp 172.18.0.2", 'rule 1 of filter INPUT'],
    remedy: ['iptables -t filter -I INPUT -p udp --dport 8472 -j ACCEPT  # on node/node-2'],
  },
  {
    code: 'tunnel-blocked',
    what: 'a firewall between the nodes',
    edit: [['underlay: { nodeCIDR: 172.18.0.0/16 }', 'underlay: { nodeCIDR: 172.18.0.0/16, firewall: [{ drop: udp/8472 }] }']],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['underlay.firewall'],
    remedy: ['take `{ drop: udp/8472 }` out of underlay.firewall'],
  },
  {
    code: 'rp-filter',
    what: 'the way back leads elsewhere',
    commands: [
      'node-2: sysctl -w net.ipv4.conf.flannel/1.rp_filter=1',
      'node-2: ip route replace 10.244.1.0/24 via 172.18.0.2 dev eth0',
    ],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['it came in by flannel.1', 'rp_filter is strict'],
    remedy: ['sysctl -w net.ipv4.conf.flannel/1.rp_filter=2  # on node/node-2'],
  },
  {
    code: 'own-source-address',
    what: "a neighbour uses the node's address",
    commands: [
      'external/neighbour: ip addr add 10.244.2.1/32 dev lo',
      'external/neighbour: ip route add 10.244.2.0/24 via 172.18.0.3',
    ],
    from: 'external/neighbour',
    to: 'pod/web-2:8080',
    more: { sourceAddress: '10.244.2.1' },
    verdict: 'timeout',
    says: ["with node/node-2's own address 10.244.2.1"],
    remedy: null,
  },
  {
    code: 'own-source-address',
    what: 'the answer goes to whom the address belongs',
    from: 'external/neighbour',
    to: 'pod/web-2:8080',
    commands: [
      'external/neighbour: ip addr add 172.18.0.3/32 dev lo',
      'external/neighbour: ip route add 10.244.2.0/24 via 172.18.0.2',
    ],
    more: { sourceAddress: '172.18.0.3' },
    verdict: 'timeout',
    says: ["which is node/node-2's: the answer"],
    remedy: null,
  },
  {
    code: 'no-such-address',
    what: 'nobody translates service addresses',
    edit: [['cni: {', 'kubeProxy: { mode: none }\ncni: {']],
    to: 'svc/near',
    verdict: 'network-unreachable',
    says: ['no kube-proxy runs'],
    remedy: null,
  },
  {
    code: 'martian-source',
    what: '127.0.0.5 from outside',
    edit: [['cni: {', 'kubeProxy: { mode: iptables, iptables: { localhostNodePorts: false } }\ncni: {']],
    commands: ['external/neighbour: sysctl -w net.ipv4.conf.all.route_localnet=1'],
    from: 'external/neighbour',
    to: 'node/node-1:80',
    more: { sourceAddress: '127.0.0.5' },
    verdict: 'timeout',
    says: ['127.0.0.0/8 came in by eth0'],
    remedy: null,
  },
  {
    code: 'mtu-exceeded',
    what: "larger than the pod's own MTU",
    to: 'pod/web-2:5353',
    more: { protocol: 'udp', payload: 1472, dontFragment: true },
    verdict: 'message-too-long',
    says: ['1450 bytes that eth0 of pod/default/client takes'],
    remedy: null,
  },
  {
    code: 'mtu-exceeded',
    what: 'small works, large hangs: the ICMP message is filtered',
    commands: ['node-2: ip link set cni0 mtu 1400', 'pod/client: iptables -A INPUT -p icmp -j DROP'],
    to: 'pod/web-2:8080',
    more: { payload: 1400 },
    verdict: 'timeout',
    says: ['has 1450 bytes, cni0 of node/node-2 takes 1400', 'is lost on pod/default/client'],
    remedy: ['ip link set dev eth0 mtu 1400  # on pod/default/client'],
  },
  {
    code: 'ttl-expired',
    what: 'a small TTL',
    to: 'pod/web-2:8080',
    more: { ttl: 1 },
    verdict: 'host-unreachable',
    says: ['sent with TTL 1'],
    remedy: null,
  },
  {
    code: 'source-range',
    what: 'a pod of the cluster',
    append: LOAD_BALANCER,
    to: '172.18.0.200:80',
    verdict: 'timeout',
    says: ['lets only 203.0.113.0/24 use'],
    remedy: [
      `kubectl -n default patch service lb --type merge -p '{"spec":{"loadBalancerSourceRanges":["203.0.113.0/24","10.244.0.0/16"]}}'`,
    ],
  },
  {
    code: 'reply-not-translated',
    what: 'the answer is kept out of conntrack',
    commands: ['node-1: iptables -t raw -A PREROUTING -p tcp --sport 8080 -j CT --notrack'],
    to: 'svc/far',
    verdict: 'timeout',
    says: ['instead of one from 10.96.0.21', '--notrack', 'kept it out of conntrack on node/node-1'],
    remedy: ['iptables -t raw -D PREROUTING -p tcp -m tcp --sport 8080 -j CT --notrack  # on node/node-1'],
  },
  {
    code: 'conntrack-invalid',
    what: 'the request was not tracked',
    commands: ['node-1: iptables -t raw -A PREROUTING -s 10.244.1.2/32 -j CT --notrack'],
    to: 'pod/web-2:8080',
    verdict: 'timeout',
    says: ['as INVALID', 'kept the connection out of conntrack'],
    remedy: ['iptables -t raw -D PREROUTING -s 10.244.1.2/32 -j CT --notrack  # on node/node-1'],
  },
  {
    code: 'reply-not-translated',
    what: 'the answer takes another way',
    edit: [['name: web-1, node', 'name: agent, node: node-1, hostNetwork: true, ports: [9000] }\n- { name: web-1, node']],
    commands: ['node-2: iptables -t nat -A PREROUTING -p tcp --dport 9000 -j DNAT --to-destination 172.18.0.2:9000'],
    from: 'external/neighbour',
    to: 'node/node-2:9000',
    verdict: 'timeout',
    says: ['instead of one from 172.18.0.3', 'does not come back through node/node-2'],
    remedy: ['iptables -t nat -A POSTROUTING -d 172.18.0.2/32 -j MASQUERADE  # on node/node-2'],
  },
  {
    code: 'unknown-rule',
    what: 'a dump with a match that is not modelled',
    edit: [['podCIDR: 10.244.1.0/24 }', 'podCIDR: 10.244.1.0/24, iptablesSave: node-1.save }']],
    to: 'pod/web-2:8080',
    verdict: 'unknown',
    says: ['node/node-1: rule 1 of filter FORWARD, -A FORWARD -m geoip --source-country DE -j DROP', 'the verdict is connected'],
    remedy: null,
  },
];

/** The command lines of a remedy as `--do` takes them; null for a patch of a manifest. */
function asCommands(remedy: readonly string[]): readonly string[] | null {
  const lines = remedy.map((line) => /^(.*?) {2}# on (.*)$/.exec(line));
  return lines.every((line) => line !== null) ? lines.map((line) => `${line[2]!.replace(/^node\//, '')}: ${line[1]!}`) : null;
}

/** The short form with a Service's spec patched; null for what the short form does not hold. */
function patched(text: string, remedy: readonly string[]): string | null {
  const command = /^kubectl -n default patch service (\S+) --type (merge|json) -p '(.*)'$/.exec(remedy[0] ?? '');
  if (!command) return null;
  const document = load(text) as { readonly services: Record<string, unknown>[] };
  const service = document.services.find((s) => s.name === command[1]);
  if (!service) return null;
  if (command[2] === 'merge') Object.assign(service, (JSON.parse(command[3]!) as { spec: object }).spec);
  else
    for (const { path, value } of JSON.parse(command[3]!) as { path: string; value: number }[])
      setAt({ spec: service }, path.split('/').slice(1), value);
  return JSON.stringify(document);
}

function setAt(target: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) target[key!] = value;
  else setAt(target[key!] as Record<string, unknown>, rest, value);
}

/** No single walk comes to these; their tests stand elsewhere. */
const NOT_REACHED: readonly CauseCode[] = [
  // Not modelled yet.
  'network-policy',
  // A journey as a whole ends so: test/unit/usecase/journey/names.test.ts.
  'unresolved',
  // Takes time to pass: scenarios/mode-ipvs-idle.yaml.
  'connection-forgotten',
  // test/unit/usecase/balancer/balancer.test.ts
  'load-balancer-pending',
  'no-healthy-node',
  'no-node-port',
];

describe('findCause', () => {
  test('every cause code has a case', () => {
    const covered = new Set([...CASES.map(({ code }) => code), ...NOT_REACHED]);
    expect(CAUSE_CODES.filter((code) => !covered.has(code))).toEqual([]);
  });

  for (const {
    code,
    what,
    edit = [],
    append = '',
    commands = [],
    from = 'pod/client',
    to,
    more = {},
    verdict,
    says,
    remedy,
  } of CASES) {
    test(`${code}: ${what}`, () => {
      const text =
        edit.reduce((yaml, [old, next]) => {
          if (!yaml.includes(old)) throw new Error(`not in the base scenario: ${old}`);
          return yaml.replace(old, next);
        }, BASE) + append;
      const broken = outcome(text, from, to, commands, more);
      expect([broken.verdict, broken.cause?.code]).toEqual([verdict, code]);
      for (const part of says) expect(broken.cause!.text).toMatch(part);
      const printed = broken.cause!.remedy;
      expect(typeof remedy === 'number' ? printed?.length : printed).toEqual(remedy);
      if (printed === null) return;
      const repair = asCommands(printed);
      const mendedText = repair !== null ? text : append === '' ? patched(text, printed) : null;
      if (mendedText === null) return;
      expect(outcome(mendedText, from, to, [...commands, ...(repair ?? [])], more).verdict).toBe('connected');
    });
  }
});
