import { perHost } from '../per-host.ts';
import { deviceSysctl, sysctl } from '../sysctl.ts';
import type { Host } from '../host.ts';

/** Per-device IPv4 settings as they act: those of the device combined with those of `conf.all`. */
export interface DeviceSettings {
  /** 0 none, 1 strict, 2 loose. */
  readonly rpFilter: number;
  readonly acceptLocal: boolean;
  readonly routeLocalnet: boolean;
  readonly sourceValidMark: boolean;
  readonly arpIgnore: number;
  /** IN_DEV_FORWARD: packets that come by this device are forwarded; ip_forward unless the device has a setting of its own. */
  readonly forwarding: boolean;
}

const settingsByDevice = perHost(() => new Map<string, DeviceSettings>());

/** The settings of one device of a host. */
export function deviceSettings(host: Host, device: string): DeviceSettings {
  const known = settingsByDevice(host);
  let settings = known.get(device);
  if (!settings) {
    const value = (key: string) => deviceSysctl(host.sysctls, key, device);
    settings = {
      rpFilter: value('rp_filter'),
      acceptLocal: value('accept_local') !== 0,
      routeLocalnet: value('route_localnet') !== 0,
      sourceValidMark: value('src_valid_mark') !== 0,
      arpIgnore: value('arp_ignore'),
      forwarding:
        Number(host.sysctls.get(`net.ipv4.conf.${device}.forwarding`) ?? sysctl(host.sysctls, 'net.ipv4.ip_forward')) !== 0,
    };
    known.set(device, settings);
  }
  return settings;
}
