import { describe, expect, test } from 'vitest';
import { probability } from '../../../../../src/kubernetes/kube-proxy/iptables/endpoint-rules.ts';
import { endpointChainName, servicePortHash } from '../../../../../src/kubernetes/kube-proxy/iptables/names.ts';

describe('chain names', () => {
  test.each([
    ['default/web', 'tcp', 'LOLE4ISW44XBNF3G'],
    ['kube-system/kube-dns:dns', 'udp', 'TCOU7JCQXEZGVUNU'],
    ['default/kubernetes:https', 'tcp', 'NPX46M4PTMTKRN6Y'],
  ])('%s %s: %s', (name, protocol, hash) => {
    expect(servicePortHash(name, protocol)).toBe(hash);
  });

  test.each([
    ['10.244.1.5:8080', 'KUBE-SEP-XQWD6PXGZUTOOIVQ'],
    ['[fd00:244:1::5]:8080', 'KUBE-SEP-U7KS4TDJVOGZT2YY'],
  ])('endpoint %s of default/web: %s', (endpoint, chain) => {
    expect(endpointChainName('default/web', 'tcp', endpoint)).toBe(chain);
  });
});

describe('probabilities', () => {
  test.each([
    [2, '0.50000000000'],
    [3, '0.33333333349'],
    [4, '0.25000000000'],
    [5, '0.20000000019'],
    [6, '0.16666666651'],
    [7, '0.14285714272'],
    [8, '0.12500000000'],
    [9, '0.11111111101'],
    [10, '0.10000000009'],
    [1000, '0.00100000016'],
  ])('1/%i prints as %s', (n, text) => {
    expect(probability(n)).toBe(text);
  });
});
