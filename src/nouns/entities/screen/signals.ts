/** The findings of the latest finished onboarding, most severe first (contract §2.19). */
import { SEVERITIES, type Severity } from '../../onboardings/facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Cell, Column, Row, Tone } from '../../../tui/state/model.ts';
import type { PaneDefinition } from '../../../tui/screens/definition.ts';
import { askedBefore } from './asked-before.ts';
import { inspected, pathOf, targetOf, waysTo, type Inspection, type InspectionTarget } from './inspection.ts';

type Hit = Inspection['hits'][number];
type Signals = AnswerOf<'GET /users/{fp_id}/risk_signals'>;

export const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = {
  high: 'bad',
  medium: 'warn',
  low: 'dim',
  info: 'dim',
};

export const SIGNAL_COLUMNS: readonly Column[] = [
  { heading: 'SEVERITY' },
  { heading: 'CODE' },
  { heading: 'DECISION' },
  { heading: 'HIT', drop: 2 },
  { heading: 'DECIDED BY', drop: 3, hidesEmpty: true },
  { heading: 'SCOPES', drop: 1 },
  { heading: 'DESCRIPTION', grows: true, atLeast: 24 },
];

/** Most severe first; within a severity in the order of the catalogue. */
export function signalRows(
  found: Signals,
  hits: readonly Hit[],
  { target, ...same }: Pick<Row, 'command' | 'call'> & { readonly target: InspectionTarget },
): readonly Row[] {
  const { fp_id, kind: owner } = target;
  const hitOf = new Map<string, Hit>(hits.map((hit) => [hit.reason_code, hit]));
  return found
    .toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity))
    .map((signal) => {
      const { reason_code, severity, scopes, description } = signal;
      const hit = hitOf.get(reason_code);
      const shown: Cell = { text: severity, tone: SEVERITY_TONES[severity] };
      return {
        ...same,
        key: reason_code,
        cells: [
          shown,
          reason_code,
          decisionCell(hit),
          hitText(hit),
          decidedBy(hit),
          scopes.join(' '),
          description,
        ],
        id: reason_code,
        data: hit === undefined ? signal : { ...signal, hit },
        ...(hit !== undefined && {
          subject: {
            kind: 'hit',
            fp_id,
            owner,
            reason_code,
            found: hitText(hit),
            onboarding_id: hit.onboarding_id,
          } as const,
        }),
      };
    });
}

function hitText(hit: Hit | undefined): string {
  return hit === undefined ? '-' : `${hit.matched_name}, ${hit.score} %, ${hit.list}`;
}

/** Who decided on the hit, and the reason. */
function decidedBy(hit: Hit | undefined): string {
  if (hit === undefined || hit.review === null) return '-';
  const { operator, reason } = hit.review;
  return `${operator ?? 'somebody without a name'}: ${reason}`;
}

function decisionCell(hit: Hit | undefined): Cell {
  if (hit === undefined) return { text: '-', tone: 'dim' };
  if (hit.review === null) return { text: 'H decides', tone: 'warn' };
  return hit.review.decision === 'confirmed'
    ? { text: 'confirmed', tone: 'bad' }
    : { text: 'false positive', tone: 'good' };
}

export const signals: PaneDefinition = {
  title: 'Signals',
  columns: SIGNAL_COLUMNS,
  empty: 'No risk signals: no onboarding has finished, or the latest one found none',
  changesWith: ['request', 'onboarding'],
  async load(source, { params }) {
    const target = targetOf(params);
    const ways = waysTo(target, source);
    const { onboardings, hits } = await inspected(source, target);
    const asked = await askedBefore(
      source,
      { about: `signals of ${target.fp_id}`, state: JSON.stringify(onboardings) },
      () => signalsOf(source, target),
    );
    const rows = signalRows(asked, hits, {
      target,
      command: ways.command('risk-signals', 'list', target.fp_id),
      call: ways.get(`${pathOf(target)}/risk_signals`),
    });
    return { rows, next: null, total: rows.length };
  },
};

function signalsOf({ client }: Source, { kind, fp_id }: InspectionTarget): Promise<Signals> {
  return kind === 'user'
    ? client.call('GET /users/{fp_id}/risk_signals', { params: { fp_id } })
    : client.call('GET /businesses/{fp_bid}/risk_signals', { params: { fp_bid: fp_id } });
}
