import { describe, expect, test } from 'vitest';
import { KernelState } from '../../../src/kernel/state.ts';
import { newEntry } from '../../../src/kernel/netfilter/conntrack/entry.ts';
import { parseMac } from '../../../src/net/mac.ts';
import { ip } from '../usecase/fixtures.ts';

const MAC = parseMac('0a:58:0a:f4:00:02')!;

function used(): KernelState {
  const state = new KernelState();
  const tuple = { protocol: 'udp', src: ip('10.0.0.1'), dst: ip('10.0.0.2'), sport: 1, dport: 2 };
  const entry = newEntry(tuple, { ...tuple, src: tuple.dst, dst: tuple.src, sport: 2, dport: 1 });
  entry.expires = 1000;
  state.host('a').conntrack.insert(entry, 0);
  state.host('b').learn('eth0', ip('10.0.0.1'), MAC);
  state.host('b').learn('eth0', ip('10.0.0.11'), MAC);
  return state;
}

describe('KernelState', () => {
  test('forgets a namespace, and what others knew of its addresses', () => {
    const state = used().fork();
    state.forget('a', [ip('10.0.0.1')]);
    expect(state.host('a').conntrack.entries()).toEqual([]);
    expect(state.host('b').neighbour('eth0', ip('10.0.0.1'))).toBeUndefined();
    expect(state.host('b').neighbour('eth0', ip('10.0.0.11'))).toBe(MAC);
  });

  test('of which a fork was made keeps it', () => {
    const state = used();
    state.fork().forget('a', [ip('10.0.0.1')]);
    expect(state.host('a').conntrack.entries()).toHaveLength(1);
    expect(state.host('b').neighbour('eth0', ip('10.0.0.1'))).toBe(MAC);
  });

  test('knows the hosts of its ancestors too', () => {
    const fork = used().fork();
    fork.host('c');
    expect([...fork.known()].sort()).toEqual(['a', 'b', 'c']);
  });
});
