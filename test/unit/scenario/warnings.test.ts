import { describe, expect, test } from 'vitest';
import { diagnosticsOf, load } from './load-text.ts';

const NODE = 'nodes: [{ name: n1, ip: 192.168.0.11 }]\n';

describe('warnings', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'nothing suspicious',
      `${NODE}pods: [{ name: a, node: n1, labels: { a: b }, ports: [80] }]\nservices: [{ name: s, selector: { a: b }, ports: [{ port: 80 }] }]`,
      [],
    ],
    [
      'pod and service range overlap',
      'cluster: { podCIDR: 10.96.0.0/16 }',
      ['1:12 overlapping-ranges The pod range 10.96.0.0/16 and the service range 10.96.0.0/12 overlap'],
    ],
    [
      'node and pod range overlap',
      'nodes: [{ name: a, ip: 10.244.7.1 }]',
      ['- overlapping-ranges The pod range 10.244.0.0/16 and the node range 10.244.7.0/24 overlap'],
    ],
    [
      'pod ranges of two nodes overlap',
      'nodes:\n- { name: a, ip: 10.0.0.2, podCIDR: 10.244.0.0/23 }\n- { name: b, ip: 10.0.0.3, podCIDR: 10.244.9.0/24 }\n- { name: c, ip: 10.0.0.4, podCIDR: 10.244.1.0/24 }',
      ['4:3 overlapping-ranges Nodes a and c have overlapping pod ranges 10.244.0.0/23 and 10.244.1.0/24'],
    ],
    [
      'a node range outside the cluster range',
      'cluster: { podCIDR: 10.244.0.0/16 }\nnodes: [{ name: a, ip: 10.0.0.2, podCIDR: 10.245.0.0/24 }]',
      ["2:9 outside-range The pod range 10.245.0.0/24 of node a is outside the cluster's (10.244.0.0/16)"],
    ],
    [
      'a pod outside its node range',
      `${NODE}pods: [{ name: a, node: n1, ip: 10.9.0.1 }]`,
      ['2:8 outside-range 10.9.0.1 of pod default/a is outside the pod range of node n1 (10.244.0.0/24)'],
    ],
    [
      'Weave Net on nodes without IPv4',
      'cni: weave\nnodes: [{ name: a, ip: "fd00:1::11" }]',
      ['2:9 ipv4-only Node a has no IPv4 address, and Weave Net connects its peers over IPv4 only'],
    ],
    [
      'a selector that matches nothing',
      'services: [{ name: s, selector: { a: b }, ports: [{ port: 80 }] }]',
      ['1:12 selector-matches-nothing The selector a=b of service default/s matches no pod'],
    ],
    [
      'a service without endpoints',
      'services: [{ name: s, ports: [{ port: 80 }] }]',
      ['1:12 no-endpoints Service default/s has no endpoints'],
    ],
    [
      'none is ready',
      `${NODE}pods: [{ name: a, node: n1, labels: { a: b }, ready: false }]\nservices: [{ name: s, selector: { a: b }, ports: [{ port: 80 }] }]`,
      ['3:12 no-endpoints Service default/s has no ready endpoint'],
    ],
    [
      'nobody listens on the target port',
      `${NODE}pods: [{ name: a, node: n1, labels: { a: b }, ports: [8080] }]\nservices: [{ name: s, selector: { a: b }, ports: [{ port: 80 }] }]`,
      ['3:12 nobody-listens Service default/s points at 80/tcp, where none of its pods listens (They listen on 8080/tcp)'],
    ],
    [
      'a named target port that no pod declares',
      `${NODE}pods: [{ name: a, node: n1, labels: { a: b }, ports: [8080] }]\nservices: [{ name: s, selector: { a: b }, ports: [{ port: 80, targetPort: http }] }]`,
      ['3:12 no-endpoints Port 80 of service default/s has no endpoints: no pod declares a port named "http"'],
    ],
    [
      'two nodes with one flannel public IP',
      'nodes:\n- { name: a, ip: 192.168.0.2, annotations: { flannel.alpha.coreos.com/public-ip: 10.0.2.15 } }\n- { name: b, ip: 192.168.0.3, annotations: { flannel.alpha.coreos.com/public-ip: 10.0.2.15 } }',
      ["3:3 duplicate-public-ip Nodes a and b have one flannel public IP, 10.0.2.15: tunnels to them can't be told apart"],
    ],
    [
      'two nodes with one address on the interface of the default route',
      'nodes:\n- { name: a, ip: 192.168.0.2, interfaces: [{ name: eth0, ip: 10.0.2.15/24 }, { ip: 192.168.0.2/24 }] }\n- { name: b, ip: 192.168.0.3, interfaces: [{ name: eth0, ip: 10.0.2.15/24 }, { ip: 192.168.0.3/24 }] }',
      ["3:3 duplicate-public-ip Nodes a and b have one flannel public IP, 10.0.2.15: tunnels to them can't be told apart"],
    ],
    [
      'a node without the interface that flanneld is told to use',
      'cni: { plugin: flannel, iface: eth1 }\nnodes:\n- { name: a, ip: 192.168.0.2 }',
      [
        '3:3 unknown-interface Node a has no interface eth1 (cni.iface): flanneld does not start there (It has eth0 (192.168.0.2))',
      ],
    ],
    [
      'one pod address on two nodes',
      'nodes: [{ name: a, ip: 10.0.0.2 }, { name: b, ip: 10.0.0.3, podCIDR: 10.244.0.0/24 }]\npods:\n- { name: p, node: a, ip: 10.244.1.2 }\n- { name: q, node: b, ip: 10.244.1.2 }',
      [
        '4:3 duplicate-address 10.244.1.2 is held by pod default/p and by pod default/q',
        '4:3 outside-range 10.244.1.2 of pod default/q is outside the pod range of node b (10.244.0.0/24)',
      ],
    ],
    [
      'one hostPort for two pods',
      `${NODE}pods:\n- { name: p, node: n1, ports: [{ containerPort: 80, hostPort: 8080 }] }\n- { name: q, node: n1, ports: [{ containerPort: 80, hostPort: 8080 }] }`,
      ['4:32 duplicate-host-port Pods default/p and default/q both want hostPort 8080 of node n1'],
    ],
    [
      'an external host in the range of pods',
      `cni: flannel-vxlan\n${NODE}external: [{ name: e, ip: 10.244.0.77 }]`,
      ['3:12 overlapping-ranges 10.244.0.77 of external host e is in the pod range of node n1 (10.244.0.0/24)'],
    ],
    [
      'an external host with the address of a service',
      'services: [{ name: s, clusterIP: 10.96.0.20, ports: [{ port: 80 }] }]\nexternal: [{ name: e, ip: 10.96.0.20 }]',
      [
        '1:12 no-endpoints Service default/s has no endpoints',
        '2:12 overlapping-ranges 10.96.0.20 of external host e is the cluster IP of service default/s',
      ],
    ],
    [
      'a node port outside the range',
      'services: [{ name: s, type: NodePort, ports: [{ port: 80, nodePort: 80 }] }]',
      [
        "1:12 outside-range Node port 80 of service default/s is outside 30000-32767, the API server's range unless --service-node-port-range says otherwise",
        '1:12 no-endpoints Service default/s has no endpoints',
      ],
    ],
    [
      'a release that is not known',
      'cluster: { kubernetesVersion: "1.99" }',
      ['1:31 unknown-version kubernetesVersion 1.99: k8snet knows releases up to 1.36'],
    ],
    [
      'a release that never was',
      'cluster: { kubernetesVersion: "0.1" }',
      ['1:31 unknown-version kubernetesVersion 0.1: there is no such release of Kubernetes'],
    ],
    [
      'annotations that flannel can not read',
      'nodes:\n- name: a\n  ip: 192.168.0.2\n  annotations:\n    flannel.alpha.coreos.com/public-ip: abc\n    flannel.alpha.coreos.com/backend-data: \'{"VtepMAC": "zz"}\'',
      [
        '2:3 wrong-value Node a: annotation flannel.alpha.coreos.com/public-ip must be an IPv4 address, not "abc"; it is passed over',
        '2:3 wrong-value Node a: annotation flannel.alpha.coreos.com/backend-data must be JSON with a MAC address as VtepMAC, not "{\\"VtepMAC\\": \\"zz\\"}"; it is passed over',
      ],
    ],
    [
      'an address of a pod with hostNetwork',
      `${NODE}pods: [{ name: a, node: n1, hostNetwork: true, ip: 10.9.9.9 }, { name: b, node: n1, hostNetwork: true, ip: 192.168.0.11 }]`,
      ['2:8 address-passed-over Pod default/a has hostNetwork: it has the addresses of its node, 10.9.9.9 is passed over'],
    ],
    ['no services and no kube-proxy with docker', 'cni: docker\nnodes: [{ name: a, ip: 10.100.0.2 }]', []],
    [
      'one node port for two services',
      'services:\n- { name: a, type: NodePort, ports: [{ port: 80, nodePort: 30080 }] }\n- { name: b, type: NodePort, ports: [{ port: 80, nodePort: 30080 }] }',
      [
        '2:3 no-endpoints Service default/a has no endpoints',
        '3:3 duplicate-node-port Services default/a and default/b both have node port 30080/tcp',
        '3:3 no-endpoints Service default/b has no endpoints',
      ],
    ],
  ])('%s', (_, text, expected) => {
    expect(load(text).ok).toBe(true);
    expect(diagnosticsOf(text)).toEqual(expected);
  });

  test('a policy under weave is enforced', () => {
    expect(
      diagnosticsOf(['cni: weave', '{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"a"}}']),
    ).toEqual([]);
  });
});
