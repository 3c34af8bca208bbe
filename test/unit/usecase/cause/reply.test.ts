import { describe, expect, test } from 'vitest';
import type { KernelEvent } from '../../../../src/trace/event.ts';
import type { ConnectionPart, ConnectionResult } from '../../../../src/kernel/walk/connection.ts';
import { findCause } from '../../../../src/usecase/cause/find-cause.ts';
import type { Evidence } from '../../../../src/usecase/cause/evidence.ts';
import { planConnection } from '../../../../src/usecase/plan.ts';
import { cluster, emptyWorld, probe, result } from '../fixtures.ts';
import { BASE, outcome } from './lab.ts';
import { dnat, drop, packet, policy, route, rx } from '../events.ts';

type Lost = readonly [part: Exclude<ConnectionPart, 'other'>, events: readonly KernelEvent[]];

/** Evidence of a timed-out connection whose parts are given; the last event of the named part is its loss. */
function evidence([part, events]: Lost, more: Partial<ConnectionResult> = {}, to = 'svc/web'): Evidence {
  const plan = planConnection(cluster(), probe('pod/client', to), { namespace: 'default', defaultSourcePort: 40000 });
  if (!plan.ok) throw new Error(plan.message);
  const last = events.at(-1)!;
  const reason = last.kind === 'drop' ? last.reason : '';
  const losses = [{ part, event: events.length - 1, host: last.host, reason }];
  const { source, destination, request } = plan.value;
  const lost = { ...result({ verdict: 'timeout', server: null, losses, ...more }), [part]: events };
  return { cluster: cluster(), world: emptyWorld, healthy: () => null, source, destination, request, result: lost };
}

const answer = { packet: packet('tcp 10.244.0.3:8080 > 10.244.0.2:40000') };
const translated = { request: [dnat('node/node-1', '10.96.0.20', '10.244.0.3')] };
const unknownAnswer = drop('pod/default/client', 'NO_SOCKET', 'tcp_v4_rcv', answer);

describe('findCause of answers that go wrong', () => {
  test('the answer takes another way than the request', () => {
    const cause = findCause(evidence(['reply', [rx('node/node-2', 'cni0'), unknownAnswer]], translated));
    expect(cause).toMatchObject({
      code: 'reply-not-translated',
      remedy: ['iptables -t nat -A POSTROUTING -d 10.244.0.3/32 -j MASQUERADE  # on node/node-1'],
      at: { leg: 0, part: 'reply', event: 1 },
    });
    expect(cause!.text).toContain('does not come back through node/node-1');
  });

  test('the node that translated does not know the answer', () => {
    const events = [rx('node/node-1', 'cni0'), route('node/node-1', '10.244.0.0/24 dev cni0', 'cni0'), unknownAnswer];
    expect(findCause(evidence(['reply', events], translated))!.text).toContain('node/node-1 did not take it for an answer');
  });

  test('a source that was changed on the way', () => {
    const cause = findCause(evidence(['reply', [unknownAnswer]], {}, 'pod/web-1:8080'));
    expect(cause).toMatchObject({ code: 'reply-not-translated' });
  });

  test('no route back', () => {
    const lost = drop('underlay', 'IP_INNOROUTES', 'ip_error', answer);
    expect(findCause(evidence(['reply', [lost]]))).toMatchObject({
      code: 'no-route-back',
      text: "underlay has no route back to 10.244.0.2: pods' addresses are known to the nodes only, and nobody masqueraded the client on its way out",
    });
  });

  test('the overlay drops the answer', () => {
    const outer = { outer: true as const, packet: packet('udp 192.168.0.12:50000 > 192.168.0.11:8472') };
    const events = [policy('node/node-1', 'INPUT', outer), drop('node/node-1', 'NETFILTER_DROP', 'nft_do_chain', outer)];
    expect(findCause(evidence(['reply', events]))).toMatchObject({
      code: 'tunnel-blocked',
      remedy: ['iptables -t filter -I INPUT -p udp --dport 8472 -j ACCEPT  # on node/node-1'],
      at: { part: 'reply', event: 0 },
    });
  });

  test('rules and policies of nftables are mended with nft', () => {
    const nft = { family: 'inet', table: 'firewall', chain: 'forward' };
    const lost = drop('node/node-1', 'NETFILTER_DROP', 'nft_do_chain', answer);
    const byPolicy = findCause(evidence(['reply', [{ ...policy('node/node-1', 'FORWARD'), ...nft }, lost]]));
    expect(byPolicy).toMatchObject({
      code: 'policy-drop',
      remedy: ["nft chain inet firewall forward '{ policy accept; }'  # on node/node-1"],
    });
    const rule: KernelEvent = {
      kind: 'rule',
      host: 'node/node-1',
      hook: 'FORWARD',
      ...nft,
      rule: 2,
      text: 'tcp dport 80 reject with tcp reset',
      verdict: 'drop',
      passedOver: 1,
    };
    expect(findCause(evidence(['reply', [rule, lost]]))).toMatchObject({
      code: 'rule-reject',
      remedy: ['nft -a list chain inet firewall forward; nft delete rule inet firewall forward handle HANDLE  # on node/node-1'],
    });
  });

  test('a rule that only logs leaves no verdict open', () => {
    const dump = '-A FORWARD -m geoip --source-country DE -j LOG';
    const text = BASE.replace('podCIDR: 10.244.1.0/24 }', 'podCIDR: 10.244.1.0/24, iptablesSave: node-1.save }');
    expect(outcome(text, 'pod/client', 'pod/web-2:8080', [], {}, dump)).toMatchObject({ verdict: 'connected', cause: null });
  });

  test('a client whose ACK is lost is connected in vain', () => {
    const lost = [policy('node/node-1', 'FORWARD'), drop('node/node-1', 'NETFILTER_DROP', 'nft_do_chain', answer)];
    expect(findCause(evidence(['ack', lost], { verdict: 'connected' }))).toMatchObject({
      code: 'policy-drop',
      at: { part: 'ack' },
    });
  });

  test('a frame larger than a bridge port takes vanishes', () => {
    const big = {
      device: 'veth1',
      detail: { mtu: '1400' },
      packet: packet('tcp 10.244.0.3:8080 > 10.244.0.2:40000', { length: 1450 }),
    };
    const lost = drop('node/node-1', 'PKT_TOO_BIG', 'br_dev_queue_push_xmit', big);
    const cause = findCause(evidence(['reply', [lost]]));
    expect(cause).toMatchObject({ code: 'mtu-exceeded', remedy: ['ip link set dev veth1 mtu 1450  # on node/node-1'] });
  });

  test('a packet that loops', () => {
    const events = [
      route('node/node-1', 'a'),
      route('node/node-2', 'b'),
      route('node/node-1', 'a'),
      drop('node/node-1', 'IP_INHDR', 'ip_forward', answer),
    ];
    expect(findCause(evidence(['request', events], {}, 'pod/web-2:8080'))!.text).toContain('goes round between node/node-1');
  });

  test('nothing is wrong with what is connected', () => {
    expect(findCause(evidence(['request', [unknownAnswer]], { verdict: 'connected', server: 'pod/default/web-1' }))).toBeNull();
  });
});
