import { parseIp } from '../../../../src/net/ip.ts';
import { parseMac } from '../../../../src/net/mac.ts';
import { deviceAddress } from '../../../../src/kernel/device/address.ts';
import { PLAIN_DEVICE, loopbackDevice } from '../../../../src/kernel/device/build.ts';
import { NO_NETFILTER } from '../../../../src/kernel/netfilter/build.ts';
import { runCommand } from '../../../../src/kernel/operator/run.ts';
import { formatRoute } from '../../../../src/kernel/routing/format.ts';
import { routingPolicy } from '../../../../src/kernel/routing/policy.ts';
import type { IpAddress } from '../../../../src/net/ip.ts';
import type { Mac } from '../../../../src/net/mac.ts';
import type { Device } from '../../../../src/kernel/device/device.ts';
import type { Host } from '../../../../src/kernel/host.ts';

export function ip(text: string): IpAddress {
  const address = parseIp(text);
  if (address === null) throw new Error(`not an address: ${text}`);
  return address;
}

export function mac(text: string): Mac {
  const address = parseMac(text);
  if (address === null) throw new Error(`not a MAC: ${text}`);
  return address;
}

/** lo, eth0 172.18.0.2/16, a bridge br7 with port veth0, and vxlan device vx; eth0 has learnt 172.18.0.9. */
export function testHost(): Host {
  const devices: Device[] = [
    loopbackDevice(),
    {
      ...PLAIN_DEVICE,
      kind: 'veth',
      name: 'eth0',
      mac: mac('02:42:ac:12:00:02'),
      mtu: 1500,
      addresses: [deviceAddress(ip('172.18.0.2'), 16, 'brd +')],
      peer: { host: 'other', device: 'eth0' },
    },
    {
      ...PLAIN_DEVICE,
      kind: 'bridge',
      name: 'br7',
      mac: null,
      mtu: 1450,
      learnt: (m) => (m === mac('0a:58:0a:01:00:02') ? 'veth0' : undefined),
    },
    {
      ...PLAIN_DEVICE,
      kind: 'veth',
      name: 'veth0',
      mac: null,
      mtu: 1450,
      master: 'br7',
      hairpin: true,
      peer: { host: 'pod', device: 'eth0' },
    },
    {
      ...PLAIN_DEVICE,
      kind: 'vxlan',
      name: 'vx',
      mac: mac('be:ef:ac:12:00:02'),
      mtu: 1450,
      vni: 1,
      local: ip('172.18.0.2'),
      port: 8472,
      lower: 'eth0',
      learning: false,
    },
  ];
  return {
    name: 'node/test',
    devices: new Map(devices.map((device) => [device.name, device])),
    routing: routingPolicy(devices, []),
    neighbours: {
      get: (device, address) =>
        device === 'eth0' && address === ip('172.18.0.9')
          ? { device, address, mac: mac('02:42:ac:12:00:09'), state: 'reachable' }
          : undefined,
      permanent: () => [],
    },
    fdb: [],
    sysctls: new Map(),
    netfilter: NO_NETFILTER,
    listeners: [],
  };
}

/** Runs command lines that must all succeed. */
export function run(host: Host, ...lines: readonly string[]): Host {
  return lines.reduce((current, line) => {
    const result = runCommand(current, line);
    if (!result.ok) throw new Error(`${line}: ${result.message}`);
    return result.host;
  }, host);
}

/** The answer to a command line that must not succeed, behind what preceding lines made. */
export function answer(host: Host, ...lines: readonly string[]): string {
  const result = runCommand(run(host, ...lines.slice(0, -1)), lines.at(-1) ?? '');
  if (result.ok) throw new Error(`${lines.at(-1)}: was accepted`);
  return result.kind === 'refused' ? result.message : `not modelled: ${result.message}`;
}

/** `ip route show table T`, a route a line. */
export function routes(host: Host, table = 254): string[] {
  return [...(host.routing.tables.get(table)?.routes() ?? [])].map(formatRoute);
}
