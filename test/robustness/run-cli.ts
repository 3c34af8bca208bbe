import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { run } from '../../src/cli/run.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What could act on a terminal or reorder a line; a line break and a tab may stand in any output. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\p{Cs}]/u;

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process; `stdin` is what `-` reads. */
export async function runCli(argv: readonly string[], stdin = ''): Promise<CliRun> {
  let out = '';
  let err = '';
  const code = await run(argv, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    stdoutIsTerminal: true,
    stderrIsTerminal: false,
    columns: 120,
    env: { NO_COLOR: '1', K8SNET_DEBUG: '1' },
    readStdin: async () => stdin,
    packageRoot: ROOT,
  });
  return { code, out, err };
}

/** What holds for every command line and every input: an answer or a message, nothing that acts on a terminal, no fault. */
export async function sound(argv: readonly string[], stdin = ''): Promise<CliRun> {
  const result = await runCli(argv, stdin);
  const { code, out, err } = result;
  expect([0, 1, 2], err).toContain(code);
  expect(err).not.toMatch(/internal error|\n {4}at /);
  if (code === 2) {
    expect(out).toBe('');
    expect(err.trim()).not.toBe('');
  }
  expect(UNSAFE.exec(out)?.[0]).toBeUndefined();
  expect(UNSAFE.exec(err)?.[0]).toBeUndefined();
  return result;
}

/** Two nodes, a client and a server behind a service. `node` is put into the first node, `check` into the check. */
export function cluster({ node = '', check = '', more = '' } = {}): string {
  return `
cni: flannel-vxlan
nodes:
  - { name: node-1, ip: 192.168.0.11${node} }
  - { name: node-2, ip: 192.168.0.12 }
pods:
  - { name: client, node: node-1 }
  - { name: web-1, node: node-2, labels: { app: web }, ports: [8080] }
services:
  - { name: web, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
checks:
  - { name: answers, from: pod/client, to: 'svc/web:80', ${check} expect: { verdict: connected } }
${more}`;
}

/** `--do` once for each command line. */
export function doing(commands: readonly string[]): readonly string[] {
  return commands.flatMap((command) => ['--do', command]);
}
