import type { DropEvent } from '../../trace/event.ts';

/** What the kernel's words for a drop mean to people (include/net/dropreason-core.h), where the events around do not say it. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['DEV_READY', 'the device is down'],
  ['ECHO_IGNORED', 'this host answers no echo requests'],
  ['FIREWALL', 'the firewall between the hosts'],
  ['IP_INADDRERRORS', 'this host does not forward'],
  ['IP_INHDR', 'its time to live is used up'],
  ['IP_INNOROUTES', 'this host has no route for it'],
  ['IP_INVALID_DEST', 'no packet may go to such an address'],
  ['IP_INVALID_SOURCE', 'no packet may come from such an address'],
  ['IP_LOCALNET', 'addresses of 127.0.0.0/8 are not for the wire'],
  ['IP_LOCAL_SOURCE', 'its source is an address of this host'],
  ['IP_NOPROTO', 'nobody here speaks its protocol'],
  ['IP_OUTNOROUTES', 'this host has no route for it'],
  ['IP_RPFILTER', 'the way back to its source leads by another device'],
  ['NEIGH_FAILED', 'nobody answers for the next hop'],
  ['NO_SOCKET', 'nobody listens'],
  ['NO_TX_TARGET', 'the tunnel does not know where to send it'],
  ['OTHERHOST', 'the frame was for another host'],
  ['PKT_TOO_BIG', 'larger than the way takes'],
  ['VXLAN_VNI_NOT_FOUND', 'no tunnel here has its VNI'],
  // Where the kernel has no word the function tells.
  ['br_flood', 'no port to send it to'],
  ['br_handle_frame_finish', 'a port sends nothing back to where it came from'],
  ['dst_discard', 'a blackhole route'],
  ['dummy_xmit', 'nobody is behind this device'],
  ['ip6_rcv_core', 'a loopback address is not for the wire'],
  ['ip_error', 'a route refuses it'],
]);

/** One clause on what a drop means; null where its line says enough. */
export function dropMeaning({ reason, where }: Pick<DropEvent, 'reason' | 'where'>): string | null {
  const byFunction = reason === 'NOT_SPECIFIED' || where === 'ip6_rcv_core';
  return MEANINGS.get(byFunction ? where : reason) ?? null;
}
