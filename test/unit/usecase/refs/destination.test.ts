import { describe, expect, test } from 'vitest';
import { formatIp } from '../../../../src/net/ip.ts';
import { resolveDestination } from '../../../../src/usecase/refs/destination.ts';
import type { DestinationOptions } from '../../../../src/usecase/refs/target.ts';
import { cluster, ip, pod } from '../fixtures.ts';

const plain: DestinationOptions = { namespace: 'default', protocol: null, families: [4] };

function resolve(text: string, options: Partial<DestinationOptions> = {}): string {
  const resolved = resolveDestination(cluster(), text, { ...plain, ...options });
  if (!resolved.ok) return resolved.message;
  const { label, address, port, protocol, assumptions } = resolved.value;
  return [label, `${formatIp(address)}:${port}/${protocol}`, ...assumptions].join(' | ');
}

describe('resolveDestination', () => {
  test.each([
    ['svc/web', 'svc/default/web:80 | 10.96.0.20:80/tcp'],
    ['svc/web:80', 'svc/default/web:80 | 10.96.0.20:80/tcp'],
    ['services/default/web:81', 'svc/default/web:81 | 10.96.0.20:81/tcp'],
    ['svc/web.default', 'svc/default/web:80 | 10.96.0.20:80/tcp'],
    ['svc/web.default.svc.cluster.local:80', 'svc/default/web:80 | 10.96.0.20:80/tcp'],
    ['svc/dns:dns-tcp', 'svc/default/dns:53 | 10.96.0.10:53/tcp'],
    ['svc/dns:53', 'svc/default/dns:53 | 10.96.0.10:53/udp | svc/default/dns:53 is offered over udp and tcp; udp was taken'],
    ['pod/web-1', 'pod/default/web-1:8080 | 10.244.0.3:8080/tcp'],
    ['po/default/web-1:http', 'pod/default/web-1:8080 | 10.244.0.3:8080/tcp'],
    ['pod/web-2:1234', 'pod/default/web-2:1234 | 10.244.1.2:1234/tcp'],
    ['pod/agent:9100', 'pod/default/agent:9100 | 192.168.0.12:9100/tcp'],
    ['node/node-2:30080', 'node/node-2:30080 | 192.168.0.12:30080/tcp'],
    ['external/laptop', 'external/laptop:443 | 203.0.113.9:443/tcp'],
    ['external/laptop:80', 'external/laptop:80 | 203.0.113.9:80/tcp'],
    ['deploy/web:8080', 'pod/default/web-1:8080 | 10.244.0.3:8080/tcp | deploy/web: pod/default/web-1 was taken, the first of 2'],
    [
      'deployments.apps/web:8080',
      'pod/default/web-1:8080 | 10.244.0.3:8080/tcp | deploy/web: pod/default/web-1 was taken, the first of 2',
    ],
    ['10.96.0.20:80', '10.96.0.20:80 | 10.96.0.20:80/tcp'],
    ['10.96.0.20', '10.96.0.20:80 | 10.96.0.20:80/tcp'],
    ['[fd00::1]:443', '[fd00::1]:443 | fd00::1:443/tcp'],
  ])('%s', (text, expected) => {
    expect(resolve(text)).toBe(expected);
  });

  test.each([
    ['svc/web', 'svc/default/web | 10.96.0.20:0/icmp'],
    ['pod/web-2', 'pod/default/web-2 | 10.244.1.2:0/icmp'],
    ['10.96.0.20:80', '10.96.0.20 | 10.96.0.20:0/icmp'],
  ])('%s over icmp needs no port', (text, expected) => {
    expect(resolve(text, { protocol: 'icmp' })).toBe(expected);
  });

  test('an explicit protocol wins', () => {
    expect(resolve('svc/dns:53', { protocol: 'tcp' })).toBe('svc/default/dns:53 | 10.96.0.10:53/tcp');
    expect(resolve('pod/web-1:53', { protocol: 'udp' })).toBe('pod/default/web-1:53 | 10.244.0.3:53/udp');
  });

  test.each([
    ['svc/wbe', 'no service "default/wbe"; did you mean default/web?'],
    ['svc/dns', 'svc/default/dns has several ports, name one: 53/udp (dns), 53/tcp (dns-tcp)'],
    ['svc/dns:dsn', 'svc/default/dns has no port named "dsn"; did you mean dns?'],
    [
      'svc/headless:80',
      'svc/default/headless is headless: its name resolves to the addresses of its pods; name a pod instead (pod/NAME:PORT)',
    ],
    ['svc/far:80', 'svc/default/far is an ExternalName service for example.org: it has no address'],
    ['pod/web-2', 'pod/default/web-2 has several ports, name one: 8080/tcp, 9090/tcp'],
    ['pod/client', 'pod/default/client declares no port; name one: pod/default/client:8080'],
    ['pod/web-1:99999', '"99999" is not a port (1 to 65535)'],
    ['node/node-1', 'node/node-1 declares no port; name one: node/node-1:8080'],
    ['node/node-3:80', 'no node "node-3"; did you mean node-1?'],
    ['10.1.2.3', '"10.1.2.3" needs a port: 10.1.2.3:80'],
    ['10.1.2.300:80', '"10.1.2.300" is not an IP address'],
    ['web.default:80', '"web.default": a name leads nowhere here; did you mean svc/default/web:80?'],
    ['web-1:8080', '"web-1" has no kind; did you mean pod/default/web-1:8080?'],
    [
      'example.org:80',
      '"example.org": a name leads nowhere here; name a service (svc/NAME:PORT), a pod (pod/NAME:PORT) or an address (IP:PORT)',
    ],
    ['http://web/', '"http://web/": a URL leads nowhere here; name the service or address: svc/NAME:PORT or IP:PORT'],
    ['pdo/web-1', 'unknown kind "pdo" in "pdo/web-1"; did you mean pod/web-1?'],
    ['pod/a/b/c', '"pod/a/b/c" is not of the form pod/[NAMESPACE/]NAME[:PORT]'],
    ['deploy/api:80', 'no Deployment "default/api"; there is default/web'],
    [
      '',
      'an empty reference; expected pod/[NAMESPACE/]NAME, node/NAME, external/NAME, svc/[NAMESPACE/]NAME[:PORT], deploy/NAME, IP[:PORT], NAME:PORT or a URL',
    ],
  ])('%s is refused', (text, message) => {
    expect(resolve(text)).toBe(message);
  });

  test('takes the address of a family the source has', () => {
    const dual = cluster({ pods: [pod('web-1', '10.244.0.3', { addresses: [ip('10.244.0.3'), ip('fd00::3')] })] });
    const resolved = resolveDestination(dual, 'pod/web-1:80', { ...plain, families: [6] });
    expect(resolved.ok && resolved.value.address).toBe(ip('fd00::3'));
  });
});
