import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LAB_OBSTACLE, ROOT, WHY_SKIPPED, namespaces } from '../support/kernel-lab.ts';

const EXECUTABLE = join(ROOT, 'bin/k8snet.js');
const SCENARIO = `
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods:
  - { name: cleanup-client, node: node-1 }
  - { name: cleanup-web, node: node-2, ports: [8080] }
checks:
  - { name: answers, from: pod/cleanup-client, to: 'pod/cleanup-web:8080', expect: { verdict: connected } }
`;

function k8snet(...args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  return spawnSync(process.execPath, [EXECUTABLE, ...args], { encoding: 'utf8' });
}

/** What the labs of the files in a folder have left: namespaces, links outside of them, processes. Other labs may be up at the same time. */
function traces(prefixes: readonly string[]): {
  readonly namespaces: readonly string[];
  readonly links: string;
  readonly processes: readonly string[];
} {
  const links = spawnSync('ip', ['-o', 'link'], { encoding: 'utf8' }).stdout.replace(/^(\d+: [^:]+:).*$/gm, '$1');
  const all = spawnSync('ps', ['-e', '-o', 'args='], { encoding: 'utf8' }).stdout.split('\n');
  const ours = (text: string): boolean => prefixes.some((prefix) => text.includes(prefix));
  return {
    namespaces: namespaces().filter(ours),
    links,
    processes: all.filter((line) => ours(line) || line.includes('pod/default/cleanup-web')),
  };
}

/** Waits until a condition holds; the test's own time limit ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.skipIf(LAB_OBSTACLE !== null)(`labs leave nothing behind${WHY_SKIPPED}`, () => {
  let folder = '';
  let file = '';
  const prefixes: string[] = [];
  const now = () => traces(prefixes);
  let before = now();
  const built = (part = ''): readonly string[] => now().namespaces.filter((name) => name.includes(part));
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    // A lab is named after the path of its file; the script says the name.
    prefixes.push(/k8snet-[0-9a-f]{6}/.exec(k8snet('lab', 'script', path).stdout)?.[0] ?? '');
    return path;
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'k8snet-cleanup-'));
    file = write('cluster.yaml', SCENARIO);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    before = now();
    expect(before).toMatchObject({ namespaces: [], processes: [] });
  });
  afterEach(() => void k8snet('lab', 'down', file));

  test('verify', () => {
    expect(k8snet('lab', 'verify', file)).toMatchObject({ status: 0 });
    expect(now()).toEqual(before);
  });

  test('up and down: servers answer in between', () => {
    expect(k8snet('lab', 'up', file)).toMatchObject({ status: 0 });
    const client = built('-pod-default-cleanup-client')[0] ?? '';
    expect(built()).toHaveLength(5);
    expect(now().links).toBe(before.links);
    const read = `let s; const go = () => { s = require('net').connect(8080, '10.244.1.2', () => s.write('\\n')); s.on('data', (d) => { console.log(String(d)); process.exit(); }); s.on('error', () => setImmediate(go)); }; go();`;
    const answer = spawnSync('ip', ['netns', 'exec', client, process.execPath, '-e', read], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(answer.stdout).toContain('pod/default/cleanup-web sees 10.244.0.2');
    expect(k8snet('lab', 'up', file)).toMatchObject({ status: 2 });
    expect(k8snet('lab', 'down', file)).toMatchObject({ status: 0, stdout: '5 namespaces removed\n' });
    expect(now()).toEqual(before);
  });

  test('up that fails half-way', () => {
    // flannel.1 would get an MTU of 50, which the kernel refuses.
    const broken = write('broken.yaml', SCENARIO.replace('name: node-2,', 'name: node-2, mtu: 100,'));
    const run = k8snet('lab', 'up', broken);
    expect(run.status).toBe(2);
    expect(run.stderr).toContain('the lab could not be built');
    expect(now()).toEqual(before);
  });

  test('verify that is killed, then down', async () => {
    const child = spawn(process.execPath, [EXECUTABLE, 'lab', 'verify', file], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await until(() => built('-pod-default-cleanup-web').length > 0);
    child.kill('SIGKILL');
    await ended;
    k8snet('lab', 'down', file);
    expect(now()).toEqual(before);
  });

  test('verify that is asked to end', async () => {
    const child = spawn(process.execPath, [EXECUTABLE, 'lab', 'verify', file], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await until(() => built('-pod-default-cleanup-web').length > 0);
    child.kill('SIGTERM');
    await ended;
    expect(now()).toEqual(before);
  });

  test('down of one lab leaves others and foreign namespaces alone', () => {
    const other = write('other.yaml', SCENARIO);
    const foreign = `k8snet-foreign${process.pid}`;
    spawnSync('ip', ['netns', 'add', foreign]);
    try {
      expect(k8snet('lab', 'up', file)).toMatchObject({ status: 0 });
      expect(k8snet('lab', 'up', other)).toMatchObject({ status: 0 });
      k8snet('lab', 'down', file);
      expect(built()).toHaveLength(5);
      expect(namespaces()).toContain(foreign);
    } finally {
      k8snet('lab', 'down', other);
      spawnSync('ip', ['netns', 'del', foreign]);
    }
    expect(now()).toEqual(before);
  });
});
