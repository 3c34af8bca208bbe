import { describe, expect, test } from 'vitest';
import { formatIp } from '../../../../src/net/ip.ts';
import { resolveServer } from '../../../../src/usecase/refs/server.ts';
import { resolveSource } from '../../../../src/usecase/refs/source.ts';
import { cluster, ip, node } from '../fixtures.ts';

function resolve(text: string): string {
  const extra = node('node-1', '192.168.0.11', '10.244.0.0/24', {
    extraAddresses: [{ address: ip('192.168.0.50'), length: 32 }],
  });
  const resolved = resolveSource(cluster({ nodes: [extra, ...cluster().nodes.slice(1)] }), text, 'default');
  if (!resolved.ok) return resolved.message;
  const { host, owner, bind } = resolved.value;
  return `${owner} on ${host}${bind === null ? '' : ` from ${formatIp(bind)}`}`;
}

describe('resolveSource', () => {
  test.each([
    ['pod/client', 'pod/default/client on pod/default/client'],
    ['pods/default/client', 'pod/default/client on pod/default/client'],
    ['pod/agent', 'pod/default/agent on node/node-2'],
    ['no/node-1', 'node/node-1 on node/node-1'],
    ['external/laptop', 'external/laptop on external/laptop'],
    ['deployment/web', 'pod/default/web-1 on pod/default/web-1'],
    ['10.244.0.2', 'pod/default/client on pod/default/client'],
    ['192.168.0.12', 'node/node-2 on node/node-2'],
    ['192.168.0.50', 'node/node-1 on node/node-1 from 192.168.0.50'],
    ['203.0.113.9', 'external/laptop on external/laptop'],
  ])('%s', (text, expected) => {
    expect(resolve(text)).toBe(expected);
  });

  test.each([
    ['pod/clent', 'no pod "default/clent"; did you mean default/client?'],
    ['pod/shop/client', 'no pod "shop/client"; did you mean default/client?'],
    ['client', '"client" has no kind; did you mean pod/default/client?'],
    ['node-1', '"node-1" has no kind; did you mean node/node-1?'],
    ['svc/web', "svc/default/web can't open a connection: a Service has no process; name one of its pods"],
    ['8.8.8.8', 'nobody in this scenario has the address 8.8.8.8; declare it under external'],
    ['pod/client:99', '"pod/client:99": a source takes no port here; give it as source port'],
    ['external/phone', 'no external host "phone"; there is laptop'],
  ])('%s is refused', (text, message) => {
    expect(resolve(text)).toBe(message);
  });
});

describe('resolveServer', () => {
  test.each([
    ['pod/web-1', 'pod/default/web-1'],
    ['pod/web-1:8080', 'pod/default/web-1'],
    ['10.244.1.2:8080', 'pod/default/web-2'],
    ['node/node-1', 'node/node-1'],
    ['external/laptop', 'external/laptop'],
    ['svc/web', null],
    ['pod/nobody', null],
  ])('%s is %s', (text, expected) => {
    const server = resolveServer(cluster(), text, 'default');
    expect(server.ok ? server.value.name : null).toBe(expected);
  });
});
