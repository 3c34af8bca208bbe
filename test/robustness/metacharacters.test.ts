import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cluster, sound } from './run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'k8snet-names-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Colours, a bell, C1, reordering, line breaks, HTML, Markdown, XML, Mermaid, a GitHub command, a shell's words. */
const EVIL =
  '\u001b[31mRED\u0007\u009b2J\u202e\u2028<b>&"\'`|#;%%{init: {}}%%::error file=x::pwn\r\n::set-output name=a::b]]>$(touch x)\ud800';
/** What of it a name may hold. */
const NAME = `n<b>&"'\`|#;%%{init}%%$(x)]]>😀`;

const AT: readonly (readonly [place: string, text: string])[] = [
  ['a check', cluster().replace('name: answers', `name: ${JSON.stringify(EVIL)}`)],
  ['from', cluster().replace('from: pod/client', `from: ${JSON.stringify(EVIL)}`)],
  ['to', cluster().replace("'svc/web:80'", JSON.stringify(EVIL))],
  ['an expected server', cluster().replace('expect: {', `expect: { server: ${JSON.stringify(EVIL)},`)],
  ['a key', `${cluster()}${JSON.stringify(EVIL)}: 1\n`],
  [
    'a pod',
    cluster()
      .replace('name: client', `name: ${JSON.stringify(NAME)}`)
      .replace('pod/client', JSON.stringify(`pod/${NAME}`)),
  ],
  ['a node', cluster().replaceAll('node-1', JSON.stringify(NAME))],
  [
    'a service',
    cluster()
      .replace('name: web,', `name: ${JSON.stringify(NAME)},`)
      .replace("'svc/web:80'", JSON.stringify(`svc/${NAME}:80`)),
  ],
  ['an invisible pod', cluster().replace('name: client', 'name: "cl\\u200bient"')],
];

describe.each(AT)('metacharacters in the name of %s', (_, text) => {
  test('reach no terminal', async () => {
    await sound(['trace', '-'], text);
    await sound(['trace', '-', '--detail', 'rules'], text);
    await sound(['check', '-'], text);
    await sound(['lab', 'script', '-'], text);
    await sound(['rules', '-', '--node', 'node-2'], text);
  });

  test('stay inside one JSON document', async () => {
    for (const command of ['trace', 'check']) {
      const { code, out } = await sound([command, '-', '-o', 'json'], text);
      if (code !== 2) expect(() => JSON.parse(out) as unknown).not.toThrow();
    }
  });

  test('stay inside JUnit’s attributes and texts', async () => {
    const { out } = await sound(['check', '-', '-o', 'junit'], text);
    const outside = out
      .replace(/<\?xml [^<>]*\?>/g, '')
      .replace(/<\/?[a-z]+(?: [a-z]+="[^"<>&]*(?:&(?:amp|lt|gt|quot|apos);[^"<>&]*)*")*\/?>/g, '');
    expect(outside).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|apos);)/);
  });

  test('stay inside one annotation of GitHub', async () => {
    const { code, out } = await sound(['check', '-', '-o', 'github'], text);
    if (code === 2) return;
    for (const line of out.trimEnd().split('\n'))
      expect(line).toMatch(/^::error (?:[a-z]+=[^:,]*,?)+::|^\d+ passed, \d+ failed$/);
  });

  test('stay inside Mermaid’s labels', async () => {
    const { code, out } = await sound(['trace', '-', '-o', 'mermaid'], text);
    if (code === 2) return;
    expect(out).not.toContain('%%');
    const labels = out.replace(/#(?:\d+|[a-z]+);/g, '').replace(/-?->>/g, '');
    expect(labels).not.toMatch(/[#;<>&]/);
  });
});

describe('metacharacters in a dump', () => {
  const file = join(folder, 'dump');
  const comment = EVIL.replace(/[\r\n"]/g, '');
  writeFileSync(file, `*filter\n:E\u001b[31mVIL - [0:0]\n-A FORWARD -m comment --comment "${comment}" -j DROP\nCOMMIT\n`);
  const text = cluster({ node: `, iptablesSave: ${JSON.stringify(file)}`, check: '' });

  test.each([
    ['trace', '-'],
    ['trace', '-', '--detail', 'rules'],
    ['trace', '-', '-o', 'json'],
    ['trace', '-', '-o', 'mermaid'],
    ['check', '-'],
    ['check', '-', '-o', 'junit'],
    ['check', '-', '-o', 'github'],
    ['rules', '-', '--node', 'node-1', '--diff', file],
    ['rules', '-', '--node', 'node-1', '--diff', file, '-o', 'json'],
    ['explain', 'E\u001b[31mVIL', '-'],
  ])('%s %s %s %s', async (...argv) => {
    await sound(argv, text);
  });
});

describe('metacharacters on the command line', () => {
  test.each([
    ['trace', '-', '--from', EVIL, '--to', EVIL],
    ['trace', '-', '--do', EVIL],
    ['trace', '-', '--do', `node-1: ${EVIL}`],
    ['trace', '-', '--do', `node-1: iptables -A FORWARD -m comment --comment '${EVIL}' -j ${EVIL}`],
    ['trace', '-', '--backend', EVIL],
    ['trace', '-', '--check', EVIL],
    ['trace', '-', '-n', EVIL],
    ['trace', '-', '--proto', EVIL],
    ['trace', `--${EVIL}`],
    ['trace', EVIL],
    ['rules', '-', '--node', EVIL],
    ['rules', '-', '--node', 'node-1', '--diff', EVIL],
    ['explain', EVIL, '-'],
    ['check', '-', '-f', EVIL],
    ['check', '-', '--output-file', EVIL],
    ['check', '-', '--output-file', `text=${EVIL}/x`],
    ['check', '-', '--output-file', 'text=a\0b'],
    ['lab', EVIL],
    [EVIL],
    ['help', EVIL],
  ])('%s %s %s %s', async (...argv) => {
    await sound(argv, cluster());
  });
});
