/** [verdict, server, client address that the server saw, probability] of an outcome. */
export type Expected = readonly [verdict: string, server: string | null, source: string | null, probability: number];

/** What all outcomes of a connection are, and the cause of those that fail. */
export interface Expectation {
  readonly outcomes: readonly Expected[];
  readonly cause?: string;
}

/** Something that users of Services rely on, whatever the proxy mode. */
export interface Behaviour {
  /** The check's `from`, `to` and so on. */
  readonly check: string;
  /** Commands that run on node a before. */
  readonly commands?: readonly string[];
  readonly expected: Expectation;
}

/** Where a proxy mode rightly does something else, and why. */
export interface Difference {
  readonly expected: Expectation;
  readonly why: string;
}

/** A proxy mode of a kube-proxy release. */
export interface Mode {
  readonly mode: string;
  readonly version: string;
  readonly differences: Readonly<Partial<Record<BehaviourName, Difference>>>;
}

/** The cluster that all behaviours are asked of. */
export const CLUSTER = ({ mode, version }: Mode, commands: readonly string[]): string => `
cluster: { podCIDR: 10.244.0.0/16, serviceCIDR: 10.96.0.0/12, kubernetesVersion: "${version}" }
kubeProxy: { mode: ${mode} }
nodes:
  - { name: a, ip: 192.168.0.11, commands: ${JSON.stringify(commands)} }
  - { name: b, ip: 192.168.0.12 }
pods:
  - { name: client, node: a }
  - { name: web-1, node: a, labels: { app: web }, ports: [8080] }
  - { name: web-2, node: b, labels: { app: web }, ports: [8080] }
  - { name: here, node: a, labels: { app: here }, ports: [8080, { containerPort: 5353, protocol: UDP }] }
  - { name: there, node: b, labels: { app: there }, ports: [8080] }
services:
  - { name: web, selector: { app: web }, type: NodePort, clusterIP: 10.96.0.20, ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }] }
  - name: sticky
    selector: { app: web }
    type: NodePort
    clusterIP: 10.96.0.21
    sessionAffinity: ClientIP
    ports: [{ port: 80, targetPort: 8080, nodePort: 30081 }]
  - name: here
    selector: { app: here }
    type: NodePort
    clusterIP: 10.96.0.22
    externalTrafficPolicy: Local
    ports: [{ port: 80, targetPort: 8080, nodePort: 30082 }]
  - name: there
    selector: { app: there }
    type: NodePort
    clusterIP: 10.96.0.23
    externalTrafficPolicy: Local
    ports: [{ port: 80, targetPort: 8080, nodePort: 30083 }]
  - { name: inside, selector: { app: there }, clusterIP: 10.96.0.24, internalTrafficPolicy: Local, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: none, selector: { app: nobody }, type: NodePort, clusterIP: 10.96.0.25, ports: [{ port: 80, nodePort: 30085 }] }
  - { name: dns, selector: { app: here }, clusterIP: 10.96.0.26, ports: [{ port: 53, targetPort: 5353, protocol: UDP }] }
  - name: balanced
    selector: { app: there }
    type: LoadBalancer
    clusterIP: 10.96.0.27
    externalIPs: [203.0.113.77]
    loadBalancerSourceRanges: [10.244.0.0/24]
    ports: [{ port: 80, targetPort: 8080, nodePort: 30087 }]
    status: { loadBalancer: { ingress: [{ ip: 203.0.113.88 }] } }
external:
  - { name: laptop, ip: 203.0.113.9 }
underlay: { commands: [ip route add 203.0.113.77/32 via 192.168.0.11, ip route add 203.0.113.88/32 via 192.168.0.11] }
`;

const connected = (server: string, source: string, probability = 1): Expected => [
  'connected',
  `pod/default/${server}`,
  source,
  probability,
];
const fails = (verdict: string, cause: string): Expectation => ({ outcomes: [[verdict, null, null, 1]], cause });
const BOTH = { outcomes: [connected('web-1', '10.244.0.2', 0.5), connected('web-2', '10.244.0.2', 0.5)] };
/** Masquerading takes the address of the device towards the endpoint: of the bridge, of the tunnel. */
const BOTH_MASQUERADED = { outcomes: [connected('web-1', '10.244.0.1', 0.5), connected('web-2', '10.244.0.0', 0.5)] };
const CLOSED_FORWARD = ['iptables -D FORWARD -m comment --comment "flanneld forward" -j FLANNEL-FWD', 'iptables -P FORWARD DROP'];

// biome-ignore format: a table reads better in rows
export const BEHAVIOURS = {
  'a cluster IP leads to each endpoint with the same chance, and keeps the client address': { check: 'from: pod/client, to: svc/web:80', expected: BOTH },
  'the node reaches cluster IPs, masqueraded': { check: 'from: node/a, to: svc/web:80', expected: BOTH_MASQUERADED },
  'UDP': { check: 'from: pod/client, to: svc/dns:53, protocol: udp', expected: { outcomes: [connected('here', '10.244.0.2')] } },
  'a pod that reaches itself through a service is masqueraded': { check: 'from: pod/here, to: svc/here:80', expected: { outcomes: [connected('here', '10.244.0.1')] } },
  'a client that has been served keeps its endpoint': {
    check: 'from: pod/client, to: svc/sticky:80, before: [{ from: pod/client, to: svc/sticky:80, backend: pod/web-2 }]', expected: { outcomes: [connected('web-2', '10.244.0.2')] } },
  'affinity holds at all addresses of a service': {
    check: 'from: pod/client, to: 192.168.0.11:30081, before: [{ from: pod/client, to: svc/sticky:80, backend: pod/web-2 }]', expected: { outcomes: [connected('web-2', '10.244.0.0')] } },
  'a node port answers outsiders, and hides them': { check: 'from: external/laptop, to: 192.168.0.11:30080', expected: BOTH_MASQUERADED },
  'a node port answers the node itself': { check: 'from: node/a, to: 192.168.0.11:30080', expected: BOTH_MASQUERADED },
  'a node port answers at 127.0.0.1': { check: 'from: node/a, to: 127.0.0.1:30080', expected: BOTH_MASQUERADED },
  'an external IP': { check: 'from: external/laptop, to: 203.0.113.77:80', expected: { outcomes: [connected('there', '10.244.0.0')] } },
  'a load balancer address, within its source ranges': { check: 'from: pod/client, to: 203.0.113.88:80', expected: { outcomes: [connected('there', '10.244.0.0')] } },
  'a load balancer address, outside its source ranges': { check: 'from: external/laptop, to: 203.0.113.88:80', expected: fails('timeout', 'source-range') },
  'externalTrafficPolicy Local keeps the client address': { check: 'from: external/laptop, to: 192.168.0.11:30082', expected: { outcomes: [connected('here', '203.0.113.9')] } },
  'externalTrafficPolicy Local drops where no endpoint is': { check: 'from: external/laptop, to: 192.168.0.11:30083', expected: fails('timeout', 'no-local-endpoints') },
  'externalTrafficPolicy Local is not for pods': { check: 'from: pod/client, to: 192.168.0.11:30083', expected: { outcomes: [connected('there', '10.244.0.2')] } },
  'internalTrafficPolicy Local drops where no endpoint is': { check: 'from: pod/client, to: svc/inside:80', expected: fails('timeout', 'no-local-endpoints') },
  'a service without endpoints refuses': { check: 'from: pod/client, to: svc/none:80', expected: fails('refused', 'no-endpoints') },
  'its node port too': { check: 'from: external/laptop, to: 192.168.0.11:30085', expected: fails('refused', 'no-endpoints') },
  'a port that the service does not have refuses': { check: 'from: pod/client, to: 10.96.0.20:81', expected: fails('refused', 'port-not-in-service') },
  'a cluster IP refuses a ping': { check: 'from: pod/client, to: 10.96.0.20, protocol: icmp', expected: fails('refused', 'clusterip-not-pingable') },
  'a closed INPUT does not concern services': { check: 'from: pod/client, to: svc/web:80, backend: pod/web-1', commands: ['iptables -P INPUT DROP'], expected: { outcomes: [connected('web-1', '10.244.0.2')] } },
  'a closed FORWARD does': { check: 'from: pod/client, to: svc/web:80, backend: pod/web-1', commands: CLOSED_FORWARD, expected: fails('timeout', 'policy-drop') },
} as const satisfies Readonly<Record<string, Behaviour>>;

export type BehaviourName = keyof typeof BEHAVIOURS;

const NO_LOOPBACK = fails('refused', 'port-not-listening');

const LEAVES = 'no rule is for it, so it leaves by the default route, and the router has no way to it';
const IPTABLES: Mode['differences'] = {
  'a port that the service does not have refuses': { expected: fails('network-unreachable', 'port-not-in-service'), why: LEAVES },
  'a cluster IP refuses a ping': { expected: fails('network-unreachable', 'clusterip-not-pingable'), why: LEAVES },
};

const NFTABLES: Mode['differences'] = {
  'a node port answers at 127.0.0.1': {
    expected: NO_LOOPBACK,
    why: 'node ports are never opened on loopback: no route_localnet',
  },
};

// biome-ignore format: a table reads better in rows
const IPVS: Mode['differences'] = {
  'affinity holds at all addresses of a service': { expected: BOTH_MASQUERADED, why: 'persistence belongs to a virtual server, and each address is one of its own' },
  'a node port answers at 127.0.0.1': { expected: NO_LOOPBACK, why: 'there is no virtual server on loopback addresses' },
  'externalTrafficPolicy Local drops where no endpoint is': {
    expected: { outcomes: [connected('there', '10.244.0.0')] }, why: 'the virtual server falls back to all endpoints; flannel masquerades what enters its network from outside' },
  'internalTrafficPolicy Local drops where no endpoint is': { expected: fails('refused', 'no-local-endpoints'), why: 'kube-proxy picks no cluster endpoints for a service that nothing but Local uses, so there is no real server, and IPVS refuses' },
  'a closed INPUT does not concern services': { expected: fails('timeout', 'policy-drop'), why: 'the address is local to the node (kube-ipvs0): IPVS takes packets behind filter INPUT' },
  'a closed FORWARD does': { expected: { outcomes: [connected('web-1', '10.244.0.2')] }, why: 'what IPVS sends passes OUTPUT; FORWARD sees known connections only' },
};

const IPVS_BEFORE_1_26: Mode['differences'] = {
  ...IPVS,
  'a cluster IP refuses a ping': {
    expected: { outcomes: [['connected', 'node/a', '10.244.0.2', 1]] },
    why: 'the address is the node’s own, and KUBE-IPVS-FILTER, which guards it, came with 1.26',
  },
};

/** What kube-proxy's process connects from: the address of the device towards the endpoint. */
const RELAYED = 'kube-proxy, a process, takes the connection and makes one of its own from the node: the endpoint sees the node';
const IGNORES_POLICY = 'this mode knows no traffic policies: it relays to any ready endpoint';

// biome-ignore format: a table reads better in rows
const USERSPACE: Mode['differences'] = {
  'a cluster IP leads to each endpoint with the same chance, and keeps the client address': { expected: BOTH_MASQUERADED, why: RELAYED },
  'UDP': { expected: { outcomes: [connected('here', '10.244.0.1')] }, why: RELAYED },
  'externalTrafficPolicy Local keeps the client address': { expected: { outcomes: [connected('here', '10.244.0.1')] }, why: RELAYED },
  'externalTrafficPolicy Local drops where no endpoint is': { expected: { outcomes: [connected('there', '10.244.0.0')] }, why: IGNORES_POLICY },
  'externalTrafficPolicy Local is not for pods': { expected: { outcomes: [connected('there', '10.244.0.0')] }, why: RELAYED },
  'internalTrafficPolicy Local drops where no endpoint is': { expected: { outcomes: [connected('there', '10.244.0.0')] }, why: IGNORES_POLICY },
  'a load balancer address, outside its source ranges': { expected: { outcomes: [connected('there', '10.244.0.0')] }, why: 'this mode does not look at loadBalancerSourceRanges' },
  'a service without endpoints refuses': {
    expected: { outcomes: [['reset', 'node/a', '10.244.0.2', 1]], cause: 'no-endpoints' }, why: 'kube-proxy listens for every service, and closes a connection that it can’t pass on' },
  'its node port too': { expected: { outcomes: [['reset', 'node/a', '203.0.113.9', 1]], cause: 'no-endpoints' }, why: 'kube-proxy listens for every service, and closes a connection that it can’t pass on' },
  'a port that the service does not have refuses': { expected: fails('network-unreachable', 'port-not-in-service'), why: LEAVES },
  'a cluster IP refuses a ping': { expected: fails('network-unreachable', 'clusterip-not-pingable'), why: LEAVES },
  'a client that has been served keeps its endpoint': { expected: { outcomes: [connected('web-2', '10.244.0.0')] }, why: RELAYED },
  'a closed INPUT does not concern services': {
    expected: { outcomes: [['connected', null, null, 1]], cause: 'policy-drop' }, why: 'the proxy’s port is the node’s: for services with a node port kube-proxy lets the first packet in, and nothing after it' },
  'a closed FORWARD does': { expected: { outcomes: [connected('web-1', '10.244.0.1')] }, why: 'kube-proxy takes packets in by INPUT and sends by OUTPUT: nothing is forwarded' },
};

/** A further mode is one more entry. */
export const MODES: readonly Mode[] = [
  { mode: 'iptables', version: '1.30', differences: IPTABLES },
  { mode: 'nftables', version: '1.30', differences: NFTABLES },
  { mode: 'nftables', version: '1.36', differences: NFTABLES },
  { mode: 'ipvs', version: '1.30', differences: IPVS },
  { mode: 'ipvs', version: '1.25', differences: IPVS_BEFORE_1_26 },
  { mode: 'userspace', version: '1.25', differences: USERSPACE },
];
