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

const DEVICE_KEY = /^net\.ipv[46]\.(?:conf|neigh)\.(?!all\.|default\.|lo\.)/;
/** The device's name, dots and all, in a key. */
const DEVICE_PART = /(?<=\.conf|\.neigh)\..+\.(?=[^.]+$)/;

/** Settings that are made before any device exists: new devices inherit `default`. */
export function earlySysctls(host: Host): readonly string[] {
  return checked(host).filter(([key]) => !DEVICE_KEY.test(key)).map(assignment);
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
