/** What a tenant sets up in an environment: playbooks, API keys, and rules for the outcome of runs. */
import type { AnswerOf } from '../../contract/registry.ts';
import { counted } from '../../kernel/count-text.ts';
import { durationText } from '../../kernel/duration.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { Source } from '../data/source.ts';
import type { Page, Row, Cell } from '../state/model.ts';
import type { PageQuery, ScreenDefinition } from './definition.ts';
import { defined } from '../../kernel/defined.ts';
import { spacedCommand, spacedPath } from './space.ts';

// Playbooks: the requirements of runs and hosted flows, and how they end (contract §4.1, §14).

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

// API keys, without their secrets (contract §0.2).

type ApiKey = AnswerOf<'GET /_kyclone/api-keys'>['data'][number];

export const keysScreen: ScreenDefinition = {
  name: 'keys',
  paletteName: 'api keys',
  title: () => 'API keys',
  panes: [
    {
      title: 'API keys',
      columns: [
        { heading: 'LAST USED (UTC)' },
        { heading: 'STATE' },
        { heading: 'NAME', grows: true, atLeast: 20 },
        { heading: 'KEY' },
        { heading: 'CREATED (UTC)', drop: 1 },
        { heading: 'MAY', drop: 3 },
        { heading: 'ID', isId: true, drop: 2 },
      ],
      empty: 'No API keys',
      changesWith: ['request'],
      creates: 'key_create',
      deletes: 'key_delete',
      load: loadKeys,
    },
  ],
};

async function loadKeys(source: Source, { cursor, size }: PageQuery): Promise<Page> {
  const { data, meta } = await source.client.call('GET /_kyclone/api-keys', {
    query: { ...source.space, page_size: size, ...defined({ cursor }) },
  });
  return { rows: data.map((each) => keyRow(each, source)), next: meta.next, total: meta.count };
}

function keyRow(key: ApiKey, source: Source): Row {
  const {
    id,
    name,
    prefix,
    created_at: at,
    last_used_at: used,
    enabled,
    permissions,
    scopes,
    environment,
  } = key;
  const isOwn = source.isOwnKey(prefix);
  const state = isOwn ? 'in use here' : enabled ? 'enabled' : 'disabled';
  return {
    data: key,
    key: id,
    cells: [
      used === null ? 'never' : shortTime(used),
      { text: state, tone: enabled ? 'good' : 'dim' },
      name,
      `${prefix}…`,
      shortTime(at),
      [...permissions, ...scopes].join(' '),
      id,
    ],
    id,
    command: ['keys', 'list', '--environment', environment],
    call: { method: 'GET', path: `/_kyclone/api-keys?environment=${environment}` },
    // Revoking the key in use would lock the inspector out.
    ...(!isOwn && {
      subject: {
        kind: 'thing',
        what: 'key',
        id,
        name,
        isEnabled: enabled,
        details: `${prefix}…, of the ${environment} environment`,
      },
    }),
  };
}

// Outcome rules, in the order of evaluation (contract §4.3).

type Rule = AnswerOf<'GET /_kyclone/outcomes'>['data'][number];

export const outcomesScreen: ScreenDefinition = {
  name: 'outcomes',
  paletteName: 'outcome rules',
  title: () => 'Outcome rules',
  panes: [
    {
      title: 'Outcome rules',
      columns: [
        { heading: 'PRIORITY', align: 'right' },
        { heading: 'OUTCOME' },
        { heading: 'RUNS WITH', grows: true, atLeast: 20 },
        { heading: 'LEFT' },
        { heading: 'ALSO', drop: 1 },
        { heading: 'RULE', isId: true, atLeast: 12 },
      ],
      empty: 'No outcome rules: + creates one',
      changesWith: ['request', 'onboarding'],
      creates: 'outcome_create',
      deletes: 'outcome_delete',
      load: loadRules,
    },
  ],
};

async function loadRules(source: Source, { cursor, size }: PageQuery): Promise<Page> {
  const { data, meta } = await source.client.call('GET /_kyclone/outcomes', {
    query: { ...source.space, page_size: size, ...defined({ cursor }) },
  });
  return { rows: data.map((each) => ruleRow(each, source)), next: meta.next, total: meta.count };
}

function ruleRow(rule: Rule, { space }: Source): Row {
  const { id, outcome, priority } = rule;
  const runs = matchText(rule);
  const left = leftCell(rule);
  return {
    data: rule,
    key: id,
    cells: [String(priority), outcome, runs, left, alsoText(rule), id],
    id,
    command: spacedCommand(['outcomes', 'get', id], space),
    call: { method: 'GET', path: spacedPath(`/_kyclone/outcomes/${id}`, space) },
    subject: {
      kind: 'thing',
      what: 'outcome',
      id,
      isEnabled: rule.enabled,
      name: `runs with ${runs} end as ${outcome}`,
      details: left.text,
    },
  };
}

/** The daemon sends a matched value masked. */
function matchText({ match: { identifier, ...texts } }: Rule): string {
  const parts = Object.entries(texts).map(([name, text]) => `${name.replaceAll('_', ' ')} ${text}`);
  return [...parts, ...(identifier ? [`${identifier.name} ${identifier.equals}`] : [])].join(', ');
}

function leftCell({ enabled, times, remaining }: Rule): Cell {
  if (!enabled) return { text: 'disabled', tone: 'dim' };
  if (times === undefined) return { text: 'always', tone: 'plain' };
  const left = remaining ?? times;
  return { text: `${left} of ${times}`, tone: left === 0 ? 'dim' : 'plain' };
}

function alsoText({ delay_ms: delay, signals }: Rule): string {
  return [
    ...(delay === undefined ? [] : [`after ${durationText(delay)}`]),
    ...(signals?.add.map((code) => `+${code}`) ?? []),
    ...(signals?.remove.map((code) => `-${code}`) ?? []),
  ].join(' ');
}
