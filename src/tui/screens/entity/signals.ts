/** What the latest finished onboarding found out, the gravest first (contract §2.19). */
import { SEVERITIES, type Severity } from '../../../contract/facts/onboardings.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Source } from '../../data/source.ts';
import type { Column, Row, Tone } from '../../state/model.ts';
import type { PaneDefinition } from '../definition.ts';
import { askedBefore } from './asked-before.ts';
import { inspected, pathOf, targetOf, waysTo, type Target } from './inspection.ts';

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
  { heading: 'SCOPES', drop: 1 },
  { heading: 'DESCRIPTION', grows: true },
];

/** The gravest first; those of one severity as the catalogue has them. */
export function signalRows(found: Signals, same: Pick<Row, 'command' | 'call'>): readonly Row[] {
  return found
    .toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity))
    .map((signal) => ({
      ...same,
      key: signal.reason_code,
      cells: [
        { text: signal.severity, tone: SEVERITY_TONES[signal.severity] },
        signal.reason_code,
        signal.scopes.join(' '),
        signal.description,
      ],
      id: signal.reason_code,
      data: signal,
    }));
}

export const signals: PaneDefinition = {
  title: 'Signals',
  columns: SIGNAL_COLUMNS,
  empty: 'No risk signals: no onboarding has finished, or the latest found nothing',
  changesWith: ['request', 'onboarding'],
  async load(source, { params }) {
    const target = targetOf(params);
    const ways = waysTo(target, source);
    const { onboardings } = await inspected(source, target);
    const asked = await askedBefore(
      source,
      { about: `signals of ${target.fp_id}`, state: JSON.stringify(onboardings) },
      () => signalsOf(source, target),
    );
    const rows = signalRows(asked, {
      command: ways.command('risk-signals', 'list', target.fp_id),
      call: ways.get(`${pathOf(target)}/risk_signals`),
    });
    return { rows, next: null, total: rows.length };
  },
};

function signalsOf({ client }: Source, { kind, fp_id }: Target): Promise<Signals> {
  return kind === 'user'
    ? client.call('GET /users/{fp_id}/risk_signals', { params: { fp_id } })
    : client.call('GET /businesses/{fp_bid}/risk_signals', { params: { fp_bid: fp_id } });
}
