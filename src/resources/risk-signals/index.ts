export { CATALOGUE, catalogued, isReasonCode } from './catalogue.ts';
export { riskSignalHandlers } from './handlers.ts';
export { createRiskSignals, type RiskSignal, type RiskSignals } from './service.ts';
