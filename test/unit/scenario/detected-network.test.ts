import { describe, expect, test } from 'vitest';
import { formatCidr } from '../../../src/net/cidr.ts';
import { load, scenarioOf } from './load-text.ts';

const node = (annotations: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', annotations },
  spec: { podCIDR: '10.9.0.0/24' },
  status: { addresses: [{ type: 'InternalIP', address: '192.168.0.11' }] },
});
const pod = (name: string, status: object = { phase: 'Running', podIP: '10.9.0.9' }, namespace = 'kube-system') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: { nodeName: 'n1' },
  status,
});
const configMap = (name: string, data: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'kube-x' },
  data,
});
const netConf = (backend: object) =>
  configMap('kube-flannel-cfg', {
    'cni-conf.json': '{"plugins":[{"type":"flannel","delegate":{"hairpinMode":false}},{"type":"portmap"}]}',
    'net-conf.json': JSON.stringify({ Network: '10.9.0.0/16', Backend: backend }),
  });
const dump = (...items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

const VXLAN = { Type: 'vxlan' };
const BACKEND_TYPE = 'flannel.alpha.coreos.com/backend-type';

describe('the CNI of a dump', () => {
  test.each<[string, readonly object[], object, RegExp]>([
    ['nothing is known', [node()], { plugin: 'flannel', backend: 'vxlan' }, /^No CNI is given/],
    [
      "flannel's ConfigMap",
      [node(), netConf({ Type: 'host-gw' })],
      { backend: 'host-gw', hairpinMode: false },
      /ConfigMap kube-x\/kube-flannel-cfg: flannel with backend host-gw/,
    ],
    [
      'its settings',
      [node(), netConf({ Type: 'vxlan', VNI: 7, Port: 4789 })],
      { backend: 'vxlan', vni: 7, port: 4789 },
      /backend vxlan/,
    ],
    ["flannel's annotations", [node({ [BACKEND_TYPE]: 'host-gw' })], { backend: 'host-gw' }, /annotations of Node n1/],
    [
      "flannel's pods",
      [node(), pod('kube-flannel-ds-x7k2p')],
      { backend: 'vxlan' },
      /flannel \(pod kube-system\/kube-flannel-ds-x7k2p\)/,
    ],
    ["weave's pods", [node(), pod('weave-net-x7k2p')], { plugin: 'weave' }, /^The CNI is Weave Net/],
    [
      "Calico's pods",
      [node({ [BACKEND_TYPE]: 'host-gw' }), pod('calico-node-x7k2p'), netConf(VXLAN)],
      { plugin: 'flannel', backend: 'vxlan' },
      /that of Calico \(pod kube-system\/calico-node-x7k2p\), which is not modelled/,
    ],
    [
      'pods that only have such a name',
      [node(), pod('cilium-operator-7d9c7b5c4-abcde')],
      { plugin: 'flannel' },
      /^No CNI is given/,
    ],
  ])('%s', (_, items, cni, note) => {
    const { cluster, assumptions } = scenarioOf(dump(...items));
    expect(cluster.cni).toMatchObject(cni);
    expect(assumptions[0]).toMatch(note);
  });

  test('the pod range comes from the ConfigMap', () => {
    expect(scenarioOf(dump(node(), netConf(VXLAN))).cluster.podCidrs.map(formatCidr)).toEqual(['10.9.0.0/16']);
  });

  test('the short form wins, and nothing is assumed', () => {
    const { cluster, assumptions } = scenarioOf([dump(node(), netConf(VXLAN)), 'cni: bridge']);
    expect(cluster.cni.plugin).toBe('bridge');
    expect(assumptions).toEqual([]);
  });

  test.each([{ Type: 'extension' }, 'no JSON'])('a configuration that is not known: %j', (backend) => {
    const map = typeof backend === 'string' ? configMap('kube-flannel-cfg', { 'net-conf.json': '{' }) : netConf(backend);
    const { diagnostics, cluster } = scenarioOf(dump(node(), map));
    expect(diagnostics.map(({ code }) => code)).toContain('unreadable-config');
    expect(cluster.cni).toMatchObject({ plugin: 'flannel', backend: 'vxlan' });
  });
});

describe('the ConfigMap of kube-proxy', () => {
  const config = (text: string) => configMap('kube-proxy', { 'config.conf': text });

  test('is taken where there is no KubeProxyConfiguration', () => {
    const { cluster, assumptions } = scenarioOf(
      dump(node(), config('kind: KubeProxyConfiguration\nmode: ipvs\nclusterCIDR: 10.9.0.0/16\n')),
    );
    expect(cluster.kubeProxy.mode).toBe('ipvs');
    expect(cluster.kubeProxy.clusterCidrs.map(formatCidr)).toEqual(['10.9.0.0/16']);
    expect(assumptions).toContain("kube-proxy's configuration is taken from ConfigMap kube-x/kube-proxy");
  });

  test('an object and the short form win over it', () => {
    const object = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration', mode: 'nftables' };
    expect(scenarioOf(dump(node(), config('mode: ipvs'), object)).cluster.kubeProxy.mode).toBe('nftables');
    expect(scenarioOf([dump(node(), config('mode: ipvs')), 'kubeProxy: { mode: iptables }']).cluster.kubeProxy.mode).toBe(
      'iptables',
    );
  });

  test('what it says wrongly is told with its name', () => {
    const result = load(dump(node(), config('mode: magic')));
    expect(!result.ok && result.diagnostics[0]).toMatchObject({
      code: 'wrong-value',
      position: { file: expect.stringContaining('ConfigMap kube-x/kube-proxy') },
    });
    expect(scenarioOf(dump(node(), config('{'))).diagnostics.map(({ code }) => code)).toContain('unreadable-config');
  });
});

test('pods that take no part are kept by name, with the reason', () => {
  const pods = [
    pod('done', { phase: 'Succeeded', podIP: '10.9.0.9' }),
    pod('broken', { phase: 'Failed' }),
    pod('starting', { phase: 'Pending' }),
    pod('initialising', { phase: 'Pending', podIP: '10.9.0.10' }),
  ];
  const { cluster } = scenarioOf(dump(node(), ...pods));
  expect(cluster.pods.map(({ name }) => name)).toEqual(['initialising']);
  expect(cluster.leftOutPods?.map(({ name, why }) => `${name}: ${why}`)).toEqual([
    'done: it has ended (phase Succeeded) and holds no address',
    'broken: it has ended (phase Failed) and holds no address',
    'starting: it has no address yet (phase Pending: its containers have not started)',
  ]);
});
