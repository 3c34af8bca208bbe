// The clusters and dumps that the benchmark measures: made, never stored, and the same for the same seed.

/** A small generator of pseudo-random numbers (mulberry32): the same seed gives the same numbers on every machine. */
export function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const hex = (digits) => Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('');
  return { below: (limit) => Math.floor(next() * limit), hex, uid: () => [8, 4, 4, 4, 12].map(hex).join('-') };
}

const nodeName = (i) => `node-${i + 1}`;
const nodeIp = (i) => `172.${16 + (i >> 14)}.${(i >> 6) & 255}.${(i & 63) * 4 + 2}`;
/** The i-th of a node's pods; every node has a /24 of 10.0.0.0/8. */
const podIp = (node, i) => `10.${(node >> 8) + 128}.${node & 255}.${i + 2}`;
const podCidr = (node) => `${podIp(node, -2)}/24`;
const serviceIp = (i) => `10.${96 + ((i + 1) >> 16)}.${((i + 1) >> 8) & 255}.${(i + 1) & 255}`;

const namespaceOf = (i) => `team-${i % 20}`;

function node(i, random) {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName(i),
      uid: random.uid(),
      labels: {
        'kubernetes.io/hostname': nodeName(i),
        'kubernetes.io/os': 'linux',
        'topology.kubernetes.io/zone': `zone-${i % 3}`,
      },
    },
    spec: { podCIDR: podCidr(i), podCIDRs: [podCidr(i)] },
    status: {
      addresses: [
        { type: 'InternalIP', address: nodeIp(i) },
        { type: 'Hostname', address: nodeName(i) },
      ],
      nodeInfo: { kubeletVersion: 'v1.34.1' },
    },
  };
}

/** A service of port 80 whose endpoints listen on 8080; every fifth one is a NodePort. */
function service(i) {
  const isNodePort = i % 5 === 0;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `svc-${i}`, namespace: namespaceOf(i) },
    spec: {
      type: isNodePort ? 'NodePort' : 'ClusterIP',
      clusterIP: serviceIp(i),
      clusterIPs: [serviceIp(i)],
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080, ...(isNodePort && { nodePort: 30000 + i / 5 }) }],
      selector: { app: `app-${i}` },
    },
  };
}

/** `pods`: name, node and place on the node of each endpoint. */
function slice(i, pods, withPods, random) {
  const namespace = namespaceOf(i);
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `svc-${i}-${random.hex(5)}`, namespace, labels: { 'kubernetes.io/service-name': `svc-${i}` } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: pods.map(({ name, node: on, at }) => ({
      addresses: [podIp(on, at)],
      conditions: { ready: true },
      nodeName: nodeName(on),
      ...(withPods && { targetRef: { kind: 'Pod', name, namespace } }),
    })),
  };
}

function pod(i, { name, node: on, at }, random) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: namespaceOf(i), uid: random.uid(), labels: { app: `app-${i}` } },
    spec: {
      nodeName: nodeName(on),
      containers: [{ name: 'app', image: 'registry/app:1', ports: [{ containerPort: 8080, protocol: 'TCP' }] }],
    },
    status: { phase: 'Running', hostIP: nodeIp(on), podIP: podIp(on, at), podIPs: [{ ip: podIp(on, at) }] },
  };
}

/** The objects of a cluster, one by one. Pods, all behind services, stand on the nodes in turn, from a node chosen at random. */
function* objects({ nodes, services, endpoints, withPods }, random) {
  const used = new Uint16Array(nodes);
  for (let i = 0; i < nodes; i++) yield node(i, random);
  for (let i = 0; i < services; i++) {
    const first = random.below(nodes);
    const pods = Array.from({ length: endpoints }, (_, k) => {
      // A /24 holds 254 hosts; beyond that the generator begins again, and names addresses that other pods have.
      const on = (first + k) % nodes;
      return { name: `app-${i}-${random.hex(4)}${k.toString(36)}`, node: on, at: used[on]++ % 250 };
    });
    if (withPods) for (const each of pods) yield pod(i, each, random);
    yield service(i);
    yield slice(i, pods, withPods, random);
  }
}

/** One JSON List, as `kubectl get -o json` gives it but without its blanks, in pieces. */
export function* jsonList(size, seed) {
  let piece = '{"apiVersion":"v1","kind":"List","items":[';
  let separator = '';
  for (const object of objects(size, seeded(seed))) {
    piece += separator + JSON.stringify(object);
    separator = ',';
    if (piece.length > 1 << 20) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}]}\n`;
}

/** The same objects as YAML, as `kubectl get -o yaml` gives them. */
export function* yamlList(size, seed) {
  yield 'apiVersion: v1\nkind: List\nitems:\n';
  for (const object of objects(size, seeded(seed)))
    yield `${yamlLines(object, '').join('\n').replace(/^/gm, '  ').replace(/^ {2}/, '- ')}\n`;
}

function yamlLines(value, indent) {
  return Object.entries(value).flatMap(([key, inner]) => {
    if (Array.isArray(inner)) return [`${indent}${key}:`, ...inner.flatMap((item) => yamlItem(item, indent))];
    if (typeof inner !== 'object') return [`${indent}${key}: ${yamlScalar(inner)}`];
    return Object.keys(inner).length === 0 ? [`${indent}${key}: {}`] : [`${indent}${key}:`, ...yamlLines(inner, `${indent}  `)];
  });
}

function yamlItem(item, indent) {
  if (typeof item !== 'object') return [`${indent}- ${yamlScalar(item)}`];
  const [first, ...rest] = yamlLines(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

/** Text that YAML would take for something else stands in quotes, as Go's library writes it. */
function yamlScalar(value) {
  return typeof value === 'string' && /^[\d.]+(e\d+)?$/i.test(value) && !Number.isNaN(Number(value))
    ? `"${value}"`
    : String(value);
}
