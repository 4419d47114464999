/**
 * The case page: the masked identity, the status and its reasons, and the number of everything else. A line with a
 * count opens its list. A line with a value can be revealed or verified as in the vault.
 */
import { counted } from '../../../kernel/text/count-text.ts';
import { SEVERITIES } from '../../onboardings/facts.ts';
import { shortTime, timeOfDay } from '../../../kernel/text/terminal-text.ts';
import type { Cell, Row, Subject } from '../../../tui/state/model.ts';
import { statusCell } from './people.ts';
import { inspected, targetOf, waysTo, type Inspection, type Ways } from './inspection.ts';
import { recordPane } from '../../../tui/screens/list-pane.ts';
import { SEVERITY_TONES } from './signals.ts';
import { NOTES } from './notes.ts';
import { OWNERSHIP } from './relations.ts';
import { TIMELINE } from './timeline.ts';
import { copiesOfAccess } from '../../access-log/screen.ts';
import { type Copies, copiesOf } from '../../../tui/screens/space.ts';

export const overview = recordPane((source, { params }) => inspected(source, targetOf(params)), {
  title: 'Overview',
  empty: 'No data',
  beside: TIMELINE,
  changesWith: ['request', 'onboarding', 'access', 'event'],
  page: (entity, source) => {
    const rows = rowsOf(entity, waysTo(targetOf({ fp_id: entity.id }), source));
    return { rows, banner: bannerOf(entity), record: entity, total: rows.length };
  },
});

function bannerOf({
  requires_manual_review,
  signals_by_severity: { high = 0 },
}: Inspection): string | undefined {
  const parts = [
    ...(requires_manual_review ? ['Waits for a decision by hand: press d'] : []),
    ...(high > 0 ? [`${counted(high, 'risk signal')} of high severity`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' · ');
}

/** Data of a line beyond the entity: an id of its own, and the place of the details. */
interface More extends Partial<Copies> {
  readonly id?: string | null;
  readonly opensPane?: string;
  readonly subject?: Subject | undefined;
}

type Line = (name: string, value: string | Cell | null, more?: More) => Row;

function rowsOf(entity: Inspection, ways: Ways): Row[] {
  const { fp_id, kind } = ways;
  const line: Line = (name, value, { id, subject = { kind, fp_id }, ...more } = {}) => ({
    key: name,
    cells: [{ text: name, tone: 'dim' }, value ?? '-'],
    id: id ?? fp_id,
    ...ways.copies([ways.nouns, 'get', fp_id], ways.path),
    ...more,
    subject,
    who: entity.masked_name ?? undefined,
  });
  return [
    ...personLines(entity, ways, line),
    ...standingLines(entity, ways, line),
    ...countLines(entity, ways, line),
    line('id', entity.id),
    line('kind', entity.kind),
    line('external id', entity.external_id, { id: entity.external_id }),
    line('sandbox id', entity.sandbox_id, { id: entity.sandbox_id }),
    line('created (UTC)', shortTime(entity.created_at)),
    line('updated (UTC)', shortTime(entity.updated_at)),
    line('vault version', String(entity.vault_version), { opensPane: 'Vault' }),
  ];
}

const ADDRESS = ['address_line1', 'address_line2', 'city', 'state', 'zip', 'country'] as const;

/** Masked. A line with several fields reveals all of them, and asks which to verify. */
function personLines(entity: Inspection, { kind, fp_id, copies, inspection }: Ways, line: Line): Row[] {
  const masks = new Map(entity.vault.map(({ identifier, mask }) => [identifier, mask]));
  const lineOf = (name: string, identifiers: readonly string[], shown?: string | null): Row => {
    const present = identifiers.filter((identifier) => masks.has(identifier));
    const text = shown ?? (present.map((identifier) => masks.get(identifier) ?? '').join(', ') || null);
    const [identifier] = present;
    return line(name, text, {
      ...copies(['vault', 'get', fp_id], inspection),
      subject:
        identifier === undefined
          ? undefined
          : {
              kind: 'field',
              fp_id,
              owner: kind,
              identifier,
              type: 'text',
              ...(present.length > 1 && { parts: { of: name, identifiers: present } }),
            },
    });
  };
  const family = kind === 'user' ? 'id' : 'business';
  const address = ADDRESS.map((part) => `${family}.${part}`);
  return kind === 'business'
    ? [
        lineOf('name', ['business.name'], entity.masked_name),
        lineOf('tax number', ['business.tin']),
        lineOf('address', address),
        lineOf('phone', ['business.phone_number']),
        lineOf('website', ['business.website']),
      ]
    : [
        lineOf('name', ['id.first_name', 'id.last_name'], entity.masked_name),
        lineOf('date of birth', ['id.dob']),
        lineOf('address', address),
        lineOf('phone', ['id.phone_number']),
        lineOf('e-mail', ['id.email']),
      ];
}

function standingLines(entity: Inspection, ways: Ways, line: Line): Row[] {
  const { fp_id, nouns, copies, path } = ways;
  const [latest] = entity.onboardings;
  const onSignals: More = {
    ...copies(['risk-signals', 'list', fp_id], `${path}/risk_signals`),
    opensPane: 'Signals',
  };
  return [
    line('status', standing(entity), { opensPane: 'Decisions' }),
    ...claimLine(entity, line),
    line('latest run', latest === undefined ? null : runText(latest), {
      ...(latest && { id: latest.id, ...copies(['onboardings', 'get', latest.id], path) }),
      opensPane: 'Onboardings',
    }),
    ...entity.gravest_signals.map(({ reason_code: id, severity, note }, at) => ({
      ...line(
        at === 0 ? 'because of' : ' ',
        { text: `${note} (${severity})`, tone: SEVERITY_TONES[severity] },
        { ...onSignals, id },
      ),
      key: `because of ${id}`,
    })),
    line('risk signals', severities(entity), onSignals),
    ...missesLine(entity, ways, line),
    ...(entity.hits.length === 0 ? [] : [line('hits', hitCounts(entity), onSignals)]),
    ...(entity.requires_additional_info === null
      ? []
      : [line('asked for', { text: entity.requires_additional_info.note, tone: 'warn' }, {})]),
    line('notes', notesText(entity), { ...copies(['notes', 'list', fp_id], path), opensPane: NOTES }),
    line('label', entity.label, { ...copies([nouns, 'label', fp_id], `${path}/label`), opensPane: 'Labels' }),
    line('tags', entity.tags.map(({ tag }) => tag).join(', ') || null, {
      ...copies([nouns, 'tag', fp_id], `${path}/tags`),
      opensPane: 'Labels',
    }),
  ];
}

function claimLine({ claim }: Inspection, line: Line): Row[] {
  if (claim === null) return [];
  const text = `${claim.operator} has this open since ${timeOfDay(claim.since)}`;
  return [line('open', { text, tone: 'warn' })];
}

/** Somebody may be guessing. */
function missesLine({ recent_misses: misses }: Inspection, { fp_id }: Ways, line: Line): Row[] {
  if (misses === null) return [];
  const { count, last_at, last_operator } = misses;
  const last = [timeOfDay(last_at), ...(last_operator === null ? [] : [last_operator])].join(', ');
  const text = `${count} failed verifications in the last hour (last ${last})`;
  const { command, call } = copiesOfAccess(fp_id);
  const path = `${call.path}&result=no_match`;
  const copies = copiesOf([...command, '--result', 'no_match'], path);
  return [line('misses', { text, tone: 'bad' }, { ...copies, opensPane: 'Access' })];
}

function countLines(entity: Inspection, ways: Ways, line: Line): Row[] {
  const { fp_id, nouns, copies, path, inspection } = ways;
  const listed = (
    name: string,
    value: number | string | Cell,
    opensPane: string,
    same = copies([nouns, 'get', fp_id], inspection),
  ) => line(name, typeof value === 'number' ? String(value) : value, { ...same, opensPane });
  const ofNoun = (noun: string) => copies([nouns, noun, fp_id], `${path}/${noun}`);
  const ofTopic = (topic: string) => copies([topic, 'list', fp_id], `${path}/${topic}`);
  return [
    listed('vault fields', entity.vault.length, 'Vault', copies(['vault', 'get', fp_id], inspection)),
    listed('documents', documentsText(entity), 'Documents', ofNoun('documents')),
    listed('bank links', banks(entity), 'Banks'),
    listed('onboardings', entity.onboardings.length, 'Onboardings', ofTopic('onboardings')),
    listed('decisions', entity.decisions.length, 'Decisions', ofTopic('decisions')),
    ...(entity.kind === 'user'
      ? [
          listed('duplicates', duplicatesText(entity), 'Duplicates', ofNoun('duplicates')),
          listed('businesses', entity.businesses.length, OWNERSHIP),
        ]
      : [listed('owners', entity.owners.length, OWNERSHIP, ofNoun('owners'))]),
    listed('client tokens', entity.tokens.length, 'Tokens', copies(['tokens', 'list', fp_id], inspection)),
    listed(
      'access log',
      counted(entity.access_log_entries, 'entry', 'entries'),
      'Access',
      copiesOfAccess(fp_id),
    ),
    listed(
      'timeline',
      'everything that happened, newest first',
      TIMELINE,
      copies([nouns, 'timeline', fp_id], path),
    ),
  ];
}

function runText({
  status,
  requires_manual_review,
  playbook_key,
  timestamp,
}: Inspection['onboardings'][number]): string {
  return `${status}${requires_manual_review ? ', to be reviewed' : ''}, changed ${shortTime(timestamp)}, on ${playbook_key}`;
}

function hitCounts({ hits }: Inspection): Cell {
  const open = hits.filter(({ review }) => review === null).length;
  if (open === 0) return { text: `${hits.length}, all decided`, tone: 'plain' };
  return { text: `${hits.length}, ${open} to be decided`, tone: 'warn' };
}

/** As many as its list has rows. */
function documentsText({ documents }: Inspection): string {
  const images = documents.reduce((sum, { images: sides }) => sum + Object.values(sides).length, 0);
  return images === documents.length
    ? String(images)
    : `${images} images of ${counted(documents.length, 'document')}`;
}

function duplicatesText({ duplicates }: Inspection): string {
  return String(new Set(duplicates.map(({ fp_id }) => fp_id)).size);
}

function notesText({ notes }: Inspection): string {
  const [latest] = notes;
  if (latest === undefined) return '0';
  return `${notes.length}, the latest by ${latest.operator ?? 'somebody without a name'}: ${latest.text}`;
}

/** The number of bank links, and of those with errors. */
function banks({ bank_links: links }: Inspection): Cell {
  const broken = links.filter(({ error_code }) => error_code !== null).length;
  if (broken === 0) return { text: String(links.length), tone: 'plain' };
  return { text: `${links.length}, ${broken} in error`, tone: 'warn' };
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
