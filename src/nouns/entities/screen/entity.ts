/**
 * One user or business, with everything about it, masked (contract §11). The kind may be omitted when it is opened.
 */
import { ApiError, MissingCredentialError } from '../../../client/errors.ts';
import { DOCUMENT_SIDES, IDENTIFIER_FAMILIES } from '../../vault/facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { defined } from '../../../kernel/defined.ts';
import { shortened, shortTime } from '../../../kernel/terminal-text.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Cell, Row } from '../../../tui/state/model.ts';
import { type AccessEntry, daemonTime, outcomeCell, whatOf } from '../../access-log/screen.ts';
import type { PaneDefinition, ScreenDefinition } from '../../../tui/screens/definition.ts';
import { askedBefore } from './asked-before.ts';
import {
  fewOf,
  inspected,
  type Inspection,
  partOf,
  pathOf,
  targetOf,
  type Ways,
  waysTo,
} from './inspection.ts';
import { notes } from './notes.ts';
import { overview } from './overview.ts';
import { bankLinks, duplicates, labels, owners } from './relations.ts';
import { signals } from './signals.ts';
import { timeline } from './timeline.ts';
import { statusCell } from './people.ts';
import { runPlace } from '../../onboardings/screen.ts';

// The masked contents of the vault, by family, and which of them are images of documents.

type Field = Inspection['vault'][number];

export const vault = partOf({
  title: 'Vault',
  columns: [
    { heading: 'FAMILY', drop: 2 },
    // The end of an identifier distinguishes it: those of one bank account begin alike.
    { heading: 'IDENTIFIER', isId: true },
    { heading: 'MASK', grows: true, atLeast: 18 },
    { heading: 'TYPE', drop: 1 },
    { heading: 'VERSION', align: 'right', drop: 3 },
    { heading: 'UPDATED (UTC)' },
  ],
  empty: 'The vault is empty',
  // Bank links add account numbers automatically.
  changesWith: ['request', 'onboarding', 'event'],
  page: (entity, ways) => ({
    rows: fieldRows(entity, ways),
    banner: entity.vault_version === 0 ? undefined : howToLookBack(entity.vault_version),
  }),
});

/**
 * The vault's version is used to read an older state. The contents of an old version are not part of the masked view
 * (contract §0.11).
 */
function howToLookBack(version: number): string {
  return `Vault version ${version}. An older version: kyclone vault get or decrypt … --at N`;
}

function fieldRows({ vault: fields }: Inspection, ways: Ways): Row[] {
  const { fp_id, kind: owner } = ways;
  const sorted = fields.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      byName.compare(familyOf(a), familyOf(b)) ||
      byName.compare(a.identifier, b.identifier),
  );
  return sorted.map((field, index) => {
    const { identifier, mask, type, version, updated_at } = field;
    const before = sorted[index - 1];
    const isFirst = before === undefined || familyOf(before) !== familyOf(field);
    return {
      data: field,
      key: identifier,
      cells: [
        // Every row has the family, for filter and sort. The first row of a family is highlighted.
        { text: shortened(familyOf(field), FAMILY_WIDTH), tone: isFirst ? 'accent' : 'dim' },
        identifier,
        mask,
        { text: type, tone: 'dim' },
        String(version),
        shortTime(updated_at),
      ],
      id: identifier,
      // With an identifier, the command would only show whether it exists.
      command: ways.command('vault', 'get', fp_id),
      call: ways.inspection,
      subject: { kind: 'field', fp_id, owner, identifier, type },
    };
  });
}

/** The alias of an account from a bank link is an id, which the identifier contains too. */
const FAMILY_WIDTH = 16;

const byName = new Intl.Collator('en', { numeric: true });

/** Each card and each account is a family of its own, by its alias. */
function familyOf({ identifier }: Field): string {
  const [family = '', alias = '', third] = identifier.split('.');
  if ((family === 'card' || family === 'bank') && third !== undefined) return `${family}.${alias}`;
  return family;
}

const FAMILIES: readonly string[] = IDENTIFIER_FAMILIES;

function rank({ identifier }: Field): number {
  const at = FAMILIES.indexOf(identifier.split('.', 1)[0] ?? '');
  return at === -1 ? FAMILIES.length : at;
}

const documents = partOf({
  title: 'Documents',
  columns: [
    { heading: 'DOCUMENT', isId: true, drop: 1 },
    { heading: 'TYPE' },
    { heading: 'SIDE' },
    { heading: 'IMAGE', isId: true, grows: true, atLeast: 30 },
    { heading: 'VERSION', align: 'right', drop: 2 },
    { heading: 'CREATED (UTC)' },
    { heading: 'ONBOARDING', isId: true, drop: 3 },
  ],
  empty: 'No documents',
  changesWith: ['request', 'onboarding'],
  page: (entity, ways) => ({ rows: imageRows(entity, ways) }),
});

function imageRows(entity: Inspection, ways: Ways): Row[] {
  const { fp_id, kind: owner, nouns } = ways;
  const current = new Map(entity.vault.map(({ identifier, version }) => [identifier, version]));
  return entity.documents.flatMap(({ id, document_type, created_at, onboarding_id, images }) =>
    DOCUMENT_SIDES.flatMap((side): Row[] => {
      const image = images[side];
      if (image === undefined) return [];
      // A replaced image is read with the version that stored it.
      const isCurrent = current.get(image.identifier) === image.version;
      const identifier = isCurrent ? image.identifier : `${image.identifier}:${image.version}`;
      return [
        {
          data: { id, document_type, created_at, onboarding_id, side, ...image, is_current: isCurrent },
          key: `${id} ${side}`,
          cells: [
            id,
            document_type,
            side,
            { text: identifier, tone: isCurrent ? 'plain' : 'dim' },
            String(image.version),
            shortTime(created_at),
            onboarding_id === '' ? '-' : onboarding_id,
          ],
          id,
          command: ways.command(nouns, 'documents', fp_id),
          call: ways.get(`/${nouns}/${encodeURIComponent(fp_id)}/documents`),
          subject: { kind: 'field', fp_id, owner, identifier, type: 'file' },
        },
      ];
    }),
  );
}

// Who may read an entity without an API key, and who has read it.

const tokens: PaneDefinition = {
  title: 'Tokens',
  columns: [
    { heading: 'ID', isId: true },
    { heading: 'SCOPE' },
    { heading: 'STATE' },
    { heading: 'EXPIRES (UTC)', drop: 1 },
    { heading: 'FIELDS', grows: true },
  ],
  empty: 'No client tokens',
  changesWith: ['request', 'clock'],
  async load(source, { params }) {
    const target = targetOf(params);
    const ways = waysTo(target, source);
    const [{ tokens: items }, now] = await Promise.all([inspected(source, target), daemonTime(source)]);
    const rows = items.map((token) => ({
      data: token,
      key: token.id,
      cells: [
        token.id,
        token.scope,
        stateOf(token, now),
        shortTime(token.expires_at),
        token.fields.join(' ') || '-',
      ],
      id: token.id,
      command: ways.command('tokens', 'list', target.fp_id),
      call: ways.inspection,
    }));
    return { rows, next: null, total: rows.length };
  },
};

function stateOf({ revoked, expires_at }: Inspection['tokens'][number], now: number): Cell {
  if (revoked) return { text: 'revoked', tone: 'dim' };
  return Date.parse(expires_at) <= now ? { text: 'expired', tone: 'dim' } : { text: 'valid', tone: 'good' };
}

const accessLog: PaneDefinition = {
  title: 'Access',
  columns: [
    { heading: 'AT (UTC)' },
    { heading: 'OPERATION' },
    { heading: 'OUTCOME' },
    { heading: 'OPERATOR' },
    { heading: 'BY', drop: 1 },
    { heading: 'IDENTIFIERS', isId: true, atLeast: 12 },
    { heading: 'REASON', grows: true },
  ],
  empty: 'Nobody has read data here; searches that found this record are in: kyclone audit list',
  changesWith: ['access'],
  isFeed: true,
  async load({ client }, { params, cursor, size }) {
    const { fp_id } = targetOf(params);
    const { data, meta } = await client.call('GET /_kyclone/access-log', {
      query: { fp_id, page_size: size, ...defined({ cursor }) },
    });
    return { rows: data.map((entry) => entryRow(entry, fp_id)), next: meta.next, total: meta.count };
  },
};

function entryRow(entry: AccessEntry, fp_id: string): Row {
  const { seq, at, operation, actor, reason, request_id, operator } = entry;
  return {
    data: entry,
    key: String(seq),
    cells: [
      shortTime(at),
      operation,
      outcomeCell(entry),
      operator ?? '-',
      `${actor.kind} ${actor.id}`,
      whatOf(entry),
      reason ?? '-',
    ],
    id: request_id,
    command: ['audit', 'list', '--entity', fp_id],
    call: { method: 'GET', path: `/_kyclone/access-log?fp_id=${encodeURIComponent(fp_id)}` },
    opens: { screen: 'request', params: { request_id } },
  };
}

// The runs of an entity, and the decisions about it.

type Run = AnswerOf<'GET /onboardings/{id}'>;

const onboardings: PaneDefinition = {
  title: 'Onboardings',
  columns: [
    { heading: 'ONBOARDING', isId: true, grows: true },
    { heading: 'STATUS' },
    { heading: 'REVIEW' },
    { heading: 'PLAYBOOK', drop: 2 },
    { heading: 'EXTERNAL ID', drop: 1 },
    { heading: 'STARTED (UTC)', drop: 3 },
    { heading: 'CHANGED (UTC)' },
  ],
  empty: 'No onboardings',
  changesWith: ['request', 'onboarding'],
  async load(source, { params, cursor }) {
    const target = targetOf(params);
    const ways = waysTo(target, source);
    const { onboardings: items } = await inspected(source, target);
    const { few, ...page } = fewOf(items, cursor);
    const runs = await Promise.all(few.map(({ id }) => beginningOf(source, id)));
    const rows = few.map(
      ({ id, playbook_key, playbook_version, status, requires_manual_review, timestamp }, index) => ({
        data: { ...few[index], ...runs[index] },
        key: id,
        cells: [
          id,
          statusCell(status, false),
          requires_manual_review ? ({ text: 'needed', tone: 'warn' } as const) : '-',
          `${playbook_key} v${playbook_version}`,
          runs[index]?.onboarding_external_id ?? '-',
          shortTime(runs[index]?.created_at ?? null),
          shortTime(timestamp),
        ],
        id,
        command: ways.command('onboardings', 'get', id),
        call: ways.get(`/onboardings/${id}`),
        opens: runPlace(target.fp_id, id),
      }),
    );
    return { rows, ...page };
  },
};

/** The start of the run and its external id, which never change. Undefined if no key may read it. */
async function beginningOf(source: Source, id: string): Promise<Run | undefined> {
  const ask = () => source.client.call('GET /onboardings/{id}', { params: { id } });
  try {
    return await askedBefore(source, { about: id, state: '' }, ask);
  } catch (error) {
    if (error instanceof ApiError || error instanceof MissingCredentialError) return undefined;
    throw error;
  }
}

const decisions = partOf({
  title: 'Decisions',
  columns: [
    { heading: 'AT (UTC)' },
    { heading: 'STATUS' },
    { heading: 'KIND' },
    { heading: 'BY' },
    { heading: 'ANNOTATION OR PLAYBOOK', grows: true },
  ],
  empty: 'No decisions',
  changesWith: ['request', 'onboarding'],
  page: ({ decisions: made }, ways) => ({
    rows: made.map(({ kind, status, timestamp, playbook_key, annotation, reviewer_email }, index) => ({
      data: made[index],
      // Decisions have no ids. New ones are added at the front only.
      key: String(made.length - index),
      cells: [
        shortTime(timestamp),
        statusCell(status, false),
        kind === 'manual' ? 'by hand' : 'by a run',
        reviewer_email ?? '-',
        annotation ?? playbook_key ?? '-',
      ],
      id: playbook_key ?? undefined,
      command: ways.command('decisions', 'list', ways.fp_id),
      call: ways.get(`${pathOf(ways)}/decisions`),
    })),
  }),
});

export const entityScreen: ScreenDefinition = {
  name: 'entity',
  title(params) {
    const { kind, fp_id } = targetOf(params);
    return `${kind === 'user' ? 'User' : 'Business'} ${fp_id}`;
  },
  subject(params) {
    const { kind, fp_id } = targetOf(params);
    return { kind, fp_id };
  },
  panes: [
    overview,
    vault,
    documents,
    onboardings,
    decisions,
    signals,
    duplicates,
    labels,
    owners,
    bankLinks,
    tokens,
    accessLog,
    timeline,
    notes,
  ],
};
