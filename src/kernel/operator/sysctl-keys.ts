/** `/proc/sys/net/ipv4/conf/DEV/*` (net/ipv4/devinet.c); all take one integer. */
const CONF_KEYS =
  words(`accept_local accept_redirects accept_source_route arp_accept arp_announce arp_evict_nocarrier arp_filter arp_ignore
  arp_notify bc_forwarding bootp_relay disable_policy disable_xfrm drop_gratuitous_arp drop_unicast_in_l2_multicast force_igmp_version
  forwarding igmpv2_unsolicited_report_interval igmpv3_unsolicited_report_interval ignore_routes_with_linkdown log_martians
  medium_id promote_secondaries proxy_arp proxy_arp_pvlan route_localnet rp_filter secure_redirects send_redirects shared_media
  src_valid_mark tag`);

/** `/proc/sys/net/ipv4/neigh/DEV/*` (net/core/neighbour.c). */
const NEIGH_KEYS =
  words(`anycast_delay app_solicit base_reachable_time base_reachable_time_ms delay_first_probe_time gc_interval gc_stale_time
  gc_thresh1 gc_thresh2 gc_thresh3 interval_probe_time_ms locktime mcast_resolicit mcast_solicit proxy_delay proxy_qlen retrans_time
  retrans_time_ms ucast_solicit unres_qlen unres_qlen_bytes`);

/** Files of `/proc/sys/net/ipv4` that take one integer. */
const IPV4_KEYS =
  words(`fib_multipath_hash_fields fib_multipath_hash_policy fib_multipath_use_neigh fib_notify_on_flag_change fib_sync_mem
  fwmark_reflect icmp_echo_enable_probe icmp_echo_ignore_all icmp_echo_ignore_broadcasts icmp_errors_use_inbound_ifaddr
  icmp_ignore_bogus_error_responses icmp_msgs_burst icmp_msgs_per_sec icmp_ratelimit icmp_ratemask igmp_link_local_mcast_reports
  igmp_max_memberships igmp_max_msf igmp_qrv inet_peer_maxttl inet_peer_minttl inet_peer_threshold ip_autobind_reuse ip_default_ttl
  ip_dynaddr ip_early_demux ip_forward ip_forward_update_priority ip_forward_use_pmtu ip_no_pmtu_disc ip_nonlocal_bind
  ip_unprivileged_port_start ipfrag_high_thresh ipfrag_low_thresh ipfrag_max_dist ipfrag_secret_interval ipfrag_time
  nexthop_compat_mode raw_l3mdev_accept tcp_abort_on_overflow tcp_adv_win_scale tcp_app_win tcp_autocorking tcp_base_mss
  tcp_challenge_ack_limit tcp_dsack tcp_early_demux tcp_early_retrans tcp_ecn tcp_ecn_fallback tcp_fack tcp_fastopen tcp_fin_timeout
  tcp_frto tcp_fwmark_accept tcp_invalid_ratelimit tcp_keepalive_intvl tcp_keepalive_probes tcp_keepalive_time tcp_l3mdev_accept
  tcp_limit_output_bytes tcp_low_latency tcp_max_orphans tcp_max_reordering tcp_max_syn_backlog tcp_max_tw_buckets tcp_migrate_req
  tcp_min_rtt_wlen tcp_min_snd_mss tcp_min_tso_segs tcp_moderate_rcvbuf tcp_mtu_probe_floor tcp_mtu_probing tcp_no_metrics_save
  tcp_no_ssthresh_metrics_save tcp_notsent_lowat tcp_orphan_retries tcp_pacing_ca_ratio tcp_pacing_ss_ratio tcp_probe_interval
  tcp_probe_threshold tcp_recovery tcp_reflect_tos tcp_reordering tcp_retrans_collapse tcp_retries1 tcp_retries2 tcp_rfc1337 tcp_sack
  tcp_shrink_window tcp_slow_start_after_idle tcp_stdurg tcp_syn_linear_timeouts tcp_syn_retries tcp_synack_retries tcp_syncookies
  tcp_thin_linear_timeouts tcp_timestamps tcp_tso_rtt_log tcp_tso_win_divisor tcp_tw_reuse tcp_window_scaling
  tcp_workaround_signed_windows udp_early_demux udp_l3mdev_accept udp_rmem_min udp_wmem_min xfrm4_gc_thresh`);

/** Those that take something else. */
const IPV4_TEXT_KEYS = words(`ip_local_port_range ip_local_reserved_ports ping_group_range tcp_allowed_congestion_control
  tcp_congestion_control tcp_fastopen_key tcp_mem tcp_rmem tcp_wmem udp_mem`);

/** `/proc/sys/net/ipv6/conf/DEV/*` (net/ipv6/addrconf.c). */
const CONF6_KEYS =
  words(`accept_dad accept_ra accept_ra_defrtr accept_ra_from_local accept_ra_min_hop_limit accept_ra_min_lft accept_ra_mtu
  accept_ra_pinfo accept_ra_rt_info_max_plen accept_ra_rt_info_min_plen accept_ra_rtr_pref accept_redirects accept_source_route
  accept_untracked_na addr_gen_mode autoconf dad_transmits disable_ipv6 disable_policy drop_unicast_in_l2_multicast
  drop_unsolicited_na enhanced_dad force_forwarding force_mld_version force_tllao forwarding hop_limit ignore_routes_with_linkdown
  ioam6_enabled ioam6_id ioam6_id_wide keep_addr_on_down max_addresses max_desync_factor mc_forwarding
  mldv1_unsolicited_report_interval mldv2_unsolicited_report_interval mtu ndisc_evict_nocarrier ndisc_notify ndisc_tclass
  optimistic_dad proxy_ndp ra_defrtr_metric ra_honor_pio_life ra_honor_pio_pflag regen_max_retry regen_min_advance
  router_probe_interval router_solicitation_delay router_solicitation_interval router_solicitation_max_interval
  router_solicitations rpl_seg_enabled seg6_enabled seg6_require_hmac stable_secret suppress_frag_ndisc temp_prefered_lft
  temp_valid_lft use_oif_addrs_only use_optimistic use_tempaddr`);

/** Files of `/proc/sys/net/ipv6` and of its folders icmp and route. */
const IPV6_KEYS = words(`anycast_src_echo_reply auto_flowlabels bindv6only calipso_cache_bucket_size calipso_cache_enable
  fib_multipath_hash_fields fib_multipath_hash_policy fib_notify_on_flag_change flowlabel_consistency flowlabel_reflect
  flowlabel_state_ranges fwmark_reflect icmp.echo_ignore_all icmp.echo_ignore_anycast icmp.echo_ignore_multicast
  icmp.error_anycast_as_unicast icmp.ratelimit icmp.ratemask idgen_delay idgen_retries ioam6_id ioam6_id_wide ip6frag_high_thresh
  ip6frag_low_thresh ip6frag_secret_interval ip6frag_time ip_nonlocal_bind max_dst_opts_length max_dst_opts_number max_hbh_length
  max_hbh_opts_number mld_max_msf mld_qrv seg6_flowlabel xfrm6_gc_thresh route.flush route.gc_elasticity route.gc_interval
  route.gc_min_interval route.gc_min_interval_ms route.gc_thresh route.gc_timeout route.max_size route.min_adv_mss
  route.mtu_expires route.skip_notify_on_dev_down`);

/** `/proc/sys/net/core`. */
const CORE_KEYS = words(`bpf_jit_enable bpf_jit_harden bpf_jit_kallsyms bpf_jit_limit busy_poll busy_read default_qdisc dev_weight
  dev_weight_rx_bias dev_weight_tx_bias devconf_inherit_init_net fb_tunnels_only_for_init_net flow_limit_cpu_bitmap
  flow_limit_table_len gro_normal_batch high_order_alloc_disable max_skb_frags mem_pcpu_rsv message_burst message_cost
  netdev_budget netdev_budget_usecs netdev_max_backlog netdev_rss_key netdev_tstamp_prequeue netdev_unregister_timeout_secs
  optmem_max rmem_default rmem_max rps_default_mask rps_sock_flow_entries skb_defer_max somaxconn tstamp_allow_data txrehash
  warnings wmem_default wmem_max xfrm_acq_expires xfrm_aevent_etime xfrm_aevent_rseqth xfrm_larval_drop`);

/** `/proc/sys/net/netfilter` of conntrack, but for timeouts, and of the flow tables; nf_log is a folder. */
const NETFILTER_KEYS = words(`nf_conntrack_acct nf_conntrack_buckets nf_conntrack_checksum nf_conntrack_count
  nf_conntrack_dccp_loose nf_conntrack_events nf_conntrack_expect_max nf_conntrack_frag6_high_thresh nf_conntrack_frag6_low_thresh
  nf_conntrack_helper nf_conntrack_log_invalid nf_conntrack_max nf_conntrack_tcp_be_liberal nf_conntrack_tcp_ignore_invalid_rst
  nf_conntrack_tcp_loose nf_conntrack_tcp_max_retrans nf_conntrack_timestamp nf_hooks_lwtunnel nf_log_all_netns`);
const CONNTRACK_TIMEOUT = words(`dccp_timeout_closereq dccp_timeout_closing dccp_timeout_open dccp_timeout_partopen
  dccp_timeout_request dccp_timeout_respond dccp_timeout_timewait frag6_timeout generic_timeout gre_timeout gre_timeout_stream
  icmp_timeout icmpv6_timeout sctp_timeout_closed sctp_timeout_cookie_echoed sctp_timeout_cookie_wait sctp_timeout_established
  sctp_timeout_heartbeat_sent sctp_timeout_shutdown_ack_sent sctp_timeout_shutdown_recd sctp_timeout_shutdown_sent
  tcp_timeout_close tcp_timeout_close_wait tcp_timeout_established tcp_timeout_fin_wait tcp_timeout_last_ack
  tcp_timeout_max_retrans tcp_timeout_syn_recv tcp_timeout_syn_sent tcp_timeout_time_wait tcp_timeout_unacknowledged udp_timeout
  udp_timeout_stream`);

/** `/proc/sys/net/bridge` of br_netfilter. */
const BRIDGE_KEYS = words(`bridge-nf-call-arptables bridge-nf-call-ip6tables bridge-nf-call-iptables bridge-nf-filter-pppoe-tagged
  bridge-nf-filter-vlan-tagged bridge-nf-pass-vlan-input-dev`);

/** `/proc/sys/net/ipv4/vs` of IPVS. */
const IPVS_KEYS = words(`am_droprate amemthresh backup_only cache_bypass conn_reuse_mode conntrack drop_entry drop_packet
  expire_nodest_conn expire_quiescent_template ignore_tunneled nat_icmp_send pmtu_disc schedule_icmp secure_tcp sloppy_sctp sloppy_tcp
  snat_reroute sync_persist_mode sync_ports sync_qlen_max sync_refresh_period sync_retries sync_sock_size sync_threshold sync_version`);

/** What is known of a key: it does not exist, or what it takes. */
export type SysctlKind = 'missing' | 'integer' | 'text';

/** Is there a device of this name in the namespace? */
export type HasDevice = (name: string) => boolean;

/** Is there such a file under /proc/sys, and what does it hold? Keys that have no part in networking are taken to exist. */
export function sysctlKind(hasDevice: HasDevice, path: readonly string[]): SysctlKind {
  const [root, family = '', ...rest] = path;
  if (root !== 'net') return NON_NET_ROOTS.has(root ?? '') && family !== '' ? 'text' : 'missing';
  const name = rest.join('.');
  switch (family) {
    case 'ipv4':
      return ipv4Kind(hasDevice, rest);
    case 'bridge':
      return BRIDGE_KEYS.has(name) ? 'integer' : 'missing';
    case 'netfilter':
      return netfilterKind(name);
    case 'ipv6':
      return ipv6Kind(hasDevice, rest);
    case 'core':
      return CORE_KEYS.has(name) ? 'text' : 'missing';
    case 'unix':
      return name === 'max_dgram_qlen' ? 'integer' : 'missing';
    case 'mptcp':
    case 'vsock':
      return name === '' ? 'missing' : 'text';
    case 'nf_conntrack_max':
      return name === '' ? 'integer' : 'missing';
    default:
      return 'missing';
  }
}

const NON_NET_ROOTS = words('abi crypto debug dev fs kernel user vm');

function ipv4Kind(hasDevice: HasDevice, path: readonly string[]): SysctlKind {
  const [first = '', device, key] = path;
  if (path.length === 1) return IPV4_KEYS.has(first) ? 'integer' : IPV4_TEXT_KEYS.has(first) ? 'text' : 'missing';
  if (first === 'vs') return path.length === 2 && IPVS_KEYS.has(device ?? '') ? 'integer' : 'missing';
  if (first === 'route') return path.length === 2 ? 'text' : 'missing';
  if ((first !== 'conf' && first !== 'neigh') || path.length !== 3 || device === undefined || key === undefined) return 'missing';
  const exists = device === 'default' || hasDevice(device) || (first === 'conf' && device === 'all');
  return exists && (first === 'conf' ? CONF_KEYS : NEIGH_KEYS).has(key) ? 'integer' : 'missing';
}

function ipv6Kind(hasDevice: HasDevice, path: readonly string[]): SysctlKind {
  const [first = '', device, key] = path;
  if (IPV6_KEYS.has(path.join('.'))) return 'text';
  if ((first !== 'conf' && first !== 'neigh') || path.length !== 3 || device === undefined || key === undefined) return 'missing';
  const exists = device === 'default' || hasDevice(device) || (first === 'conf' && device === 'all');
  if (!exists || !(first === 'conf' ? CONF6_KEYS : NEIGH_KEYS).has(key)) return 'missing';
  return key === 'stable_secret' ? 'text' : 'integer';
}

function netfilterKind(name: string): SysctlKind {
  const timeout = name.startsWith('nf_conntrack_') && CONNTRACK_TIMEOUT.has(name.slice('nf_conntrack_'.length));
  if (timeout || NETFILTER_KEYS.has(name)) return 'integer';
  return /^nf_log\.\d+$/.test(name) || /^nf_flowtable_(tcp|udp)_timeout$/.test(name) ? 'text' : 'missing';
}

/** Would the kernel take this text for a key of this kind? */
export function isSysctlValue(path: readonly string[], kind: SysctlKind, value: string): boolean {
  if (path.join('.') === 'net.ipv4.ip_local_port_range') return isPortRange(value);
  return kind !== 'integer' || isInteger(value);
}

function isInteger(text: string): boolean {
  return /^-?(0x[0-9a-f]+|\d+)$/i.test(text) && Math.abs(Number(text)) <= 0x7fffffff;
}

/** ipv4_local_port_range (net/ipv4/sysctl_net_ipv4.c): the upper end may be left out; privileged ports may not be in it. */
function isPortRange(text: string): boolean {
  const [low = 0, high = 60999, ...more] = text
    .replace(/^"(.*)"$/, '$1')
    .trim()
    .split(/\s+/)
    .map(Number);
  return more.length === 0 && [low, high].every((port) => Number.isInteger(port) && port <= 65535) && low >= 1024 && low <= high;
}

/**
 * Keys that may decide what becomes of a packet, and that k8snet takes no notice of. `*` is a device; of a key with a default, other
 * values act.
 */
const IGNORED = new Map<string, string | null>(
  Object.entries({
    'net.ipv4.icmp_echo_ignore_broadcasts': '1',
    'net.ipv4.ip_forward_use_pmtu': '0',
    'net.ipv4.ip_no_pmtu_disc': '0',
    'net.ipv4.ip_local_port_range': null,
    'net.ipv4.ip_local_reserved_ports': null,
    'net.ipv4.fwmark_reflect': '0',
    'net.ipv4.tcp_fwmark_accept': '0',
    'net.ipv4.fib_multipath_hash_policy': '0',
    'net.ipv4.fib_multipath_use_neigh': '0',
    'net.ipv4.conf.*.proxy_arp': '0',
    'net.ipv4.conf.*.proxy_arp_pvlan': '0',
    'net.ipv4.conf.*.arp_filter': '0',
    'net.ipv4.conf.*.arp_announce': '0',
    'net.ipv4.conf.*.bc_forwarding': '0',
    'net.ipv4.conf.*.ignore_routes_with_linkdown': '0',
    'net.ipv4.conf.*.drop_unicast_in_l2_multicast': '0',
    'net.ipv4.icmp_errors_use_inbound_ifaddr': '0',
    'net.ipv4.tcp_mtu_probing': '0',
    'net.ipv6.conf.*.disable_ipv6': '0',
    'net.ipv6.conf.*.force_forwarding': '0',
    'net.ipv6.conf.*.proxy_ndp': '0',
    'net.ipv6.fib_multipath_hash_policy': '0',
    'net.ipv6.fwmark_reflect': '0',
    'net.ipv6.ip_nonlocal_bind': '0',
    'net.bridge.bridge-nf-filter-vlan-tagged': '0',
    'net.netfilter.nf_conntrack_max': null,
    'net.nf_conntrack_max': null,
  }),
);

/** True when a setting may change what becomes of a packet, and k8snet takes no notice of it. */
export function isIgnoredSetting(path: readonly string[], value: string): boolean {
  const general = path.length > 4 && path[2] === 'conf' ? [...path.slice(0, 3), '*', ...path.slice(4)] : path;
  const key = general.join('.');
  // Entries of conntrack grow old by the kernel's own defaults.
  if (key.startsWith('net.netfilter.nf_conntrack_') && CONNTRACK_TIMEOUT.has(key.slice('net.netfilter.nf_conntrack_'.length)))
    return true;
  const usual = IGNORED.get(key);
  return usual !== undefined && usual !== value;
}

/** The keys that a namespace has, for "did you mean": of the devices' keys those of `devices`. */
export function sysctlKeys(devices: readonly string[]): readonly string[] {
  return [
    ...[...IPV4_KEYS, ...IPV4_TEXT_KEYS].map((key) => `net.ipv4.${key}`),
    ...['all', 'default', ...devices].flatMap((device) => [...CONF_KEYS].map((key) => `net.ipv4.conf.${device}.${key}`)),
    ...[...BRIDGE_KEYS].map((key) => `net.bridge.${key}`),
    ...[...IPVS_KEYS].map((key) => `net.ipv4.vs.${key}`),
    ...[...IPV6_KEYS].map((key) => `net.ipv6.${key}`),
    ...['all', 'default', ...devices].flatMap((device) => [...CONF6_KEYS].map((key) => `net.ipv6.conf.${device}.${key}`)),
    ...[...CORE_KEYS].map((key) => `net.core.${key}`),
    ...[...NETFILTER_KEYS].map((key) => `net.netfilter.${key}`),
    ...[...CONNTRACK_TIMEOUT].map((key) => `net.netfilter.nf_conntrack_${key}`),
  ];
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
