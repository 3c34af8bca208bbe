import { describe, expect, test } from 'vitest';
import { traceMermaid } from '../../../src/render/mermaid.ts';
import { traceText } from '../../../src/render/text/trace.ts';
import type { TraceEvent } from '../../../src/trace/event.ts';
import type { DetailLevel, Trace } from '../../../src/trace/trace.ts';
import { ascii, coloured, plain } from './plain-style.ts';
import { connects, delivered, dropped, outcome, rule, toEndpoint, trace } from './trace-builder.ts';

const ONE = trace([outcome({ request: [connects, ...toEndpoint(2, '10.0.0.3'), delivered('pod/default/web-1', '10.0.0.3')] })]);

function branch(number: number, probability: number) {
  const name = `pod/default/web-${number}`;
  const address = `10.0.0.${number + 2}`;
  return outcome({ probability, server: name, request: [connects, ...toEndpoint(number, address), delivered(name, address)] });
}

function lines(value: Trace, detail: DetailLevel = 'hops', style = plain): readonly string[] {
  return traceText(value, { detail, describe: () => 'what it is for' }, style)
    .trimEnd()
    .split('\n');
}

function shown(value: Trace, detail?: DetailLevel): string {
  return lines(value, detail).join('\n');
}

describe('hops', () => {
  test('the packet first, the verdict last', () => {
    const text = lines(ONE);
    expect(text[0]).toBe(
      'TCP  pod/default/client 10.0.0.2:40000 → svc/default/web:80 10.96.0.20:80    flannel vxlan · kube-proxy iptables',
    );
    expect(text.slice(-4)).toEqual([
      'CONNECTED  pod/web-1 answered. It saw the client itself, 10.0.0.2.',
      '  rule         node-1, nat KUBE-SEP-2 #2: 10.96.0.20:80 ⇒ 10.0.0.3:8080',
      '               -A KUBE-SEP-2 -j DNAT --to-destination 10.0.0.3:8080',
      '  reply        SYN-ACK from pod/web-1 reaches pod/client',
    ]);
  });

  test('only the rules that led to a decision, the rewrite on the line of its rule', () => {
    expect(shown(ONE)).toContain(
      [
        'L2 node-1      PREROUTING  nat KUBE-SERVICES #4 → KUBE-SVC-A   default/web cluster IP',
        '                           nat KUBE-SVC-A #2    → KUBE-SEP-2   default/web -> 10.0.0.3:8080',
        '                           nat KUBE-SEP-2 #2    DNAT 10.96.0.20:80 ⇒ 10.0.0.3:8080',
        '               FORWARD     filter FORWARD #2 ACCEPT',
      ].join('\n'),
    );
  });

  test('a drop by a rule is told once', () => {
    const text = shown(
      trace([
        outcome({
          verdict: 'timeout',
          server: null,
          source: null,
          request: [connects, rule('FORWARD', 'filter', 'A', 3, '-j DROP', 'drop'), dropped('NETFILTER_DROP')],
        }),
      ]),
    );
    expect(text).toContain('filter A #3 DROP');
    expect(text).not.toContain('NETFILTER_DROP');
  });

  test('so it is in the summary', () => {
    const request = [connects, rule('FORWARD', 'filter', 'A', 3, '-j DROP', 'drop'), dropped('NETFILTER_DROP')];
    const text = shown(trace([outcome({ verdict: 'timeout', server: null, source: null, request })]), 'summary');
    expect(text).toContain('filter A #3 DROP');
    expect(text).not.toContain('NETFILTER_DROP');
  });

  test('a tunnel without a route does not name the inner address', () => {
    const lost = {
      ...connects,
      kind: 'route',
      purpose: 'tunnel',
      entry: null,
      table: 'main',
      via: null,
      dev: null,
      source: null,
    } as const;
    const text = shown(trace([outcome({ verdict: 'timeout', server: null, source: null, request: [connects, lost] })]));
    expect(text).toContain("no route to the tunnel's other end");
  });

  test('a drop by the kernel itself gives its reason', () => {
    expect(
      shown(trace([outcome({ verdict: 'timeout', server: null, source: null, request: [connects, dropped('IP_INHDR')] })])),
    ).toContain('DROPPED  IP_INHDR   its time to live is used up · nf_hook_slow');
  });

  test('an unknown rule is always shown', () => {
    const unknown = { ...rule('FORWARD', 'filter', 'FORWARD', 1, '-m magic -j ACCEPT', 'continue'), unknown: 'module magic' };
    expect(shown(trace([outcome({ request: [connects, unknown] })]))).toContain('not understood by k8snet: module magic');
  });
});

describe('branches', () => {
  test('what all share is told once', () => {
    const text = shown(trace([branch(1, 0.5), outcome({ ...branch(2, 0.5), verdict: 'refused' })]));
    expect(text.match(/KUBE-SERVICES #4/g)).toHaveLength(1);
    expect(text).toContain('── 50 % to pod/web-1 ──');
    expect(text).toContain('── 50 % to pod/web-2 ──');
    expect(text).toContain('CONNECTED 50 % of the time');
    expect(text).toContain('CONNECTION REFUSED 50 % of the time');
  });

  test('ways that look the same are told once and named', () => {
    const text = shown(trace([1, 2, 3, 4].map((number) => branch(number, 0.25))));
    expect(text.match(/── 25 % to/g)).toHaveLength(1);
    expect(text).toContain('in the same way: pod/web-2 (25 %), pod/web-3 (25 %), pod/web-4 (25 %)');
    expect(text).toContain('pod/web-1 (25 %), pod/web-2 (25 %), pod/web-3 (25 %) or pod/web-4 (25 %) answers.');
  });
});

test('rules: every rule as iptables-save prints it, with its sentence', () => {
  expect(shown(ONE, 'rules')).toContain(
    [
      'nat #4 -A KUBE-SERVICES -d 10.96.0.20/32 -m comment --comment "default/web cluster IP" -j KUBE-SVC-A',
      '                           ↳ what it is for · 3 passed over before it',
    ].join('\n'),
  );
});

test('summary: rewrites and delivery only', () => {
  const text = shown(ONE, 'summary');
  expect(text).toContain('destination 10.96.0.20:80 ⇒ 10.0.0.3:8080');
  expect(text.split('CONNECTED')[0]).not.toContain('KUBE-');
});

describe('packets behind the answer', () => {
  const device = (kind: 'rx' | 'tx', name: string): TraceEvent => ({ host: 'node/node-1', layer: 'L1', kind, device: name });
  const tracked = (state: 'ESTABLISHED' | 'UNTRACKED'): TraceEvent => ({
    host: 'node/node-1',
    layer: 'L1',
    kind: 'conntrack',
    hook: 'PREROUTING',
    state,
    direction: null,
    entry: null,
  });
  const request = [connects, device('rx', 'veth1'), device('tx', 'eth0')];

  test.each([
    ['the known way', [device('rx', 'veth1'), tracked('ESTABLISHED'), device('tx', 'eth0')], 'conntrack knows the connection'],
    ['without conntrack', [device('rx', 'veth1'), tracked('UNTRACKED'), device('tx', 'eth0')], /the same way$/m],
    ['another way', [device('rx', 'veth1'), tracked('ESTABLISHED'), device('tx', 'eth1')], /▼ ack$/m],
  ])('%s', (_what, ack, says) => {
    const text = shown(trace([outcome({ request, ack })]));
    expect(text).toMatch(says);
    if (ack.some((event) => event.kind === 'tx' && event.device === 'eth1')) expect(text).not.toContain('the same way;');
  });
});

describe('the verdict', () => {
  const failed = outcome({
    verdict: 'timeout',
    server: null,
    source: null,
    request: [connects, rule('FORWARD', 'filter', 'FORWARD', 7, '-j DROP', 'drop'), dropped('NETFILTER_DROP')],
    cause: {
      code: 'rule-drop',
      text: 'a rule dropped it',
      remedy: ['iptables -D FORWARD 7'],
      at: { leg: 0, part: 'request', event: 2 },
      whyNot: 'rule 8 would have let it through',
    },
  });

  test('a request that was not followed further has arrived', () => {
    const arrived = outcome({ request: [connects, delivered('pod/default/web-1', '10.0.0.3')], reply: [] });
    expect(shown(trace([arrived]))).toContain('ARRIVED  at pod/web-1; the answer is not followed.');
  });

  test('a connection that no server gets is connected in vain', () => {
    const vain = outcome({
      request: [connects],
      server: null,
      source: null,
      reply: branch(1, 1).reply,
      ack: [dropped('NETFILTER_DROP')],
    });
    expect(shown(trace([vain])).replace(/\s+/g, ' ')).toContain(
      'CONNECTED pod/web-1 answered, but the next packet is lost: no server ever gets the connection.',
    );
  });

  test('a handshake that passes, and data that does not', () => {
    const big = outcome({ verdict: 'timeout', request: [connects], data: [dropped('PKT_TOO_BIG')] });
    expect(shown(trace([big]))).toContain('TIMED OUT  The handshake with pod/web-1 passes, the data does not.');
  });

  test('names cause, place, rule and remedy', () => {
    expect(lines(trace([failed])).slice(-8)).toEqual([
      'TIMED OUT  Nobody answered.',
      '  cause        a rule dropped it (rule-drop)',
      '  where        node-1, on the way there, FORWARD',
      '  rule         node-1, filter FORWARD #7',
      '               -A FORWARD -j DROP',
      '  why not      rule 8 would have let it through',
      '  remedy       iptables -D FORWARD 7',
      '  reply        none: the request did not arrive',
    ]);
  });

  test('says what was assumed, what is not modelled and what was sampled', () => {
    const text = shown(
      trace([failed], {
        assumptions: ['flannel, since nothing is said'],
        notModelled: ['NetworkPolicy shop/deny'],
        sampled: true,
      }),
    );
    expect(text).toContain('  assumed      flannel, since nothing is said');
    expect(text).toContain('  not modelled NetworkPolicy shop/deny');
    expect(text).toContain('  sampled ');
  });

  test('tells when the server saw somebody else, and which rule did that', () => {
    expect(shown(trace([outcome({ source: '192.168.0.11' })]))).toContain(
      "It saw 192.168.0.11 instead of the client's 10.0.0.2.",
    );
  });

  test('prose keeps to the width', () => {
    const text = lines(trace([outcome({ ...failed, cause: { ...failed.cause!, text: 'word '.repeat(60).trim() } })]), 'hops', {
      ...plain,
      width: 60,
    });
    for (const line of text.filter((l) => l.includes('word'))) expect(line.length).toBeLessThanOrEqual(60);
  });
});

describe('hostile names', () => {
  const nasty = trace(
    [outcome({ server: 'pod/default/a\u001b[2J\nFAKE', request: [{ ...connects, owner: 'pod/x/\u009b31m' }] })],
    { from: 'pod/\u202eevil' },
  );

  test.each(['summary', 'hops', 'rules'] as const)('%s', (detail) => {
    const text = shown(nasty, detail);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).not.toMatch(/^FAKE/m);
  });

  test('a diagram', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(traceMermaid(nasty)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

test('ASCII only where asked for', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII
  expect(lines(ONE, 'hops', ascii).join('\n')).not.toMatch(/[^\x00-\x7f]/);
});

test('colour changes nothing but colour', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
  const stripped = lines(ONE, 'hops', coloured).map((line) => line.replace(/\u001b\[\d+m/g, ''));
  expect(stripped).toEqual(lines(ONE));
});

test('Mermaid: hosts, a branch each, notes', () => {
  expect(traceMermaid(trace([branch(1, 0.5), branch(2, 0.5)]))).toMatch(
    /^sequenceDiagram\n {2}accTitle: pod\/client to svc\/default\/web:80\n {2}participant h0 as pod\/client\n.*\n {2}alt 50 % pod\/web-1\n.*\n {2}else 50 % pod\/web-2\n.*\n {2}end\n$/s,
  );
});
