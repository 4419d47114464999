/** The findings of the latest finished onboarding, most severe first (contract §2.19). */
import { SEVERITIES, type Severity } from '../../onboardings/facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Cell, Tone } from '../../../tui/state/model.ts';
import type { PaneDefinition, PageQuery } from '../../../tui/screens/definition.ts';
import { askedBefore } from './asked-before.ts';
import { inspected, targetOf, waysTo, type Inspection, type InspectionTarget } from './inspection.ts';
import type { ScreenPlace } from '../../../tui/state/place.ts';
import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { itemsPane } from '../../../tui/screens/list-pane.ts';

type Hit = Inspection['hits'][number];
type Signals = AnswerOf<'GET /users/{fp_id}/risk_signals'>;

export const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = {
  high: 'bad',
  medium: 'warn',
  low: 'dim',
  info: 'dim',
};

interface FoundSignals {
  readonly found: Signals;
  readonly hits: readonly Hit[];
  /** What gets the same outside the inspector: the words of a command, and a path below the entity. */
  readonly command: readonly string[];
  readonly path: string;
  readonly banner?: string;
}

/** Most severe first; within a severity in the order of the catalogue. */
export function signalsPane(
  empty: string,
  find: (source: Source, target: InspectionTarget, params: ScreenPlace['params']) => Promise<FoundSignals>,
): PaneDefinition {
  const search = async (source: Source, { params }: PageQuery) => {
    const target = targetOf(params);
    const { found, hits, command, path, ...page } = await find(source, target, params);
    const hitOf = new Map<string, Hit>(hits.map((hit) => [hit.reason_code, hit]));
    const items = found
      .toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity))
      .map((signal) => ({ signal, hit: hitOf.get(signal.reason_code) }));
    const ways = waysTo(target, source);
    const same = ways.copies(command, `${ways.path}/${path}`);
    return { items, more: { ...target, same }, ...page };
  };
  return itemsPane(search, {
    title: 'Signals',
    columns: [
      {
        heading: 'SEVERITY',
        cell: ({ signal: { severity } }) => ({ text: severity, tone: SEVERITY_TONES[severity] }),
      },
      { heading: 'CODE', cell: ({ signal }) => signal.reason_code },
      { heading: 'DECISION', cell: decisionCell },
      { heading: 'HIT', drop: 2, cell: ({ hit }) => hitText(hit) },
      { heading: 'DECIDED BY', drop: 3, hidesEmpty: true, cell: decidedBy },
      { heading: 'SCOPES', drop: 1, cell: ({ signal }) => signal.scopes.join(' ') },
      { heading: 'DESCRIPTION', grows: true, atLeast: 24, cell: ({ signal }) => signal.description },
    ],
    empty,
    changesWith: ['request', 'onboarding'],
    row: ({ signal, hit }, { fp_id, kind: owner, same }) => {
      const { reason_code } = signal;
      const row = { ...same, id: reason_code };
      if (hit === undefined) return { ...row, data: signal };
      const { onboarding_id } = hit;
      return {
        ...row,
        data: { ...signal, hit },
        subject: { kind: 'hit', fp_id, owner, reason_code, found: hitText(hit), onboarding_id },
      };
    },
  });
}

interface OfSignal {
  readonly hit: Hit | undefined;
}

function hitText(hit: Hit | undefined): string {
  return hit === undefined ? '-' : `${hit.matched_name}, ${hit.score} %, ${hit.list}`;
}

/** Who decided on the hit, and the reason. */
function decidedBy({ hit }: OfSignal): string {
  if (hit === undefined || hit.review === null) return '-';
  const { operator, reason } = hit.review;
  return `${operator ?? 'somebody without a name'}: ${reason}`;
}

function decisionCell({ hit }: OfSignal): Cell {
  if (hit === undefined) return { text: '-', tone: 'dim' };
  if (hit.review === null) return { text: 'H decides', tone: 'warn' };
  return hit.review.decision === 'confirmed'
    ? { text: 'confirmed', tone: 'bad' }
    : { text: 'false positive', tone: 'good' };
}

export const signals = signalsPane(
  'No risk signals: no onboarding has finished, or the latest one found none',
  async (source, target) => {
    const { fp_id } = target;
    const { onboardings, hits } = await inspected(source, target);
    const { key, params } = entityEndpoint('GET /{entity}/risk_signals', fp_id);
    const found = await askedBefore(
      source,
      { about: `signals of ${fp_id}`, state: JSON.stringify(onboardings) },
      () => source.client.call(key, { params }),
    );
    return { found, hits, command: ['risk-signals', 'list', fp_id], path: 'risk_signals' };
  },
);
