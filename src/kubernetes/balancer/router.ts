import { hostPrefix } from '../../net/cidr.ts';
import { familyOf } from '../../net/ip.ts';
import { assignAddresses } from '../../kernel/device/address.ts';
import { PLAIN_DEVICE } from '../../kernel/device/build.ts';
import { unicastRoute } from '../../kernel/routing/build.ts';
import { lookupRule } from '../../kernel/routing/policy.ts';
import { TABLE_MAIN } from '../../kernel/routing/route.ts';
import { addRules } from '../add-rules.ts';
import { EVERYWHERE } from '../everywhere.ts';
import { UNDERLAY_MTU } from '../underlay/links.ts';
import { routerAddress } from '../underlay/router-address.ts';
import { cloudOrigin } from './roles.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { Device } from '../../kernel/device/device.ts';
import type { IptablesTables } from '../../kernel/netfilter/iptables/table.ts';
import type { TableRoute } from '../../kernel/routing/connected.ts';
import type { RoutingRule } from '../../kernel/routing/route.ts';
import type { CabledBalancer } from './cables.ts';

/** Mark of the first balancer's connections, and the number of the table that leads their replies back: beyond those that are the kernel's (253-255). */
const FIRST_MARK = 1000;

/** All rules have one, as their marks differ: however many they are, they come before the main table's. */
const RULE_PRIORITY = 100;

/** The router's ports to the balancers. */
export function balancerPorts(cabled: readonly CabledBalancer[]): readonly Device[] {
  return cabled.map(
    ({ balancer, port, routerMac }): Device => ({
      ...PLAIN_DEVICE,
      kind: 'veth',
      name: port,
      mac: routerMac,
      mtu: UNDERLAY_MTU,
      addresses: assignAddresses(balancer.ownAddresses.map((address) => routerAddress(familyOf(address)))),
      peer: { host: balancer.host, device: 'eth0' },
      origin: cloudOrigin(balancer, 'balancer-port'),
    }),
  );
}

/**
 * The router's ways to the balancers' addresses, and by a table of its own the way of each balancer's replies: a node answers the client,
 * but the answer must pass the balancer, which puts its own address back.
 */
export function balancerRoutes(cabled: readonly CabledBalancer[], returns: boolean): readonly TableRoute[] {
  return cabled.flatMap(({ balancer, port }) =>
    balancer.ownAddresses.flatMap((own): TableRoute[] => {
      const family = familyOf(own);
      const origin = cloudOrigin(balancer, 'balancer-route');
      const publicOnes = balancer.publicAddresses.filter((address) => familyOf(address) === family);
      const back = {
        ...unicastRoute(EVERYWHERE[family], { via: own, dev: port }),
        origin: cloudOrigin(balancer, 'return-route'),
      };
      return [
        { table: TABLE_MAIN, route: { ...unicastRoute(hostPrefix(own), { dev: port }), origin } },
        ...publicOnes.map((address) => ({
          table: TABLE_MAIN,
          route: { ...unicastRoute(hostPrefix(address), { via: own, dev: port }), origin },
        })),
        ...(returns ? [{ table: markOf(balancer.index), route: back }] : []),
      ];
    }),
  );
}

/** Marked packets take the table of their balancer. */
export function returnRules(cabled: readonly CabledBalancer[]): readonly RoutingRule[] {
  return cabled.flatMap(({ balancer }) =>
    balancer.ownAddresses.map((own): RoutingRule => {
      const number = markOf(balancer.index);
      const mark = { value: number, mask: 0xffffffff };
      return { ...lookupRule(familyOf(own), RULE_PRIORITY, number), mark };
    }),
  );
}

/** The router remembers which connections came out of a balancer, and marks their replies. */
export function returnMarks(cabled: readonly CabledBalancer[], family: IpFamily): IptablesTables {
  const set = cabled
    .filter(({ balancer }) => balancer.ownAddresses.some((own) => familyOf(own) === family))
    .map(({ balancer, port }) => ({
      body: `-i ${port} -m comment --comment "from the balancer of ${balancer.name}" -m conntrack --ctstate NEW -j CONNMARK --set-xmark ${hex(markOf(balancer.index))}/0xffffffff`,
      origin: cloudOrigin(balancer, 'return-mark'),
    }));
  const restore = {
    body: '-m comment --comment "an answer goes back by the balancer" -m conntrack --ctdir REPLY -m connmark ! --mark 0x0 -j CONNMARK --restore-mark --nfmask 0xffffffff --ctmask 0xffffffff',
    origin: { object: null, by: 'cloud-controller', role: 'return-mark' },
  };
  return set.length === 0
    ? new Map()
    : addRules(new Map(), [{ table: 'mangle', chain: 'PREROUTING', lines: [...set, restore] }], family);
}

/** MACs of balancers, which the router knows by their own addresses. */
export function balancerMac(
  cabled: readonly CabledBalancer[],
  device: string,
  address: IpAddress,
): CabledBalancer['mac'] | undefined {
  const found = cabled.find(({ port }) => port === device);
  return found?.balancer.ownAddresses.includes(address) || found?.balancer.publicAddresses.includes(address)
    ? found.mac
    : undefined;
}

function markOf(index: number): number {
  return FIRST_MARK + index;
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}
