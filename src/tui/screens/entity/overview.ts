/** One entity in short: who it is, how it stands, and how much there is of everything else. */
import { counted } from '../../../kernel/count-text.ts';
import { SEVERITIES } from '../../../contract/facts/onboardings.ts';
import { shortTime } from '../../../kernel/terminal-text.ts';
import type { CallText, Cell, Row } from '../../state/model.ts';
import { statusCell } from '../people.ts';
import { partOf, pathOf, type Inspection, type Ways } from './inspection.ts';
import { SEVERITY_TONES } from './signals.ts';

export const overview = partOf({
  title: 'Overview',
  columns: [{ heading: '' }, { heading: '', grows: true }],
  empty: 'Nothing is known',
  changesWith: ['request', 'onboarding', 'access', 'event'],
  page: (entity, ways) => ({ rows: rowsOf(entity, ways), banner: bannerOf(entity) }),
});

function bannerOf({
  requires_manual_review,
  signals_by_severity: { high = 0 },
}: Inspection): string | undefined {
  const parts = [
    ...(requires_manual_review ? ['Waits for a decision by hand'] : []),
    ...(high > 0 ? [`${counted(high, 'risk signal')} of high severity`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' · ');
}

/** What a line is about beside the entity: an id of its own, and the screen with the details. */
interface More {
  readonly id?: string | null;
  readonly command?: readonly string[];
  readonly call?: CallText;
}

function rowsOf(entity: Inspection, ways: Ways): Row[] {
  const { fp_id, nouns, command, get } = ways;
  const path = pathOf(ways);
  const line = (name: string, value: string | Cell | null, more: More = {}): Row => ({
    key: name,
    cells: [{ text: name, tone: 'dim' }, value ?? '-'],
    id: more.id ?? fp_id,
    command: more.command ?? command(nouns, 'get', fp_id),
    call: more.call ?? get(path),
  });
  const listed = (noun: string, count: number) =>
    line(noun.replace('_', ' '), String(count), {
      command: command(nouns, noun, fp_id),
      call: get(`${path}/${noun}`),
    });
  const masked: More = { command: command('vault', 'get', fp_id), call: ways.inspection };
  const label: More = { command: command(nouns, 'label', fp_id), call: get(`${path}/label`) };
  const tags: More = { command: command(nouns, 'tag', fp_id), call: get(`${path}/tags`) };
  const ofTopic = (topic: string, asked: string): More => ({
    command: command(topic, 'list', fp_id),
    call: get(`${path}/${asked}`),
  });
  const accessLog: More = {
    command: ['audit', 'list', '--entity', fp_id],
    call: get(`/_kyclone/access-log?fp_id=${encodeURIComponent(fp_id)}`),
  };
  return [
    line('id', entity.id),
    line('kind', entity.kind),
    line('name', entity.masked_name, masked),
    line('status', standing(entity)),
    line('label', entity.label, label),
    line('tags', entity.tags.map(({ tag }) => tag).join(', ') || null, tags),
    line('external id', entity.external_id, { id: entity.external_id }),
    line('sandbox id', entity.sandbox_id, { id: entity.sandbox_id }),
    line('created (UTC)', shortTime(entity.created_at)),
    line('updated (UTC)', shortTime(entity.updated_at)),
    line('vault version', String(entity.vault_version), masked),
    line('vault fields', String(entity.vault.length), masked),
    line('risk signals', severities(entity), ofTopic('risk-signals', 'risk_signals')),
    line('onboardings', String(entity.onboardings.length), ofTopic('onboardings', 'onboardings')),
    line('decisions', String(entity.decisions.length), ofTopic('decisions', 'decisions')),
    listed('documents', entity.documents.length),
    ...(entity.kind === 'user'
      ? [listed('duplicates', entity.duplicates.length)]
      : [listed('owners', entity.owners.length)]),
    line('bank links', String(entity.bank_links.length), { call: ways.inspection }),
    line('client tokens', String(entity.tokens.length), {
      command: command('tokens', 'list', fp_id),
      call: ways.inspection,
    }),
    line('access log', entries(entity.access_log_entries), accessLog),
  ];
}

function standing({ status, requires_manual_review }: Inspection): Cell {
  const { tone } = statusCell(status, requires_manual_review);
  return requires_manual_review
    ? { text: `${status}, to be reviewed`, tone: 'warn' }
    : { text: status, tone };
}

/** `2 high, 1 low`, in the colour of the worst. */
function severities({ signals_by_severity: counts }: Inspection): Cell {
  const found = SEVERITIES.toReversed().filter((severity) => (counts[severity] ?? 0) > 0);
  const text = found.map((severity) => `${counts[severity] ?? 0} ${severity}`).join(', ');
  const [worst] = found;
  return worst === undefined ? { text: 'none', tone: 'dim' } : { text, tone: SEVERITY_TONES[worst] };
}

function entries(count: number): string {
  return counted(count, 'entry', 'entries');
}
