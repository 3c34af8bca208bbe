import { describe, expect, test } from 'vitest';
import { answer, run, testHost } from './host-fixture.ts';

describe('sysctl', () => {
  test.each<[string, Record<string, string>]>([
    ['sysctl -w net.ipv4.ip_forward=0', { 'net.ipv4.ip_forward': '0' }],
    ['sysctl net.ipv4.ip_forward=1', { 'net.ipv4.ip_forward': '1' }],
    [
      'sysctl -w net/ipv4/conf/eth0/rp_filter=1 net.ipv4.conf.all.rp_filter=2',
      { 'net.ipv4.conf.eth0.rp_filter': '1', 'net.ipv4.conf.all.rp_filter': '2' },
    ],
    ['sysctl -w net.ipv4.conf.all.forwarding=1', { 'net.ipv4.ip_forward': '1' }],
    ['sysctl -q -w net.ipv4.ip_local_port_range="30000 40000"', { 'net.ipv4.ip_local_port_range': '30000 40000' }],
    ['sysctl -w net.bridge.bridge-nf-call-iptables=0', { 'net.bridge.bridge-nf-call-iptables': '0' }],
    ['sysctl -w net.netfilter.nf_conntrack_tcp_be_liberal=1', { 'net.netfilter.nf_conntrack_tcp_be_liberal': '1' }],
    ['sysctl net.ipv4.ip_forward', {}],
    ['sysctl -e -w net.ipv4.nosuch=1', {}],
  ])('%s', (line, expected) => {
    expect(Object.fromEntries(run(testHost(), line).sysctls)).toEqual(expected);
  });

  test('ip_forward sets every device', () => {
    const host = run(testHost(), 'sysctl -w net.ipv4.conf.eth0.forwarding=0', 'sysctl -w net.ipv4.ip_forward=1');
    expect(Object.fromEntries(host.sysctls)).toEqual({ 'net.ipv4.ip_forward': '1' });
  });

  test.each<[string, string]>([
    [
      'sysctl net.ipv4.conf.nosuch.rp_filter=1',
      'sysctl: cannot stat /proc/sys/net/ipv4/conf/nosuch/rp_filter: No such file or directory',
    ],
    ['sysctl -w net.ipv4.foo=1', 'sysctl: cannot stat /proc/sys/net/ipv4/foo: No such file or directory'],
    ['sysctl net.ipv4.nosuch', 'sysctl: cannot stat /proc/sys/net/ipv4/nosuch: No such file or directory'],
    ['sysctl -w net.ipv4.ip_forward', 'sysctl: command line(0): invalid syntax, continuing...'],
    ['sysctl -w net.ipv4.ip_local_port_range=1', 'sysctl: setting key "net.ipv4.ip_local_port_range": Invalid argument'],
    ['sysctl -w net.ipv4.ip_forward=foo', 'sysctl: setting key "net.ipv4.ip_forward": Invalid argument'],
    [
      'sysctl -w net.ipv4.icmp_echo_ignore_all=99999999999',
      'sysctl: setting key "net.ipv4.icmp_echo_ignore_all": Invalid argument',
    ],
    ['sysctl -p /etc/sysctl.conf', 'not modelled: sysctl -p is not modelled'],
  ])('%s is refused', (line, expected) => {
    expect(answer(testHost(), line)).toBe(expected);
  });

  test('a device with a dot in its name is written with a slash', () => {
    const host = run(testHost(), 'ip link add eth0.5 type dummy', 'sysctl -w net.ipv4.conf.eth0/5.rp_filter=1');
    expect(host.sysctls.get('net.ipv4.conf.eth0.5.rp_filter')).toBe('1');
    expect(answer(host, 'sysctl -w net.ipv4.conf.eth0.5.rp_filter=1')).toBe(
      'sysctl: cannot stat /proc/sys/net/ipv4/conf/eth0/5/rp_filter: No such file or directory',
    );
  });
});
