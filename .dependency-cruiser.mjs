// The architecture of k8snet as rules (docs/architecture.md says it in words): imports point one way.

const RANK_FREE = '^src/(net|trace|support)/';

/** A room of the house and what it may import beside itself, net, trace and support. */
function only(name, from, allowed, comment) {
  return {
    name,
    comment,
    severity: 'error',
    from: { path: from },
    to: { path: '^src/', pathNot: [from, RANK_FREE, ...allowed] },
  };
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'leaves',
      comment: 'net, trace and support are plain values: they import nothing but support, so that anything may import them.',
      severity: 'error',
      from: { path: '^src/(net|trace|support)/' },
      to: { path: '^src/', pathNot: ['^src/support/', '^src/$1/'] },
    },
    {
      name: 'support-is-domain-free',
      comment: 'support holds nothing specific to networks.',
      severity: 'error',
      from: { path: '^src/support/' },
      to: { path: '^src/', pathNot: '^src/support/' },
    },
    only('kernel', '^src/kernel/', [], 'The kernel room has never heard of Kubernetes: it sees state and packets only.'),
    only(
      'kubernetes',
      '^src/kubernetes/',
      ['^src/kernel/(?!walk/)'],
      'Controllers write kernel state and never walk a packet: a verdict comes from the state alone.',
    ),
    {
      name: 'kubernetes-knows-origins-only',
      comment: 'Of the trace, the controllers need the origin only: events are the business of the kernel.',
      severity: 'error',
      from: { path: '^src/kubernetes/' },
      to: { path: '^src/trace/', pathNot: '^src/trace/origin' },
    },
    only(
      'scenario',
      '^src/scenario/',
      ['^src/kubernetes/model/'],
      'Text becomes the model; what controllers make of it is not its business.',
    ),
    only(
      'usecase',
      '^src/usecase/',
      ['^src/(kernel|kubernetes|scenario)/'],
      'Use cases drive everything below and know nothing of files or output.',
    ),
    only('render', '^src/render/', [], 'Renderers take values and give text: they need no simulator.'),
    only('cli', '^src/cli/', ['^src/(usecase|render|scenario)/'], 'The command line reaches the engine through use cases only.'),
    {
      name: 'sibling-proxy-modes',
      comment: 'The proxy modes are alternatives: what they share stands in kubernetes/services, not in one of them.',
      severity: 'error',
      from: { path: '^src/kubernetes/kube-proxy/([^/]+)/' },
      to: { path: '^src/kubernetes/kube-proxy/[^/]+/', pathNot: '^src/kubernetes/kube-proxy/$1/' },
    },
    {
      name: 'sibling-cni-modes',
      comment: 'The CNI modes are alternatives: what they share stands directly in kubernetes/cni, not in one of them.',
      severity: 'error',
      from: { path: '^src/kubernetes/cni/([^/]+)/' },
      to: { path: '^src/kubernetes/cni/[^/]+/', pathNot: '^src/kubernetes/cni/$1/' },
    },
    {
      name: 'only-cli-touches-the-machine',
      comment: 'Files, processes, sockets and clocks belong to src/cli; everything else is a pure function (hashes excepted).',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'libraries-have-one-home',
      comment:
        'Each library stays behind the room that hides it: commander and chalk in cli and render, YAML in scenario, addresses in net.',
      severity: 'error',
      from: { path: '^src/(kernel|kubernetes|usecase|trace|support)/' },
      to: { dependencyTypes: ['npm', 'npm-dev'] },
    },
    {
      name: 'no-circles',
      comment: 'A circle of modules cannot be understood one at a time.',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'not-to-tests',
      comment: 'What ships never depends on tests or scripts.',
      severity: 'error',
      from: { path: '^(src|bin)/' },
      to: { path: '^(test|scripts)/' },
    },
    {
      name: 'resolvable',
      comment: 'An import that resolves to nothing is a typing error or a missing dependency.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
