/**
 * One user or business, with everything about it, masked (contract §11). The kind may be omitted when it is opened.
 */
import { ApiError, MissingCredentialError } from '../../../client/errors.ts';
import { DOCUMENT_SIDES, IDENTIFIER_FAMILIES } from '../../vault/facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { defined } from '../../../kernel/defined.ts';
import { nameInList } from '../../../kernel/text/text.ts';
import { shortened, shortTime } from '../../../kernel/text/terminal-text.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Cell } from '../../../tui/state/model.ts';
import { copiesOfAccess, daemonTime, outcomeCell, whatOf } from '../../access-log/screen.ts';
import type { PageQuery, ScreenDefinition } from '../../../tui/screens/definition.ts';
import { itemsPane } from '../../../tui/screens/list-pane.ts';
import { askedBefore } from './asked-before.ts';
import { fewOf, inspected, type Inspection, itemsOf, targetOf, waysTo } from './inspection.ts';
import { notes } from './notes.ts';
import { overview } from './overview.ts';
import { bankLinks, duplicates, labels, owners } from './relations.ts';
import { signals } from './signals.ts';
import { timeline } from './timeline.ts';
import { statusCell } from './people.ts';
import { runPlace } from '../../onboardings/screen.ts';

// The masked contents of the vault, by family, and which of them are images of documents.

type Field = Inspection['vault'][number];

export const vault = itemsPane(findFields, {
  title: 'Vault',
  columns: [
    // Every row has the family, for filter and sort. The first row of a family is highlighted.
    {
      heading: 'FAMILY',
      drop: 2,
      cell: ({ field, isFirst }) => ({
        text: shortened(familyOf(field), FAMILY_WIDTH),
        tone: isFirst ? 'accent' : 'dim',
      }),
    },
    // The end of an identifier distinguishes it: those of one bank account begin alike.
    { heading: 'IDENTIFIER', isId: true, cell: ({ field }) => field.identifier },
    { heading: 'MASK', grows: true, atLeast: 18, cell: ({ field }) => field.mask },
    { heading: 'TYPE', drop: 1, cell: ({ field }) => ({ text: field.type, tone: 'dim' }) },
    { heading: 'VERSION', align: 'right', drop: 3, cell: ({ field }) => String(field.version) },
    { heading: 'UPDATED (UTC)', cell: ({ field }) => shortTime(field.updated_at) },
  ],
  empty: 'The vault is empty',
  // Bank links add account numbers automatically.
  changesWith: ['request', 'onboarding', 'event'],
  row: ({ field }, { fp_id, kind: owner, ...ways }) => ({
    data: field,
    id: field.identifier,
    // With an identifier, the command would only show whether it exists.
    ...ways.copies(['vault', 'get', fp_id], ways.inspection),
    subject: { kind: 'field', fp_id, owner, identifier: field.identifier, type: field.type },
  }),
});

async function findFields(source: Source, { params }: PageQuery) {
  const target = targetOf(params);
  const { vault: fields, vault_version: version } = await inspected(source, target);
  const sorted = fields.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      byName.compare(familyOf(a), familyOf(b)) ||
      byName.compare(a.identifier, b.identifier),
  );
  const items = sorted.map((field, index) => {
    const before = sorted[index - 1];
    return { field, isFirst: before === undefined || familyOf(before) !== familyOf(field) };
  });
  const banner = version === 0 ? undefined : howToLookBack(version);
  return { items, more: waysTo(target, source), banner };
}

/**
 * The vault's version is used to read an older state. The contents of an old version are not part of the masked view
 * (contract §0.11).
 */
function howToLookBack(version: number): string {
  return `Vault version ${version}. An older version: kyclone vault get or decrypt … --at N`;
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

const documents = itemsOf(imagesOf, {
  title: 'Documents',
  columns: [
    { heading: 'DOCUMENT', isId: true, drop: 1, cell: 'id' },
    { heading: 'TYPE', cell: 'document_type' },
    { heading: 'SIDE', cell: 'side' },
    {
      heading: 'IMAGE',
      isId: true,
      grows: true,
      atLeast: 30,
      cell: (image) => ({ text: imageText(image), tone: image.is_current ? 'plain' : 'dim' }),
    },
    { heading: 'VERSION', align: 'right', drop: 2, cell: 'version' },
    { heading: 'CREATED (UTC)', cell: ({ created_at: at }) => shortTime(at) },
    { heading: 'ONBOARDING', isId: true, drop: 3, cell: ({ onboarding_id: id }) => id || '-' },
  ],
  empty: 'No documents',
  changesWith: ['request', 'onboarding'],
  row: (image, { fp_id, kind: owner, nouns, ...ways }) => ({
    key: `${image.id} ${image.side}`,
    id: image.id,
    ...ways.copies([nouns, 'documents', fp_id], `${ways.path}/documents`),
    subject: { kind: 'field', fp_id, owner, identifier: imageText(image), type: 'file' },
  }),
});

function imagesOf({ vault: fields, documents: all }: Inspection) {
  const current = new Map(fields.map(({ identifier, version }) => [identifier, version]));
  return all.flatMap(({ id, document_type, created_at, onboarding_id, images }) =>
    DOCUMENT_SIDES.flatMap((side) => {
      const image = images[side];
      if (image === undefined) return [];
      const is_current = current.get(image.identifier) === image.version;
      return [{ id, document_type, created_at, onboarding_id, side, ...image, is_current }];
    }),
  );
}

/** A replaced image is read with the version that stored it. */
function imageText(image: { identifier: string; version: number; is_current: boolean }): string {
  return image.is_current ? image.identifier : `${image.identifier}:${image.version}`;
}

// Who may read an entity without an API key, and who has read it.

const tokens = itemsPane(findTokens, {
  title: 'Tokens',
  columns: [
    { heading: 'ID', isId: true, cell: 'id' },
    { heading: 'SCOPE', cell: 'scope' },
    { heading: 'STATE', cell: stateOf },
    { heading: 'EXPIRES (UTC)', drop: 1, cell: ({ expires_at: at }) => shortTime(at) },
    { heading: 'FIELDS', grows: true, cell: ({ fields }) => fields.map(nameInList).join(' ') || '-' },
  ],
  empty: 'No client tokens',
  changesWith: ['request', 'clock'],
  row: ({ id }, ways) => ({ id, ...ways.copies(['tokens', 'list', ways.fp_id], ways.inspection) }),
});

async function findTokens(source: Source, { params }: PageQuery) {
  const target = targetOf(params);
  const [entity, now] = await Promise.all([inspected(source, target), daemonTime(source)]);
  return { items: entity.tokens, more: { ...waysTo(target, source), now } };
}

function stateOf({ revoked, expires_at }: Inspection['tokens'][number], { now }: { now: number }): Cell {
  if (revoked) return { text: 'revoked', tone: 'dim' };
  return Date.parse(expires_at) <= now ? { text: 'expired', tone: 'dim' } : { text: 'valid', tone: 'good' };
}

const accessLog = itemsPane(findEntries, {
  title: 'Access',
  columns: [
    { heading: 'AT (UTC)', cell: ({ at }) => shortTime(at) },
    { heading: 'OPERATION', cell: 'operation' },
    { heading: 'OUTCOME', cell: outcomeCell },
    { heading: 'OPERATOR', cell: 'operator' },
    { heading: 'BY', drop: 1, cell: ({ actor }) => `${actor.kind} ${actor.id}` },
    { heading: 'IDENTIFIERS', isId: true, atLeast: 12, cell: whatOf },
    { heading: 'REASON', grows: true, cell: 'reason' },
  ],
  empty: 'Nobody has read data here; searches that found this record are in: kyclone audit list',
  changesWith: ['access'],
  isFeed: true,
  row: ({ seq, request_id }, fp_id) => ({
    key: String(seq),
    id: request_id,
    ...copiesOfAccess(fp_id),
    opens: { screen: 'request', params: { request_id } },
  }),
});

async function findEntries({ client }: Source, { params, cursor, size }: PageQuery) {
  const { fp_id } = targetOf(params);
  const { data, meta } = await client.call('GET /_kyclone/access-log', {
    query: { fp_id, page_size: size, ...defined({ cursor }) },
  });
  return { items: data, more: fp_id, next: meta.next, total: meta.count };
}

// The runs of an entity, and the decisions about it.

type Run = AnswerOf<'GET /onboardings/{id}'>;

const onboardings = itemsPane(findRuns, {
  title: 'Onboardings',
  columns: [
    { heading: 'ONBOARDING', isId: true, grows: true, cell: ({ item }) => item.id },
    { heading: 'STATUS', cell: ({ item }) => statusCell(item.status, false) },
    {
      heading: 'REVIEW',
      cell: ({ item }) => (item.requires_manual_review ? { text: 'needed', tone: 'warn' } : '-'),
    },
    { heading: 'PLAYBOOK', drop: 2, cell: ({ item }) => `${item.playbook_key} v${item.playbook_version}` },
    { heading: 'EXTERNAL ID', drop: 1, cell: ({ run }) => run?.onboarding_external_id ?? '-' },
    { heading: 'STARTED (UTC)', drop: 3, cell: ({ run }) => shortTime(run?.created_at ?? null) },
    { heading: 'CHANGED (UTC)', cell: ({ item }) => shortTime(item.timestamp) },
  ],
  empty: 'No onboardings',
  changesWith: ['request', 'onboarding'],
  row: ({ item, run }, ways) => ({
    data: { ...item, ...run },
    id: item.id,
    ...ways.copies(['onboardings', 'get', item.id], `/onboardings/${item.id}`),
    opens: runPlace(ways.fp_id, item.id),
  }),
});

async function findRuns(source: Source, { params, cursor }: PageQuery) {
  const target = targetOf(params);
  const { onboardings: all } = await inspected(source, target);
  const { few, ...page } = fewOf(all, cursor);
  const items = await Promise.all(
    few.map(async (item) => ({ item, run: await beginningOf(source, item.id) })),
  );
  return { items, more: waysTo(target, source), ...page };
}

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

const decisions = itemsOf(
  (entity) => entity.decisions.map((made, index, { length }) => ({ made, number: length - index })),
  {
    title: 'Decisions',
    columns: [
      { heading: 'AT (UTC)', cell: ({ made }) => shortTime(made.timestamp) },
      { heading: 'STATUS', cell: ({ made }) => statusCell(made.status, false) },
      { heading: 'KIND', cell: ({ made }) => (made.kind === 'manual' ? 'by hand' : 'by a run') },
      { heading: 'BY', cell: ({ made }) => made.reviewer_email ?? '-' },
      {
        heading: 'ANNOTATION OR PLAYBOOK',
        grows: true,
        cell: ({ made }) => made.annotation ?? made.playbook_key ?? '-',
      },
    ],
    empty: 'No decisions',
    changesWith: ['request', 'onboarding'],
    row: ({ made, number }, ways) => ({
      data: made,
      // Decisions have no ids. New ones are added at the front only.
      key: String(number),
      id: made.playbook_key ?? undefined,
      ...ways.copies(['decisions', 'list', ways.fp_id], `${ways.path}/decisions`),
    }),
  },
);

export const entityScreen: ScreenDefinition = {
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
