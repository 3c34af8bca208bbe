export { explainChain, explainChainOf } from './explain-chain.ts';
export { explainChainIn } from './explain-chain-in.ts';
export { originsForDump } from './origins-for-dump.ts';
export { recogniseRule } from './recognise-rule.ts';
export { serviceIndexOf, serviceIndexOfDump, NO_SERVICES } from './service-index.ts';
export type { ChainExplanation } from './explain-chain-in.ts';
export type { Explanation } from './explanation.ts';
export type { ServiceIndex } from './service-index.ts';
