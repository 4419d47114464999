/**
 * The playbooks of this environment: the requirements of runs and hosted flows, and how they end (contract §4.1,
 * §14).
 */
import type { AnswerOf } from '../../contract/registry.ts';
import { counted } from '../../kernel/count-text.ts';
import { durationText } from '../../kernel/duration.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { Source } from '../data/source.ts';
import type { Page, Row } from '../state/model.ts';
import type { PageQuery, ScreenDefinition } from './definition.ts';
import { spacedCommand, spacedPath } from './space.ts';
import { defined } from '../../kernel/defined.ts';

type Playbook = AnswerOf<'GET /_kyclone/playbooks'>['data'][number];

export const playbooksScreen: ScreenDefinition = {
  name: 'playbooks',
  paletteName: 'playbooks',
  title: () => 'Playbooks',
  panes: [
    {
      title: 'Playbooks',
      columns: [
        { heading: 'NAME', grows: true, atLeast: 12 },
        { heading: 'KIND' },
        { heading: 'OUTCOME' },
        { heading: 'ASKS FOR', grows: true, atLeast: 18 },
        { heading: 'VERSION', align: 'right', drop: 1 },
        { heading: 'KEY', isId: true },
        { heading: 'IDENTIFIERS', drop: 2 },
        { heading: 'CREATED (UTC)', drop: 3 },
      ],
      empty: 'No playbooks: kyclone playbooks create makes one',
      changesWith: ['request'],
      load: loadPlaybooks,
    },
  ],
};

async function loadPlaybooks(source: Source, { cursor, size }: PageQuery): Promise<Page> {
  const { data, meta } = await source.client.call('GET /_kyclone/playbooks', {
    query: { ...source.space, page_size: size, ...defined({ cursor }) },
  });
  return { rows: data.map((each) => playbookRow(each, source)), next: meta.next, total: meta.count };
}

function playbookRow(playbook: Playbook, { space }: Source): Row {
  const { key, name, kind, version, created_at } = playbook;
  return {
    data: playbook,
    key,
    cells: [
      name,
      kind,
      outcomeText(playbook),
      askedText(playbook),
      String(version),
      key,
      identifiersText(playbook),
      shortTime(created_at),
    ],
    id: key,
    command: spacedCommand(['playbooks', 'get', key], space),
    call: { method: 'GET', path: spacedPath(`/_kyclone/playbooks/${key}`, space) },
  };
}

/** `pass after 2s, in a session after 5s`. */
function outcomeText(playbook: Playbook): string {
  const { has_rules, default_outcome, delay_ms: delay, session_delay_ms: later } = playbook;
  return [
    (has_rules ? default_outcome : 'none') + (delay === 0 ? '' : ` after ${durationText(delay)}`),
    ...(later === delay
      ? []
      : [later === 0 ? 'in a session at once' : `in a session after ${durationText(later)}`]),
  ].join(', ');
}

/** What must be there, for who reads the row: of a group one is enough. */
function identifiersText({ requirements }: Playbook): string {
  const each = requirements.map((group) => group.join(' or '));
  return each.join(', ') || '-';
}

/** What a hosted flow asks for beside the data that must be there. */
function askedText(playbook: Playbook): string {
  const {
    requirements,
    documents,
    selfie,
    collects_owners: owners,
    owners_playbook_key: ownersKey,
  } = playbook;
  return [
    ...(requirements.length === 0 ? [] : [counted(requirements.length, 'required value')]),
    ...(documents === null
      ? []
      : [documents.length === 1 ? String(documents[0]) : `one of ${documents.length} documents`]),
    ...(selfie ? ['selfie'] : []),
    ...(owners ? [ownersKey === null ? 'owners' : 'owners, each verified'] : []),
    ...(playbook.bank_link ? ['bank'] : []),
  ].join(', ');
}
