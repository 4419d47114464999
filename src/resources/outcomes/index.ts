export { outcomeHandlers } from './handlers.ts';
export type { RunFacts } from './matching.ts';
export type { SignalChanges } from './repository.ts';
export { createOutcomes, type ChosenOutcome, type Outcomes } from './service.ts';
