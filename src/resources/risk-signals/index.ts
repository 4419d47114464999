import type { EndpointKey } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import type { EntityRow } from '../entities/index.ts';
import { answer, type Handlers } from '../handlers.ts';
import { CATALOGUE } from './catalogue.ts';
import type { RiskSignals } from './service.ts';

export { CATALOGUE, catalogued, isReasonCode } from './catalogue.ts';
export { createRiskSignals, type RiskSignal, type RiskSignals } from './service.ts';

type SignalKeys = Extract<EndpointKey, `${string}/risk_signals`>;
type OfRun = { readonly entity: EntityRow; readonly params: { readonly onboarding_id: string } };

/** For users and businesses. */
export function riskSignalHandlers(context: {
  database: Database;
  signals: RiskSignals;
}): Handlers<SignalKeys> {
  const { database, signals } = context;
  const latest = ({ entity }: { readonly entity: EntityRow }) =>
    answer(signals.latest(database, entity), { deprecation: 'true' });
  const ofRun = ({ entity, params }: OfRun) =>
    answer(signals.ofEntity(database, entity, params.onboarding_id));
  return {
    'GET /users/{fp_id}/risk_signals': latest,
    'GET /users/{fp_id}/onboardings/{onboarding_id}/risk_signals': ofRun,
    'GET /businesses/{fp_bid}/risk_signals': latest,
    'GET /businesses/{fp_bid}/onboardings/{onboarding_id}/risk_signals': ofRun,
    'GET /org/risk_signals': () => answer([...CATALOGUE]),
  };
}
