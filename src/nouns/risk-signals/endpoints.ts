/** Findings of a run about an entity, as codes of one catalogue (contract §2.19, §4.5, §10). */
import { Type } from '@sinclair/typebox';
import { MATCH_LEVELS, SEVERITIES, type Severity } from '../onboardings/facts.ts';
import { endpoint, ofBusiness, secretKey } from '../../contract/endpoint.ts';
import { named, OneOf, Timestamp } from '../../contract/shapes.ts';

export { SEVERITIES, type Severity };

/** A code of the catalogue. The document lists the codes; a start does not load them. */
export const ReasonCode = named('ReasonCode', Type.String());
export const SeverityName = named('Severity', OneOf(SEVERITIES));

const CatalogueEntry = {
  reason_code: ReasonCode,
  note: Type.String(),
  description: Type.String(),
  severity: SeverityName,
  scopes: Type.Array(named('RiskSignalScope', Type.String())),
};
const RiskSignal = named('RiskSignal', Type.Object({ ...CatalogueEntry, timestamp: Timestamp }));

const list = {
  auth: secretKey({ scope: 'preview:risk_signals_list' }),
  response: Type.Array(RiskSignal),
} as const;
const latest = endpoint('GET /users/{fp_id}/risk_signals', {
  operationId: 'listUserRiskSignals',
  ...list,
  stability: 'deprecated',
  assumed: [
    { what: "the latest terminal onboarding's signals", why: 'A41' },
    { what: 'each outcome yields the tabled codes, less those whose input is absent', why: 'A57' },
  ],
  summary: "The risk signals of a user's latest finished onboarding",
});
const ofRun = endpoint('GET /users/{fp_id}/onboardings/{onboarding_id}/risk_signals', {
  operationId: 'listUserOnboardingRiskSignals',
  ...list,
  stability: 'extension',
  summary: 'The risk signals of one onboarding of a user',
});

export const riskSignalEndpoints = [
  latest,
  ofRun,
  ofBusiness(latest),
  ofBusiness(ofRun),
  endpoint('GET /users/{fp_id}/match_signals', {
    operationId: 'listUserMatchSignals',
    auth: secretKey(),
    stability: 'deprecated',
    response: Type.Array(
      named(
        'MatchSignal',
        Type.Object({
          scope: CatalogueEntry.scopes.items,
          match_level: OneOf(MATCH_LEVELS),
          reason_codes: Type.Array(ReasonCode),
        }),
      ),
    ),
    assumed: [
      {
        what: 'the codes of the latest finished onboarding that compare data, by scope, each with the worst of its levels',
        why: '§2.25',
      },
    ],
    summary: "How well the latest finished onboarding found a user's data to match, by scope",
  }),
  endpoint('GET /org/risk_signals', {
    operationId: 'listRiskSignalDefinitions',
    auth: secretKey(),
    stability: 'extension',
    response: Type.Array(named('RiskSignalDefinition', Type.Object(CatalogueEntry))),
    summary: 'The catalogue of risk signals',
  }),
] as const;
