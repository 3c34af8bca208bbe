import { vethName } from '../../../src/kubernetes/stable-mac.ts';
import type { ClusterDraft } from './cluster.ts';
import type { Random } from './random.ts';

type TableName = 'raw' | 'mangle' | 'nat' | 'filter';

const HOOKS: Readonly<Record<TableName, readonly string[]>> = {
  raw: ['PREROUTING', 'PREROUTING', 'OUTPUT'],
  mangle: ['PREROUTING', 'PREROUTING', 'INPUT', 'FORWARD', 'FORWARD', 'OUTPUT', 'POSTROUTING', 'POSTROUTING'],
  nat: ['PREROUTING', 'PREROUTING', 'OUTPUT', 'POSTROUTING', 'POSTROUTING', 'INPUT'],
  filter: ['INPUT', 'FORWARD', 'FORWARD', 'OUTPUT'],
};

/** Random rules in a random hook of a node: alone, or in chains of their own that are entered by jump or goto, nested or not; sets where used. */
export function generateRules(random: Random, draft: ClusterDraft, node: string): string[] {
  const table = random.pick<TableName>(['raw', 'mangle', 'mangle', 'nat', 'nat', 'filter', 'filter']);
  const hook = random.pick(HOOKS[table]);
  const context = new RuleContext(random, draft, node, table, hook);
  const command = (chain: string, body: string): string =>
    `iptables${table === 'filter' ? '' : ` -t ${table}`} -${body === '' ? 'N' : 'A'} ${chain}${body}`;
  const enter = `iptables${table === 'filter' ? '' : ` -t ${table}`} ${random.pick([`-A ${hook}`, `-I ${hook}`, `-I ${hook} 1`])}`;
  const lines: string[] = [];
  if (random.chance(0.45)) {
    lines.push(`${enter}${context.matches(hook)}${context.target(hook)}`);
  } else {
    const chain = `OPS-${random.int(1, 99)}`;
    const inner = `${chain}-IN`;
    const nested = random.chance(0.5);
    lines.push(command(chain, ''));
    if (nested) {
      lines.push(command(inner, ''));
      for (let i = random.int(1, 3); i > 0; i--) lines.push(command(inner, `${context.matches(null)}${context.target(null)}`));
      lines.push(command(chain, `${context.matches(null)} -${random.pick(['j', 'j', 'g'])} ${inner}`));
    }
    for (let i = random.int(1, 3); i > 0; i--) lines.push(command(chain, `${context.matches(null)}${context.target(null)}`));
    lines.push(`${enter}${context.matches(hook)} -${random.pick(['j', 'j', 'g'])} ${chain}`);
  }
  return [...context.sets, ...lines];
}

/** Makes matches and targets that iptables accepts in a hook (null: in a user chain that the hook enters). */
class RuleContext {
  readonly sets: string[] = [];
  readonly #random: Random;
  readonly #draft: ClusterDraft;
  readonly #node: string;
  readonly #table: TableName;
  readonly #hook: string;
  #protocol: 'tcp' | 'udp' | 'icmp' | null = null;

  constructor(random: Random, draft: ClusterDraft, node: string, table: TableName, hook: string) {
    this.#random = random;
    this.#draft = draft;
    this.#node = node;
    this.#table = table;
    this.#hook = hook;
  }

  /** None to three matches, each with a leading space. */
  matches(chain: string | null): string {
    const random = this.#random;
    this.#protocol = random.chance(0.5) ? random.pick(['tcp', 'tcp', 'udp', 'icmp'] as const) : null;
    const words: string[] = this.#protocol === null ? [] : [`-p ${this.#protocol}`];
    const used = new Set<string>();
    for (let i = random.int(0, 2); i > 0; i--) {
      const match = this.#match(chain ?? this.#hook);
      const key = /^(?:! )?(-[sdio]\b|-m \w+|--\w+)/.exec(match)?.[1] ?? match;
      if (match === '' || used.has(key)) continue;
      used.add(key);
      words.push(match);
    }
    return words.map((word) => ` ${word}`).join('');
  }

  #match(hook: string): string {
    const random = this.#random;
    const not = random.chance(0.25) ? '! ' : '';
    const takesIn = hook === 'PREROUTING' || hook === 'INPUT' || hook === 'FORWARD';
    const takesOut = hook === 'FORWARD' || hook === 'OUTPUT' || hook === 'POSTROUTING';
    const side = random.pick(['src', 'dst']);
    switch (random.int(0, 19)) {
      case 0:
      case 1:
        return `${not}-s ${this.#range()}`;
      case 2:
      case 3:
        return `${not}-d ${this.#range()}`;
      case 4:
        return takesIn ? `${not}-i ${this.#device()}` : '';
      case 5:
        return takesOut ? `${not}-o ${this.#device()}` : '';
      case 6:
        return this.#hasPorts() ? `${not}--${random.pick(['dport', 'sport'])} ${this.#portRange()}` : '';
      case 7:
        return this.#hasPorts() ? `-m multiport ${not}--${random.pick(['dports', 'sports', 'ports'])} ${this.#portList()}` : '';
      case 8:
        return `-m mark ${not}--mark ${random.pick(['0x0', '0x1', '0x10/0xf0', '0x4000/0x4000', '0x2000/0x2000'])}`;
      case 9:
        return `-m connmark ${not}--mark ${random.pick(['0x0', '0x1', '0x10/0xf0'])}`;
      case 10:
        return this.#table === 'raw'
          ? ''
          : `-m conntrack ${not}--ctstate ${random.pick(['NEW', 'ESTABLISHED', 'RELATED,ESTABLISHED', 'INVALID', 'NEW,RELATED', 'DNAT', 'SNAT', 'UNTRACKED'])}`;
      case 11:
        return this.#table === 'raw'
          ? ''
          : `-m conntrack ${random.pick([`${not}--ctstatus ${random.pick(['SEEN_REPLY', 'ASSURED', 'CONFIRMED'])}`, `--ctdir ${random.pick(['ORIGINAL', 'REPLY'])}`, `${not}--ctorigdst ${this.#service().clusterIP}`, `${not}--ctorigsrc ${this.#podIp()}`, `${not}--ctreplsrc ${this.#podIp()}`, `${not}--ctorigdstport ${this.#port()}`, `--ctproto ${random.pick([6, 17])}`])}`;
      case 12: {
        const limit = random.pick([...(takesIn ? ['in'] : []), ...(takesOut ? ['out'] : []), '', '']);
        return `-m addrtype ${not}--${side}-type ${random.pick(['LOCAL', 'UNICAST', 'BROADCAST'])}${limit === '' || hook === 'FORWARD' || this.#inChain(hook) ? '' : ` --limit-iface-${limit}`}`;
      }
      case 13:
        return this.#physdev(hook, not);
      case 14:
        return `-m iprange ${not}--${side}-range ${random.pick(['10.244.1.0-10.244.1.255', '10.96.0.0-10.96.3.255', '192.0.2.1-192.0.2.20'])}`;
      case 15:
        return random.pick([
          `-m ttl --ttl-${random.pick(['eq', 'lt', 'gt'])} ${random.pick([62, 63, 64])}`,
          `-m length ${not}--length ${random.pick(['52', '60', '40:100', '20:65535'])}`,
        ]);
      case 16:
        return `-m statistic --mode random ${random.pick(['--probability 1.0', '--probability 1.0', '--probability 0.0'])}`;
      case 17:
        return this.#protocol === 'tcp'
          ? random.pick([
              `${not}--syn`,
              `${not}--tcp-flags SYN,ACK ${random.pick(['ACK', 'SYN,ACK', 'SYN'])}`,
              `${not}--tcp-flags FIN,SYN,RST,ACK SYN`,
            ])
          : '';
      case 18:
        return this.#protocol === 'icmp'
          ? `-m icmp ${not}--icmp-type ${random.pick(['8', '0', '3', '3/3', '11'])}`
          : '-m comment --comment "operator\'s exception for team A"';
      default:
        return this.#set(not);
    }
  }

  #inChain(hook: string): boolean {
    return hook !== this.#hook;
  }

  #physdev(hook: string, not: string): string {
    const veth = this.#veth();
    if (veth === null) return '';
    const options = [`${not}--physdev-in ${veth}`, `${not}--physdev-is-in`];
    if (hook === 'FORWARD' || hook === 'POSTROUTING')
      options.push(`${not}--physdev-out ${veth}`, `${not}--physdev-is-out`, `${not}--physdev-is-bridged`);
    return hook === 'OUTPUT' ? '' : `-m physdev ${this.#random.pick(options)}`;
  }

  #set(not: string): string {
    const random = this.#random;
    const number = this.sets.filter((line) => line.startsWith('ipset create')).length + random.int(0, 99) * 10;
    const kind = random.pick(['hash:ip', 'hash:net', 'hash:ip,port']);
    const name = `ops-${kind.replace(/\W/g, '')}-${number}`;
    if (this.sets.includes(`ipset create ${name} ${kind}`)) return '';
    if (kind === 'hash:ip,port' && this.#protocol === 'icmp') return '';
    this.sets.push(`ipset create ${name} ${kind}`);
    for (let i = random.int(1, 2); i > 0; i--) {
      const element =
        kind === 'hash:ip'
          ? this.#podIp()
          : kind === 'hash:net'
            ? random.pick(['10.244.1.0/24', '192.0.2.0/24', '10.96.0.0/16'])
            : `${this.#podIp()},tcp:8080`;
      if (!this.sets.includes(`ipset add ${name} ${element}`)) this.sets.push(`ipset add ${name} ${element}`);
    }
    const side = random.pick(['src', 'dst']);
    return `-m set ${not}--match-set ${name} ${kind === 'hash:ip,port' ? `${side},${side}` : side}`;
  }

  /** A target with a leading space, or nothing. */
  target(chain: string | null): string {
    const random = this.#random;
    const hook = chain ?? this.#hook;
    const general = [
      '-j ACCEPT',
      '-j RETURN',
      '',
      '-j MARK --set-mark 0x1',
      '-j MARK --set-xmark 0x10/0xf0',
      '-j MARK --or-mark 0x1',
      '-j MARK --and-mark 0xfffffffe',
      '-j MARK --xor-mark 0x1',
    ];
    const special = this.#specialTargets(hook);
    const target = special.length > 0 && random.chance(0.5) ? random.pick(special) : random.pick(general);
    return target === '' ? '' : ` ${target}`;
  }

  #specialTargets(hook: string): string[] {
    const tcp = this.#protocol === 'tcp';
    const ports = this.#hasPorts();
    switch (this.#table) {
      case 'raw':
        return ['-j CT --notrack', '-j DROP'];
      case 'mangle':
        return [
          '-j TTL --ttl-dec 1',
          '-j TTL --ttl-inc 1',
          '-j TTL --ttl-set 64',
          '-j TTL --ttl-set 2',
          '-j CONNMARK --save-mark',
          '-j CONNMARK --restore-mark',
          '-j CONNMARK --set-mark 0x1',
          '-j DROP',
        ];
      case 'filter':
        return [
          '-j DROP',
          '-j REJECT',
          '-j REJECT --reject-with icmp-host-prohibited',
          ...(tcp ? ['-j REJECT --reject-with tcp-reset'] : []),
          '-j LOG',
        ];
      case 'nat':
        switch (hook) {
          case 'PREROUTING':
          case 'OUTPUT':
            return [
              `-j DNAT --to-destination ${this.#podIp()}${ports ? `:${tcp ? 8080 : 5353}` : ''}`,
              ports ? `-j REDIRECT --to-ports ${tcp ? 8080 : 5353}` : '-j REDIRECT',
            ];
          case 'INPUT':
            return [`-j SNAT --to-source ${this.#podIp()}`];
          default:
            return [
              '-j MASQUERADE',
              ...(ports ? ['-j MASQUERADE --to-ports 5001'] : []),
              `-j SNAT --to-source ${this.#ownIp()}${ports && this.#random.chance(0.3) ? ':5000' : ''}`,
            ];
        }
    }
  }

  #hasPorts(): boolean {
    return this.#protocol === 'tcp' || this.#protocol === 'udp';
  }

  #podIp(): string {
    return this.#random.pick(this.#draft.scenario.pods.flatMap(({ ip }) => (ip === undefined ? [] : [ip])));
  }

  #ownIp(): string {
    return this.#draft.scenario.nodes.find(({ name }) => name === this.#node)!.ip;
  }

  #service(): ClusterDraft['services'][number] {
    return this.#random.pick(this.#draft.services);
  }

  #range(): string {
    return this.#random.pick([
      this.#podIp(),
      this.#podIp(),
      '10.244.0.0/16',
      '10.244.1.0/24',
      this.#service().clusterIP,
      '192.0.2.10',
      this.#ownIp(),
      '10.96.0.0/12',
      '0.0.0.0/1',
    ]);
  }

  #device(): string {
    const isVxlan = this.#draft.scenario.cni.backend === 'vxlan';
    return this.#random.pick([
      'cni0',
      'eth0',
      'cni+',
      'eth+',
      'lo',
      ...(isVxlan ? [`flannel.${String(this.#draft.scenario.cni.vni ?? 1)}`] : []),
    ]);
  }

  #veth(): string | null {
    const pods = this.#draft.scenario.pods.filter(({ node, ip }) => node === this.#node && ip !== undefined);
    return pods.length === 0 ? null : vethName({ namespace: 'default', name: this.#random.pick(pods).name });
  }

  #port(): number {
    return this.#random.pick([
      80,
      443,
      8080,
      53,
      5353,
      40000,
      ...this.#service().ports.flatMap(({ nodePort }) => nodePort ?? []),
    ]);
  }

  #portRange(): string {
    return this.#random.pick([String(this.#port()), String(this.#port()), ':1023', '1024:65535', '8000:9000']);
  }

  #portList(): string {
    return this.#random.pick([`${this.#port()},22`, '8080,443,8000:8100', '5353,53', '39000:41000,22']);
  }
}
