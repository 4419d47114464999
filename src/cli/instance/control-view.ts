import { pairs, shortTime, table, listView } from '../shell/layout.ts';
import { counted } from '../../kernel/count-text.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import type { Style } from '../shell/output.ts';
import { defined } from '../../kernel/defined.ts';

export const keyListView = listView<AnswerOf<'GET /_kyclone/api-keys'>>('No keys', [
  ['ID', 'id'],
  ['NAME', 'name'],
  ['TENANT', 'tenant', 2],
  ['ENVIRONMENT', 'environment'],
  ['PREFIX', 'prefix', 3],
  ['ENABLED', 'enabled'],
  ['LAST USED (UTC)', (key) => shortTime(key.last_used_at), 1],
]);

export function keyView(key: AnswerOf<'PATCH /_kyclone/api-keys/{id}'>, style: Style): string {
  const { id, name, tenant, environment, scopes, permissions, enabled } = key;
  const [may, reaches] = [permissions, scopes].map((all) => (all.length === 0 ? 'none' : all.join(', ')));
  return pairs(
    { id, name, tenant, environment, scopes: reaches, permissions: may, enabled: enabled ? 'yes' : 'no' },
    style,
  );
}

export function newKeyView(key: AnswerOf<'POST /_kyclone/api-keys'>, style: Style): string {
  const { id, name, tenant, environment } = key;
  return `${pairs({ id, name, tenant, environment, key: key.key }, style)}\n${style.warn('The key is shown only once')}`;
}

export function keyringView(keyring: AnswerOf<'GET /_kyclone/keyring'>, style: Style): string {
  const rows = keyring.slots.map(({ id, kind, created_at, last_used_at }) => [
    id,
    kind,
    shortTime(created_at),
    shortTime(last_used_at),
  ]);
  const entities = Object.entries(keyring.entities_by_root_key_version).map(
    ([version, count]) => `${count} under version ${version}`,
  );
  return [
    pairs(
      {
        'root key version': keyring.root_key_version,
        'oldest in use': keyring.min_root_key_version,
        entities: entities.join(', '),
      },
      style,
    ),
    '',
    table(
      ['SLOT', 'KIND', { text: 'CREATED (UTC)', drop: 2 }, { text: 'LAST USED (UTC)', drop: 1 }],
      rows,
      style,
      'No slots: the key is kept in memory only',
    ),
  ].join('\n');
}

export function newSlotView(slot: AnswerOf<'POST /_kyclone/keyring/slots'>, style: Style): string {
  const { id, kind, recovery_code: code } = slot;
  const shown = pairs({ id, kind, ...defined({ 'recovery code': code }) }, style);
  return code === undefined ? shown : `${shown}\n${style.warn('The code is shown only once')}`;
}

/** `id.dob: no match` for an identifier of a verification. */
function withResult(
  identifier: string,
  results: AnswerOf<'GET /_kyclone/access-log'>['data'][number]['results'],
): string {
  const result = results?.[identifier];
  return result === undefined ? identifier : `${identifier}: ${result.replaceAll('_', ' ')}`;
}

export const auditListView = listView<AnswerOf<'GET /_kyclone/access-log'>>('No entries', [
  ['SEQ', 'seq'],
  ['AT (UTC)', ({ at }) => shortTime(at)],
  ['OPERATION', 'operation'],
  ['OUTCOME', 'outcome', 1],
  ['ENTITY', 'fp_id'],
  [
    'IDENTIFIERS',
    ({ identifiers, results }) => identifiers.map((name) => withResult(name, results)).join(' '),
    3,
  ],
  ['OPERATOR', 'operator', 4],
  ['BY', ({ actor }) => `${actor.kind} ${actor.id}`, 5],
  ['EFFECT', 'effect', 3],
  ['REASON', 'reason', 2],
]);

const ANCHOR_TEXT: Readonly<Record<string, (seq: number) => string>> = {
  log_behind: (seq) =>
    `The log is behind its anchor, which knows entry ${seq}: the log was shortened, or replaced by an older store`,
  damaged: () =>
    'The anchor of the log, access-log.anchor in the data folder, was changed by something other than kyclone',
  missing: () =>
    'The anchor of the log, access-log.anchor in the data folder, is missing: a shortened log would not show',
};

const ANCHOR_HINT =
  'To keep the state and begin a new anchor, save a snapshot and load it: kyclone snapshot create NAME, kyclone snapshot load NAME --yes';

export function auditVerifyView(verdict: AnswerOf<'GET /_kyclone/access-log/verify'>, style: Style): string {
  const entries = counted(verdict.checked, 'entry', 'entries');
  const chain =
    verdict.first_bad_seq === null
      ? style.good(`The chain holds: ${entries} checked`)
      : style.bad(`The chain is broken at entry ${verdict.first_bad_seq}; ${entries} checked`);
  const textOf = ANCHOR_TEXT[verdict.anchor.state];
  return textOf === undefined
    ? chain
    : [chain, style.bad(textOf(verdict.anchor.seq ?? 0)), ANCHOR_HINT].join('\n');
}

export function resetView({ deleted }: AnswerOf<'POST /_kyclone/reset'>, style: Style): string {
  const rows = Object.entries(deleted).map(([noun, count]) => [noun, count]);
  return table(['DELETED', 'COUNT'], rows, style, 'There was nothing to delete');
}
