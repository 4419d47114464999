export { outcomeHandlers } from './handlers.ts';
export {
  createOutcomes,
  type ChosenOutcome,
  type Outcomes,
  type RunFacts,
  type SignalChanges,
} from './service.ts';
