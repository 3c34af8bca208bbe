import { describe, expect, test } from 'vitest';
import { formatIp } from '../../src/net/ip.ts';
import { runCommand } from '../../src/kernel/operator/run.ts';
import { formatRoute, formatTable } from '../../src/kernel/routing/format.ts';
import { cannotRun, runInNamespace } from '../support/netns.ts';
import { testHost } from '../unit/kernel/operator/host-fixture.ts';
import { Random } from './fuzz/random.ts';
import type { Host } from '../../src/kernel/host.ts';

// Random command lines on the real kernel and on ours: both take or refuse each, with the same words, and are left with the same state.
const reason = cannotRun(['ip', 'sysctl']);
const SEQUENCES = Number(process.env.REAL_IP ?? 10);
const LENGTH = 14;

/** The devices of `testHost`, but for the tunnel; p0 and p1 are the far ends, without addresses. */
const SETUP = `
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
sysctl -qw net.ipv4.conf.all.promote_secondaries=0 net.ipv4.conf.default.promote_secondaries=0
ip link set lo up
ip link add eth0 type veth peer name p0; ip link add veth0 type veth peer name p1; ip link add br7 type bridge
ip link set p0 up; ip link set p1 up
ip addr add 172.18.0.2/16 brd + dev eth0; ip link set eth0 up
ip link set veth0 master br7; ip link set veth0 up; ip link set br7 up
`;

function command(random: Random): string {
  const pick = (...items: string[]): string => random.pick(items);
  const dst = () => pick('10.1.0.0/16', '10.1.0.0/24', '10.1.2.0/24', 'default', '172.18.5.0/24', '10.9.9.9', '10.1.0.1/24');
  const dev = () => pick('eth0', 'eth0', 'eth0', 'br7', 'br7', 'lo', 'veth0', 'nosuch');
  const gateway = () => pick('172.18.0.3', '172.18.0.3', '172.18.0.4', '172.18.0.2', '10.1.0.1', '10.7.0.2');
  const source = () => pick('', '', '', ' src 172.18.0.2', ' src 10.7.0.1', ' src 172.18.0.77');
  const option = () =>
    pick('', '', '', ' metric 5', ' metric 7', ' tos 0x10', ' scope link', ' proto static', ' mtu 1400', ' table 100');
  const address = () =>
    pick('172.18.0.77/16', '172.18.0.78/24', '10.7.0.1/24', '10.7.0.3/24', '10.8.8.8/32', '172.18.0.2/16', '10.9.9.9');
  const selector = () =>
    pick('from 10.1.0.0/16', 'to 172.18.0.3', 'fwmark 0x1/0xff', 'fwmark 1', 'iif eth0', 'not from 10.0.0.0/8');
  switch (random.int(0, 9)) {
    case 0:
    case 1:
    case 2: {
      const verb = pick('add', 'add', 'replace', 'append', 'prepend', 'change');
      return `ip route ${verb} ${dst()} via ${gateway()}${pick('', '', ` dev ${dev()}`)}${source()}${option()}`;
    }
    case 3:
      return `ip route ${pick('add', 'replace', 'append')} ${dst()} dev ${dev()}${source()}${option()}`;
    case 4:
      return `ip route ${pick('add', 'replace')} ${pick('unreachable', 'blackhole', 'prohibit', 'throw')} ${dst()}${pick('', ' metric 5', ' dev lo')}`;
    case 5:
      return `ip route del ${pick('', '', 'unreachable ')}${dst()}${pick('', '', ` via ${gateway()}`, ` dev ${dev()}`)}`;
    case 6:
      return `ip addr ${pick('add', 'add', 'add', 'replace', 'del')} ${address()} dev ${dev()}`;
    case 7:
      return `ip link set ${dev()} ${pick('up', 'down', 'up')}`;
    case 8:
      return `ip rule ${pick('add', 'add', 'del')} ${selector()} ${pick('lookup 100', 'table 7', 'prohibit')}${pick('', ' pref 50')}`;
    default:
      return pick(
        'ip addr flush dev br7',
        'ip route flush dev eth0',
        'ip route flush proto static',
        'ip rule del pref 50',
        'ip route flush root 10.1.0.0/16',
      );
  }
}

const STATE = `
echo "=main"; ip -4 -o route show; echo "=local"; ip -4 -o route show table local; echo "=100"; ip -4 -o route show table 100 2>/dev/null
echo "=rules"; ip -4 rule | cut -d: -f1; echo "=addresses"; ip -4 -o addr | sort
`;

interface Step {
  readonly line: string;
  readonly answer: string;
  readonly state: string;
}

function realSteps(lines: readonly string[]): Step[] {
  const script = lines.map((line) => `echo "#"; ${line} 2>&1 >/dev/null; echo "?$?"; ${STATE}`).join('\n');
  const blocks = runInNamespace(`${SETUP}\n${script}`).split('#\n').slice(1);
  return blocks.map((block, index) => {
    const [answer = '', state = ''] = block.split(/\?\d+\n/);
    const said = answer.split('\n').filter((text) => text !== '' && !/^(Warning| {9})/.test(text));
    return { line: lines[index] ?? '', answer: said.join('\n'), state: tidy(state) };
  });
}

function ourSteps(lines: readonly string[]): Step[] {
  let host = testHost();
  return lines.map((line) => {
    const result = runCommand(host, line);
    if (result.ok) host = result.host;
    return { line, answer: result.ok ? '' : result.message.trim(), state: tidy(stateOf(host)) };
  });
}

function stateOf(host: Host): string {
  const table = (id: number): string[] => [
    `=${formatTable(id)}`,
    ...[...(host.routing.tables.get(id)?.routes() ?? [])].map(formatRoute),
  ];
  const rules = host.routing.rules.filter(({ family }) => family === 4).map(({ priority }) => String(priority));
  const addresses = [...host.devices.values()].flatMap(({ name, addresses: own }) =>
    own.map(({ address, prefix, broadcast, scope, secondary }) => {
      const brd = broadcast === null ? '' : ` brd ${formatIp(broadcast)}`;
      return `${name} inet ${formatIp(address)}/${prefix.length}${brd} scope ${scope}${secondary ? ' secondary' : ''}`;
    }),
  );
  return [...table(254), ...table(255), ...table(100), '=rules', ...rules, '=addresses', ...addresses].join('\n');
}

/** What both sides print alike; carrier is no part of our state. */
function tidy(state: string): string {
  const [routing = '', addresses = ''] = state.split('=addresses\n');
  const lines = routing.split('\n').map((line) => line.replace(/ linkdown/g, '').trim());
  const own = addresses.split('\n').map((line) =>
    line
      .replace(/^\d+: /, '')
      .replace(/ +/g, ' ')
      .replace(/ \S+\\.*$/, '')
      .trim(),
  );
  return [...lines, ...own.sort()].filter((line) => line !== '').join('\n');
}

describe.skipIf(reason !== null)(`the real ip${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
  test.each(Array.from({ length: SEQUENCES }, (_, seed) => seed))('random commands, seed %i', { timeout: 60_000 }, (seed) => {
    const random = new Random(seed);
    const lines = Array.from({ length: LENGTH }, () => command(random));
    expect(ourSteps(lines)).toEqual(realSteps(lines));
  });
});
