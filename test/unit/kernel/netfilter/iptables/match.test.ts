import { describe, expect, test } from 'vitest';
import { MATCH_MODULES } from '../../../../../src/kernel/netfilter/iptables/match/index.ts';
import { compileRule } from '../../../../../src/kernel/netfilter/iptables/rule.ts';
import { parseIpsetSave } from '../../../../../src/kernel/ipset/save-format.ts';
import { entry, FakeContext, ip, packet } from '../../../../support/traverse-context.ts';
import type { FakeContextOptions } from '../../../../support/traverse-context.ts';
import type { IpvsConnection } from '../../../../../src/kernel/ipvs/connection-table.ts';
import type { VirtualServer } from '../../../../../src/kernel/ipvs/virtual-server.ts';
import type { L4Header, TcpHeader } from '../../../../../src/net/packet.ts';

const udp = (sport: number, dport: number): L4Header => ({ protocol: 'udp', sport, dport });
const tcp = (flags: number): TcpHeader => ({ protocol: 'tcp', sport: 40000, dport: 80, flags });
const sctp = (chunk: number): L4Header => ({ protocol: 'sctp', sport: 5000, dport: 3868, chunk });
const icmp = (type: number, code = 0): L4Header => ({ protocol: 'icmp', type, code, id: 1 });
const SYN = 2;
const ACK = 16;

const { sets } = parseIpsetSave(`create ips hash:ip family inet
add ips 10.96.0.20
create ports hash:ip,port family inet
add ports 10.96.0.20,tcp:80
create nets hash:net family inet
add nets 10.0.0.0/8
add nets 10.96.0.0/16 nomatch
create odd hash:net,mac family inet
`);
const ipsets = Object.fromEntries(sets);

const WEB_SERVER: VirtualServer = {
  protocol: 'tcp',
  address: ip('10.96.0.20'),
  port: 80,
  scheduler: 'rr',
  schedulerFlags: [],
  persistence: null,
  realServers: [],
};
const WEB_CONNECTION: IpvsConnection = {
  protocol: 'tcp',
  client: { address: ip('10.244.0.2'), port: 40000 },
  virtual: WEB_SERVER,
  real: { address: ip('10.244.1.2'), port: 8080 },
  server: WEB_SERVER,
  persistent: false,
  conntrack: true,
  state: 'SYN_RECV',
  expires: 1,
};

/** A rule's matches in a context: does the rule match? */
type Row = readonly [rule: string, context: FakeContextOptions, holds: boolean | 'unknown'];

// biome-ignore format: a table reads better in rows
const ROWS: readonly Row[] = [
  // base options
  ['', {}, true],
  ['-s 10.244.0.0/16', {}, true],
  ['! -s 10.244.0.0/16', {}, false],
  ['-s 10.244.0.3/32', {}, false],
  ['-d 10.96.0.20/32', {}, true],
  ['! -d 10.96.0.20/32', {}, false],
  ['-s 10.0.0.2/255.0.0.255', {}, true],
  ['-s 10.0.0.3/255.0.0.255', {}, false],
  ['-i cni0', { inDevice: 'cni0' }, true],
  ['-i cni0', { inDevice: 'cni1' }, false],
  ['-i cni0', { inDevice: null }, false],
  ['! -i cni0', { inDevice: null }, true],
  ['-i cni+', { inDevice: 'cni0' }, true],
  ['-i cni+', { inDevice: null }, false],
  ['! -i +', { inDevice: 'eth0' }, false],
  ['! -o +', { outDevice: null }, false],
  ['-o eth0', { outDevice: 'eth0' }, true],
  ['! -o eth0', { outDevice: 'eth0' }, false],
  ['-p tcp', {}, true],
  ['-p 6', {}, true],
  ['! -p tcp', {}, false],
  ['-p udp', {}, false],
  ['-p gre', { packet: packet({ l4: { protocol: 'other', number: 47 } }) }, true],
  ['-f', {}, false],
  ['! -f', {}, true],
  ['-f', { packet: packet({ fragment: { id: 1, offset: 1480, more: false } }) }, true],
  ['-f', { packet: packet({ fragment: { id: 1, offset: 0, more: true } }) }, false],
  // comment, nfacct: always
  ['-m comment --comment "any text"', {}, true],
  ['-m nfacct --nfacct-name n', {}, true],
  // tcp
  ['-p tcp -m tcp', {}, true],
  ['-p tcp -m tcp --dport 80', {}, true],
  ['-p tcp -m tcp ! --dport 80', {}, false],
  ['-p tcp -m tcp --dport 79:81', {}, true],
  ['-p tcp -m tcp --dport 81:90', {}, false],
  ['-p tcp -m tcp --sport 40000', {}, true],
  ['-p tcp -m tcp ! --sport 1:100', {}, true],
  ['-p tcp -m tcp --dport 80', { packet: packet({ fragment: { id: 1, offset: 1480, more: false } }) }, false],
  ['-p tcp -m tcp ! --dport 81', { packet: packet({ fragment: { id: 1, offset: 1480, more: false } }) }, false],
  ['-p tcp -m tcp --dport 80', { packet: packet({ fragment: { id: 1, offset: 0, more: true } }) }, true],
  ['-p tcp -m tcp --tcp-flags FIN,SYN,RST,ACK SYN', {}, true],
  ['-p tcp -m tcp --tcp-flags FIN,SYN,RST,ACK SYN', { packet: packet({ l4: tcp(SYN | ACK) }) }, false],
  ['-p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN', { packet: packet({ l4: tcp(SYN | ACK) }) }, true],
  ['-p tcp --syn', {}, true],
  ['-p tcp ! --syn', {}, false],
  ['-p tcp -m tcp --tcp-flags ALL NONE', { packet: packet({ l4: tcp(0) }) }, true],
  ['-p tcp -m tcp --tcp-option 2', {}, true],
  ['-p tcp -m tcp --tcp-option 2', { packet: packet({ l4: tcp(ACK) }) }, false],
  ['-p tcp -m tcp ! --tcp-option 8', {}, false],
  // udp, sctp
  ['-p udp -m udp --dport 53', { packet: packet({ l4: udp(40000, 53) }) }, true],
  ['-p udp -m udp --sport 53', { packet: packet({ l4: udp(40000, 53) }) }, false],
  ['-p sctp -m sctp --dport 3868', { packet: packet({ l4: sctp(1) }) }, true],
  ['-p sctp -m sctp ! --sport 5000', { packet: packet({ l4: sctp(1) }) }, false],
  ['-p sctp -m sctp --chunk-types any INIT', { packet: packet({ l4: sctp(1) }) }, true],
  ['-p sctp -m sctp --chunk-types all INIT,DATA', { packet: packet({ l4: sctp(1) }) }, false],
  ['-p sctp -m sctp --chunk-types only INIT,DATA', { packet: packet({ l4: sctp(1) }) }, true],
  ['-p sctp -m sctp ! --chunk-types any INIT', { packet: packet({ l4: sctp(0) }) }, true],
  ['-p sctp -m sctp --chunk-types any DATA:Be', { packet: packet({ l4: sctp(0) }) }, 'unknown'],
  // icmp, icmp6
  ['-p icmp -m icmp --icmp-type 8', { packet: packet({ l4: icmp(8) }) }, true],
  ['-p icmp -m icmp --icmp-type 3/4', { packet: packet({ l4: icmp(3, 4) }) }, true],
  ['-p icmp -m icmp --icmp-type 3/4', { packet: packet({ l4: icmp(3, 3) }) }, false],
  ['-p icmp -m icmp --icmp-type 3', { packet: packet({ l4: icmp(3, 3) }) }, true],
  ['-p icmp -m icmp ! --icmp-type 8', { packet: packet({ l4: icmp(8) }) }, false],
  ['-p icmp -m icmp --icmp-type any', { packet: packet({ l4: icmp(13) }) }, true],
  // marks
  ['-m mark --mark 0x4000/0x4000', { mark: 0x4010 }, true],
  ['-m mark --mark 0x4000/0x4000', { mark: 0x10 }, false],
  ['-m mark ! --mark 0x0', { mark: 1 }, true],
  ['-m mark --mark 0x80000000/0x80000000', { mark: 0x80000001 }, true],
  ['-m mark --mark 0x5/0x3', { mark: 5 }, false],
  ['-m connmark --mark 0x1', { conntrack: entry({ mark: 1 }) }, true],
  ['-m connmark ! --mark 0x1', { conntrack: entry({ mark: 1 }) }, false],
  ['-m connmark ! --mark 0x1', { conntrack: { state: 'UNTRACKED' } }, false],
  // conntrack
  ['-m conntrack --ctstate NEW', {}, true],
  ['-m conntrack --ctstate RELATED,ESTABLISHED', {}, false],
  ['-m conntrack ! --ctstate NEW', {}, false],
  ['-m conntrack --ctstate INVALID', { conntrack: { state: 'INVALID' } }, true],
  ['-m conntrack --ctstate UNTRACKED', { conntrack: { state: 'UNTRACKED' } }, true],
  ['-m conntrack --ctstate DNAT', { conntrack: entry({ dnat: true }) }, true],
  ['-m conntrack --ctstate DNAT', {}, false],
  ['-m conntrack --ctstate SNAT', { conntrack: entry({ snat: true }) }, true],
  ['-m conntrack --ctstate INVALID --ctproto 17', { conntrack: { state: 'INVALID' } }, true],
  ['-m conntrack --ctproto 17', { conntrack: { state: 'INVALID' } }, false],
  ['-m conntrack ! --ctdir REPLY', {}, 'unknown'],
  ['-m conntrack --ctdir ORIGINAL', {}, true],
  ['-m conntrack --ctdir REPLY', {}, false],
  ['-m conntrack --ctproto 6', {}, true],
  ['-m conntrack ! --ctproto 6', {}, false],
  ['-m conntrack --ctorigsrc 10.244.0.0/24', {}, true],
  ['-m conntrack --ctorigdst 10.96.0.20', {}, true],
  ['-m conntrack ! --ctorigdst 10.96.0.20', {}, false],
  ['-m conntrack --ctreplsrc 10.244.1.2', {}, true],
  ['-m conntrack --ctrepldst 10.244.1.2', {}, false],
  ['-m conntrack --ctorigsrcport 40000 --ctorigdstport 80 --ctreplsrcport 8000:8090 --ctrepldstport 40000', {}, true],
  ['-m conntrack --ctorigdstport 81', {}, false],
  ['-m conntrack --ctstatus SEEN_REPLY,ASSURED', { conntrack: entry({ assured: true }) }, true],
  ['-m conntrack --ctstatus CONFIRMED', {}, false],
  ['-m conntrack ! --ctstatus EXPECTED', {}, true],
  ['-m conntrack --ctstatus NONE', {}, false],
  ['-m conntrack --ctexpire 100:130', {}, true],
  ['-m conntrack ! --ctexpire 100:130', {}, false],
  ['-m state --state NEW', {}, true],
  ['-m state ! --state NEW', {}, false],
  // set
  ['-m set --match-set ips dst', { ipsets }, true],
  ['-m set --match-set ips src', { ipsets }, false],
  ['-m set ! --match-set ips src', { ipsets }, true],
  ['-m set --match-set ports dst,dst', { ipsets }, true],
  ['-m set --match-set ports dst,src', { ipsets }, false],
  ['-m set --match-set nets src', { ipsets }, true],
  ['-m set --match-set nets dst', { ipsets }, false],
  ['-m set --match-set nets dst --return-nomatch', { ipsets }, true],
  ['-m set --match-set nets src ! --update-counters ! --update-subcounters', { ipsets }, true],
  ['-m set --match-set nets src --packets-gt 5', { ipsets }, 'unknown'],
  ['-m set --match-set missing src', { ipsets }, 'unknown'],
  ['-m set --match-set odd src,src', { ipsets }, 'unknown'],
  // addrtype
  ['-m addrtype --dst-type LOCAL', { addressTypes: { '10.96.0.20': 'LOCAL' } }, true],
  ['-m addrtype ! --dst-type LOCAL', {}, true],
  ['-m addrtype --src-type LOCAL,UNICAST', {}, true],
  ['-m addrtype ! --src-type UNICAST', {}, false],
  ['-m addrtype --dst-type LOCAL --limit-iface-in', { inDevice: 'cni0', addressTypes: { '10.96.0.20@eth0': 'LOCAL' } }, false],
  ['-m addrtype --dst-type LOCAL --limit-iface-in', { inDevice: 'eth0', addressTypes: { '10.96.0.20@eth0': 'LOCAL' } }, true],
  ['-m addrtype --src-type LOCAL --limit-iface-out', { outDevice: 'eth0', addressTypes: { '10.244.0.2@cni0': 'LOCAL' } }, false],
  // multiport
  ['-p tcp -m multiport --dports 22,80,8080:8090', {}, true],
  ['-p tcp -m multiport --dports 8080:8090', {}, false],
  ['-p tcp -m multiport ! --dports 80', {}, false],
  ['-p tcp -m multiport --sports 40000', {}, true],
  ['-p tcp -m multiport --ports 40000', {}, true],
  ['-p tcp -m multiport ! --ports 80', { packet: packet({ fragment: { id: 1, offset: 1480, more: false } }) }, false],
  // owner
  ['-m owner --uid-owner 1337', { socket: { uid: 1337, gid: 0 } }, true],
  ['-m owner --uid-owner 1000-2000', { socket: { uid: 1337, gid: 0 } }, true],
  ['-m owner ! --uid-owner 1337', { socket: { uid: 1337, gid: 0 } }, false],
  ['-m owner --gid-owner 5', { socket: { uid: 1337, gid: 0 } }, false],
  ['-m owner --gid-owner 0 --suppl-groups', { socket: { uid: 1337, gid: 0 } }, true],
  ['-m owner --uid-owner 0', { socket: null }, false],
  ['-m owner ! --uid-owner 0', { socket: null }, true],
  ['-m owner --socket-exists', { socket: { uid: 0, gid: 0 } }, true],
  ['-m owner ! --socket-exists', { socket: { uid: 0, gid: 0 } }, false],
  ['-m owner ! --socket-exists', { socket: null }, true],
  // socket, cgroup
  ['-m socket', { socketExists: false }, false],
  ['-m socket', { socketExists: true }, 'unknown'],
  ['-m socket', { socketExists: true, packet: packet({ l4: tcp(ACK) }) }, true],
  ['-m socket --nowildcard', { socketExists: true }, true],
  ['-m socket --nowildcard --restore-skmark', { socketExists: true }, 'unknown'],
  ['-m socket --transparent', { socketExists: true }, false],
  ['-m cgroup --cgroup 1', { socket: null }, false],
  ['-m cgroup ! --cgroup 1', { socket: null }, false],
  ['-m cgroup ! --cgroup 1', { socket: { uid: 0, gid: 0 } }, true],
  ['-m cgroup --cgroup 1', { socket: { uid: 0, gid: 0 } }, false],
  ['-m cgroup --cgroup 0', { socket: { uid: 0, gid: 0 } }, true],
  ['-m cgroup --cgroup 0', { socket: { uid: 0, gid: 0 }, packet: packet({ l4: tcp(SYN | ACK) }) }, false],
  ['-m cgroup ! --path user.slice', { socket: { uid: 0, gid: 0 } }, 'unknown'],
  // physdev
  ['-m physdev --physdev-in vethA', { physIn: 'vethA' }, true],
  ['-m physdev --physdev-in veth+', { physIn: 'vethA' }, true],
  ['-m physdev ! --physdev-in vethA', { physIn: 'vethA' }, false],
  ['-m physdev --physdev-in vethA', {}, false],
  ['-m physdev ! --physdev-in vethA', {}, true],
  ['-m physdev --physdev-out vethB', { physIn: 'vethA', physOut: 'vethB' }, true],
  ['-m physdev --physdev-out vethB', { physIn: 'vethA' }, false],
  ['-m physdev ! --physdev-out vethB', { physIn: 'vethA' }, false],
  ['-m physdev --physdev-is-in', { physIn: 'vethA' }, true],
  ['-m physdev ! --physdev-is-in', {}, true],
  ['-m physdev --physdev-is-out', { physIn: 'vethA' }, false],
  ['-m physdev --physdev-is-bridged', { physIn: 'vethA', physOut: 'vethB' }, true],
  ['-m physdev ! --physdev-is-bridged', { physIn: 'vethA' }, true],
  // iprange, length, ttl, dscp, mac, pkttype
  ['-m iprange --src-range 10.244.0.1-10.244.0.9', {}, true],
  ['-m iprange ! --src-range 10.244.0.1-10.244.0.9', {}, false],
  ['-m iprange --dst-range 10.96.0.21-10.96.0.30', {}, false],
  ['-m length --length 60', {}, true],
  ['-m length ! --length 40:60', {}, false],
  ['-m length --length 5:3', {}, false],
  ['-m ttl --ttl-eq 64', {}, true],
  ['-m ttl ! --ttl-eq 64', {}, false],
  ['-m ttl --ttl-lt 64', {}, false],
  ['-m ttl --ttl-gt 63', {}, true],
  ['-m dscp --dscp 0x2e', { packet: packet({ tos: 0xb8 }) }, true],
  ['-m dscp --dscp-class EF', { packet: packet({ tos: 0xbb }) }, true],
  ['-m dscp ! --dscp 0x2e', { packet: packet({ tos: 0xb8 }) }, false],
  ['-m mac --mac-source 02:00:00:aa:bb:cc', { srcMac: '02:00:00:aa:bb:cc' }, true],
  ['-m mac ! --mac-source 02:00:00:aa:bb:cc', { srcMac: '02:00:00:aa:bb:cc' }, false],
  ['-m mac ! --mac-source 02:00:00:aa:bb:cc', { srcMac: null }, false],
  ['-m pkttype --pkt-type broadcast', { packetType: 'broadcast' }, true],
  ['-m pkttype ! --pkt-type unicast', {}, false],
  // tcpmss, realm, ipvs, rpfilter
  ['-p tcp -m tcpmss --mss 1400:1500', { packet: packet({ l4: { protocol: 'tcp', sport: 40000, dport: 80, flags: SYN, mss: 1460 } }) }, true],
  ['-p tcp -m tcpmss --mss 1400:1500', { packet: packet({ l4: { protocol: 'tcp', sport: 40000, dport: 80, flags: SYN, mss: 1300 } }) }, false],
  ['-p tcp -m tcpmss --mss 1400:1500', { packet: packet({ l4: tcp(ACK) }) }, false],
  ['-p tcp -m tcpmss ! --mss 1400:1500', { packet: packet({ l4: tcp(ACK) }) }, true],
  ['-m realm --realm 0xa', {}, false],
  ['-m realm ! --realm 0xa/0xff', {}, true],
  ['-m ipvs --ipvs', {}, false],
  ['-m ipvs ! --ipvs', {}, true],
  ['-m ipvs --ipvs', { ipvsProperty: true }, true],
  ['-m ipvs --vaddr 10.96.0.20 --vproto tcp --vport 80 --vdir ORIGINAL --vmethod MASQ --vportctl 21', {}, false],
  ['-m ipvs --vaddr 10.96.0.20', { ipvsProperty: true }, false],
  ['-m ipvs --vaddr 10.96.0.20', { ipvsProperty: true, ipvsConnection: WEB_CONNECTION }, true],
  ['-m ipvs --vaddr 10.96.0.0/24 --vproto 6 --vport 80 --vmethod MASQ', { ipvsProperty: true, ipvsConnection: WEB_CONNECTION }, true],
  ['-m ipvs --vaddr 10.96.0.20 --vport 81', { ipvsProperty: true, ipvsConnection: WEB_CONNECTION }, false],
  ['-m ipvs --vaddr 10.96.0.20 ! --vport 81', { ipvsProperty: true, ipvsConnection: WEB_CONNECTION }, true],
  ['-m ipvs --vaddr 10.96.0.20', { ipvsConnection: WEB_CONNECTION }, false],
  ['-m rpfilter --loose', { reversePath: (loose) => loose }, true],
  ['-m rpfilter --accept-local', { reversePath: (_, acceptLocal) => acceptLocal }, true],
  ['-m rpfilter --validmark', { reversePath: (_, __, validMark) => validMark }, true],
  ['-m rpfilter --invert', { reversePath: () => true }, false],
  // statistic: certain draws make no choice
  ['-m statistic --mode random --probability 1.0', {}, true],
  ['-m statistic --mode random --probability 0.0', {}, false],
  ['-m statistic --mode random --probability 0.5', { draws: [false] }, false],
  ['-m statistic --mode random ! --probability 0.5', { draws: [false] }, true],
  ['-m statistic --mode nth --every 2 --packet 0', {}, true],
  ['-m statistic --mode nth --every 2 --packet 1', {}, false],
  ['-m statistic --mode nth ! --every 2 --packet 1', {}, true],
  // what k8snet doesn't model
  ['-m string --string "x" --algo bm', {}, 'unknown'],
  ['-p udp -m string --string "x" --algo bm', {}, false],
  ['-m conntrack --ctnew-option x', {}, 'unknown'],
  ['--no-such-option', {}, 'unknown'],
  ['-p dccp -m dccp --dport 5', { packet: packet({ l4: { protocol: 'other', number: 33 } }) }, 'unknown'],
];

/** Like the traversal: all matches must hold, an unknown one counts where none says no. */
function holds(rule: string, context: FakeContext, family: 4 | 6 = 4): boolean | 'unknown' {
  const results = compileRule({ body: rule }, context.table, family).matches.map((match) => match.test(context));
  return results.includes(false) ? false : results.includes('unknown') ? 'unknown' : true;
}

describe('matches', () => {
  test.each(ROWS)('%s %#', (rule, options, expected) => {
    expect(holds(rule, new FakeContext(options))).toBe(expected);
  });

  const v6 = packet({ src: 'fd00::2', dst: 'fd00::1', l4: { protocol: 'icmpv6', type: 128, code: 0, id: 1 }, ttl: 255 });
  test.each([
    ['-s fd00::/64', true],
    ['! -d fd00::1/128', false],
    ['-p ipv6-icmp -m icmp6 --icmpv6-type 128', true],
    ['-p ipv6-icmp -m icmp6 ! --icmpv6-type 128/0', false],
    ['-p ipv6-icmp -m icmp6 --icmpv6-type echo-reply', false],
    ['-m hl --hl-eq 255', true],
    ['-m hl --hl-lt 255', false],
    ['-m hl --hl-gt 254', true],
    ['-m hl ! --hl-eq 255', false],
    ['-m iprange --src-range fd00::1-fd00::9', true],
    ['-m conntrack --ctorigsrc fd00::/64', false],
  ])('IPv6 %s', (rule, expected) => {
    expect(holds(rule, new FakeContext({ packet: v6 }), 6)).toBe(expected);
  });

  test('every module stands in a row', () => {
    const tested = new Set(ROWS.flatMap(([rule]) => [...rule.matchAll(/-m (\w+)/g)].map((match) => match[1]!)));
    const elsewhere = ['recent', 'limit', 'hashlimit', 'icmp6', 'hl'];
    expect([...MATCH_MODULES.keys()].filter((name) => !tested.has(name) && !elsewhere.includes(name))).toEqual([]);
  });
});

describe('matches with a memory', () => {
  /** Runs a rule's matches at given milliseconds, on one context. */
  function at(rule: string, times: readonly number[], options: FakeContextOptions = {}): readonly (boolean | 'unknown')[] {
    const context = new FakeContext(options);
    const { matches } = compileRule({ body: rule }, 'filter', 4);
    return times.map((now) => {
      context.now = now;
      context.ruleKey = 'filter/FORWARD/1';
      return matches.every((match) => match.test(context) === true);
    });
  }

  test('statistic nth counts per rule and starts where --packet says', () => {
    expect(at('-m statistic --mode nth --every 3 --packet 1', [0, 0, 0, 0, 0])).toEqual([false, true, false, false, true]);
  });

  test('limit saves up its burst and refills', () => {
    expect(at('-m limit --limit 1/sec --limit-burst 2', [0, 0, 0, 500, 1000, 1001])).toEqual([
      true,
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  test('hashlimit --above is the rest', () => {
    const rule = '-m hashlimit --hashlimit-above 1/sec --hashlimit-burst 1 --hashlimit-mode srcip --hashlimit-name x';
    expect(at(rule, [0, 0, 1000])).toEqual([false, true, false]);
  });

  test('hashlimit keeps a bucket for each address', () => {
    const rule =
      '-m hashlimit --hashlimit-upto 1/min --hashlimit-burst 1 --hashlimit-mode srcip --hashlimit-srcmask 24 --hashlimit-name x';
    const context = new FakeContext();
    const { matches } = compileRule({ body: rule }, 'filter', 4);
    const from = (src: string) => {
      context.packet = packet({ src });
      return matches[0]!.test(context);
    };
    expect(['10.0.0.1', '10.0.0.2', '10.0.1.1'].map(from)).toEqual([true, false, true]);
  });

  test('a rate of bytes, or of matches, is unknown', () => {
    expect(holds('-m hashlimit --hashlimit-upto 512kb/s --hashlimit-name x', new FakeContext())).toBe('unknown');
    expect(holds('-m hashlimit --hashlimit-upto 5/sec --hashlimit-name x --hashlimit-rate-match', new FakeContext())).toBe(
      'unknown',
    );
  });
});

describe('recent', () => {
  /** Runs rules one after the other on one namespace. */
  function run(steps: readonly (readonly [rule: string, now: number, src?: string])[]): readonly (boolean | 'unknown')[] {
    const context = new FakeContext();
    return steps.map(([rule, now, src = '10.0.0.1']) => {
      context.now = now;
      context.packet = packet({ src });
      return holds(`-m recent ${rule}`, context);
    });
  }

  test("kube-proxy's affinity: remembered for a while, then forgotten", () => {
    const check = '--rcheck --seconds 10 --reap --name SEP --mask 255.255.255.255 --rsource';
    const set = '--set --name SEP --mask 255.255.255.255 --rsource';
    expect(
      run([
        [check, 0],
        [set, 0],
        [check, 5000],
        [check, 5000, '10.0.0.2'],
        [check, 10_000],
        [check, 10_001],
        [check, 0],
      ]),
    ).toEqual([false, true, true, false, true, false, false]);
  });

  test('update renews, rcheck does not', () => {
    const update = '--update --seconds 10 --name x --rsource';
    const check = '--rcheck --seconds 10 --name x --rsource';
    expect(
      run([
        ['--set --name x', 0],
        [update, 9000],
        [check, 18_000],
        [check, 20_000],
      ]),
    ).toEqual([true, true, true, false]);
  });

  test('hitcount counts the stamps in the window', () => {
    const hits = '--rcheck --seconds 60 --hitcount 3 --name x';
    expect(
      run([
        ['--set --name x', 0],
        ['--set --name x', 1000],
        [hits, 2000],
        ['--set --name x', 3000],
        [hits, 4000],
        [hits, 61_000],
      ]),
    ).toEqual([true, true, false, true, true, false]);
  });

  test('remove takes the address out; negation turns the answer', () => {
    expect(
      run([
        ['--set --name x', 0],
        ['! --rcheck --name x', 0],
        ['--remove --name x', 0],
        ['! --rcheck --name x', 0],
      ]),
    ).toEqual([true, false, true, true]);
  });

  test('mask and destination', () => {
    const context = new FakeContext({ packet: packet({ src: '10.0.0.1', dst: '10.9.9.9' }) });
    holds('-m recent --set --name x --mask 255.255.255.0 --rsource', context);
    context.packet = packet({ src: '10.0.0.200' });
    expect(holds('-m recent --rcheck --name x --mask 255.255.255.0 --rsource', context)).toBe(true);
    expect(holds('-m recent --rcheck --name x --rdest', context)).toBe(false);
  });

  test('rttl compares the TTL as it came in', () => {
    const context = new FakeContext({ packet: packet({ ttl: 64 }), hook: 'PREROUTING' });
    holds('-m recent --set --name x', context);
    context.packet = packet({ ttl: 63 });
    expect(holds('-m recent --rcheck --rttl --name x', context)).toBe(false);
    const forwarded = new FakeContext({ packet: packet({ ttl: 63 }), outDevice: 'eth0' });
    holds('-m recent --set --name x', forwarded);
    expect(forwarded.moduleState<Map<unknown, { ttl: number }>>('recent:x', () => new Map()).get(ip('10.244.0.2'))?.ttl).toBe(64);
  });
});
