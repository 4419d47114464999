import type { AnswerOf } from '../../contract/registry.ts';
import { table } from '../layout.ts';
import type { Style } from '../output.ts';
import type { Catalogue } from '../signal-search.ts';

type Signals = AnswerOf<'GET /users/{fp_id}/risk_signals'>;

const HEADINGS = ['SEVERITY', 'CODE', 'NOTE'];

export function signalListView(signals: Signals, style: Style): string {
  return table(HEADINGS, signals.map(row), style, 'No risk signals');
}

export function catalogueView(entries: Catalogue, style: Style): string {
  return table(HEADINGS, entries.map(row), style, 'No such risk signal');
}

function row({ severity, reason_code: code, note }: Catalogue[number]): string[] {
  return [severity, code, note];
}
