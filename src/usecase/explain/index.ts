export { explainChain, isKnownChain } from './explain-chain.ts';
export { originsForNftDump } from './nft-origins.ts';
export { originsForDump } from './origins-for-dump.ts';
export { recogniseRule } from './recognise-rule.ts';
export { serviceIndexOf, serviceIndexOfDump, NO_SERVICES } from './service-index.ts';
