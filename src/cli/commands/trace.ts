import { Option } from 'commander';
import { jsonParts } from '../../render/json.ts';
import { traceMermaid } from '../../render/mermaid.ts';
import { comparisonText } from '../../render/text/comparison.ts';
import { traceListText, traceText } from '../../render/text/trace.ts';
import { compareModes } from '../../usecase/compare-modes.ts';
import { engine } from '../../usecase/engine.ts';
import { describeRule } from '../../usecase/explain-name.ts';
import { allChecks } from '../../usecase/find-check.ts';
import { traceConnection, traceRepeated } from '../../usecase/trace.ts';
import { InputError, UsageError } from '../errors.ts';
import { EXIT } from '../io.ts';
import { colourChoice, fileNames, hostCommand, proxyModes, wholeNumber, withCommonOptions } from '../options.ts';
import { probeOf } from '../probe.ts';
import { scenarioFrom } from '../scenario-input.ts';
import { outputStyle } from '../terminal.ts';
import type { Command } from 'commander';
import type { DescribeRule } from '../../render/text/views.ts';
import type { DetailLevel, Trace, TraceList } from '../../trace/trace.ts';
import type { Io } from '../io.ts';
import type { CommonOptions, HostCommand, ProxyMode } from '../options.ts';
import type { ProbeOptions } from '../probe.ts';
import type { Act, CommandResult } from '../program.ts';

interface TraceCommandOptions extends CommonOptions, ProbeOptions {
  readonly repeat?: number;
  readonly do?: readonly HostCommand[];
  readonly proxyMode?: readonly ProxyMode[];
  readonly reply: boolean;
  readonly detail: DetailLevel;
  readonly output: 'text' | 'json' | 'mermaid';
}

export function addTraceCommand(program: Command, io: Io, act: Act): void {
  withCommonOptions(program.command('trace'))
    .summary('walk a connection through the cluster, hop by hop')
    .description(
      'Walks a connection through the cluster, hop by hop and back, and says what the client would see. Exit code 0: connected, whatever\n' +
        'the random choices; 1: not. FILE: scenarios, Kubernetes objects, folders, - for standard input; none: the bundled tutorial.',
    )
    .argument('[FILE...]', 'input')
    .option('--from <ref>', 'client: pod/NAME, pod/NAMESPACE/NAME, node/NAME, external/NAME, deploy/NAME')
    .option(
      '--to <ref>',
      'destination: svc/NAME[:PORT], pod/NAME:PORT, node/NAME:PORT, external/NAME:PORT, IP[:PORT], NAME:PORT, URL',
    )
    .addOption(
      new Option('--proto <protocol>', 'protocol; default: what --to says, else tcp').choices(['tcp', 'udp', 'sctp', 'icmp']),
    )
    .option('--sport <port>', 'source port', wholeNumber(1, 65535))
    .option('--check <name|n>', "take the connection from the scenario's check of this name or number")
    .option('--backend <ref>', 'follow only the random choice that reaches this server')
    .option('--repeat <n>', 'make the connection N times, one after the other', wholeNumber(1, 1000))
    .addOption(
      new Option('--via <way>', 'through the API server, as kubectl does: to a pod, service, workload or node').choices([
        'kubectl-proxy',
        'port-forward',
        'exec',
      ]),
    )
    .option("--do <'host: command'>", 'run this command on a host first, as its operator would (repeatable)', hostCommand)
    .option(
      '--proxy-mode <mode,...>',
      "kube-proxy's mode in place of the cluster's own; several: what differs, and why",
      proxyModes,
    )
    .option('--no-reply', 'end when the request has arrived or died')
    .addOption(new Option('--detail <level>', 'how much text says').choices(['summary', 'hops', 'rules']).default('hops'))
    .addOption(new Option('-o, --output <format>', 'format').choices(['text', 'json', 'mermaid']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action((files: readonly string[], options: TraceCommandOptions) => act(() => trace(files, options, io)));
}

async function trace(args: readonly string[], options: TraceCommandOptions, io: Io): Promise<CommandResult> {
  const scenario = await scenarioFrom(fileNames(args, options), io, options.do);
  const { probe, check } = probeOf(options, allChecks(scenario));
  const modes = options.proxyMode ?? [check?.proxyMode];
  const traces = modes.flatMap((proxyMode): readonly Trace[] => {
    const question = {
      ...(options.namespace !== undefined && { namespace: options.namespace }),
      ...(proxyMode !== undefined && { proxyMode }),
      noReply: !options.reply,
      commands: options.do ?? [],
      before: check?.before ?? [],
      coldNeighbours: check?.coldNeighbours ?? false,
      check,
      position: check?.position ?? null,
    };
    if (options.repeat !== undefined) {
      const result = traceRepeated(scenario, probe, options.repeat, question, engine);
      if (!result.ok) throw new InputError(result.diagnostics);
      return result.traces.items;
    }
    const result = traceConnection(scenario, probe, question, engine);
    if (!result.ok) throw new InputError(result.diagnostics);
    return [result.trace];
  });
  const asList = options.repeat !== undefined || modes.length > 1;
  const connected = traces.every((t) => t.outcomes.every((outcome) => outcome.verdict === 'connected'));
  const compared =
    modes.length > 1 && options.repeat === undefined && options.output === 'text'
      ? comparisonText(compareModes(scenario.cluster, traces), outputStyle(io, colourChoice(options)))
      : null;
  // What differs is the answer; the traces themselves are for who asks for all rules.
  if (compared !== null && options.detail !== 'rules') return { stdout: compared, exitCode: connected ? EXIT.yes : EXIT.no };
  const document: Trace | TraceList = asList ? { apiVersion: 'k8snet/v1', kind: 'TraceList', items: traces } : traces[0]!;
  return {
    stdout:
      options.output === 'json'
        ? jsonParts(document)
        : [
            ...(compared === null ? [] : [compared, '\n']),
            show(document, describeRule(scenario.cluster), { ...options, output: options.output }, io),
          ],
    exitCode: connected ? EXIT.yes : EXIT.no,
  };
}

interface ShowOptions extends Omit<TraceCommandOptions, 'output'> {
  readonly output: 'text' | 'mermaid';
}

function show(document: Trace | TraceList, describe: DescribeRule, options: ShowOptions, io: Io): string {
  switch (options.output) {
    case 'mermaid':
      if (document.kind === 'TraceList')
        throw new UsageError('-o mermaid draws one trace at a time', 'leave out --repeat, or give one --proxy-mode');
      return traceMermaid(document);
    case 'text': {
      const text = { detail: options.detail, describe };
      const style = outputStyle(io, colourChoice(options));
      return document.kind === 'Trace' ? traceText(document, text, style) : traceListText(document, text, style);
    }
  }
}

const EXAMPLES = `
Examples:
  k8snet trace                                                       the bundled tutorial
  k8snet trace cluster.yaml --from pod/client --to svc/web:80        pod to service
  k8snet trace cluster.yaml --from pod/client --to web.default:80            a name, looked up first
  k8snet trace cluster.yaml --from node/node-2 --to pod/web-1:8080 --via port-forward
  k8snet trace cluster.yaml --from node/node-2 --to svc/web:80 --detail rules
  k8snet trace cluster.yaml --check 2 --do 'node-2: sysctl -w net.ipv4.ip_forward=0'
  kubectl get nodes,pods,svc,endpointslices -A -o yaml | k8snet trace - --from pod/client --to svc/web:80
`;
