import { isIpv4 } from '../../../net/ip.ts';
import { LabError } from '../lab-error.ts';
import { quoteWord } from './shell.ts';
import type { Host } from '../../../kernel/host.ts';

/** The kernel's own defaults of what a new namespace may take from the machine (net.core.devconf_inherit_init_net), and no IPv6. */
export const PLAIN_SETTINGS: readonly (readonly [string, string])[] = [
  ['net.ipv4.ip_forward', '0'],
  ...['all', 'default', 'lo'].flatMap((device) =>
    [
      ['rp_filter', '0'],
      ['accept_local', '0'],
      ['arp_filter', '0'],
      ['arp_ignore', '0'],
      ['arp_announce', '0'],
      ['route_localnet', '0'],
      ['send_redirects', '1'],
      ['src_valid_mark', '0'],
    ].map(([key, value]): [string, string] => [`net.ipv4.conf.${device}.${key}`, value!]),
  ),
  ['net.ipv6.conf.all.disable_ipv6', '1'],
  ['net.ipv6.conf.default.disable_ipv6', '1'],
];

/**
 * Where a namespace has IPv6: on again, and quiet, since addresses that are looked for twice (DAD) would not be there at once, and
 * routers that nobody asked for would change routes.
 */
const IPV6_SETTINGS: readonly (readonly [string, string])[] = ['all', 'default', 'lo'].flatMap((device) =>
  [
    ['disable_ipv6', '0'],
    ['accept_dad', '0'],
    ['accept_ra', '0'],
    ['router_solicitations', '0'],
  ].map(([key, value]): [string, string] => [`net.ipv6.conf.${device}.${key}`, value!]),
);

/** Is IPv6 on in a namespace? Then its lo has ::1. */
export function hasIpv6(host: Host): boolean {
  return [...host.devices.values()].some(
    ({ kind, addresses }) => kind === 'loopback' && addresses.some(({ address }) => !isIpv4(address)),
  );
}

const DEVICE_KEY = /^net\.ipv[46]\.(?:conf|neigh)\.(?!all\.|default\.|lo\.)/;
/** The device's name, dots and all, in a key. */
const DEVICE_PART = /(?<=\.conf|\.neigh)\..+\.(?=[^.]+$)/;

/** Settings that are made before any device exists: new devices inherit `default`. */
export function earlySysctls(host: Host): readonly string[] {
  const own = checked(host).filter(([key]) => !DEVICE_KEY.test(key));
  return [...(hasIpv6(host) ? IPV6_SETTINGS : []), ...own].map(assignment);
}

/** Settings of single devices that these have not inherited. */
export function deviceSysctls(host: Host): readonly string[] {
  return checked(host)
    .filter(([key, value]) => DEVICE_KEY.test(key) && host.sysctls.get(key.replace(DEVICE_PART, '.default.')) !== value)
    .map(assignment);
}

/** @throws LabError for a setting that is not one of a network namespace: it would change the machine */
function checked(host: Host): readonly (readonly [string, string])[] {
  for (const key of host.sysctls.keys()) {
    if (!key.startsWith('net.')) throw new LabError(`${host.name}: sysctl ${key} is not one of a network namespace`);
  }
  return [...host.sysctls];
}

function assignment([key, value]: readonly [string, string]): string {
  return quoteWord(`${key}=${value}`);
}
