import { option, string } from '@oclif/core/flags';
import { ACCESS_MISSES, ACCESS_OPERATIONS, ACCESS_OUTCOMES } from './facts.ts';
import { VERIFICATION_RESULTS } from '../vault/facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { derived } from '../../cli/shell/derived.ts';
import { requireKnown } from '../../cli/shell/entity-names.ts';
import { entityFlag, pageFlags } from '../../cli/shell/flags.ts';
import { listView, shortTime } from '../../cli/shell/layout.ts';
import type { Style } from '../../cli/shell/output.ts';
import { momentFlag, resolveMoment } from '../../cli/shell/times.ts';
import { counted } from '../../kernel/text/count-text.ts';
import { nameInList } from '../../kernel/text/text.ts';

type AccessLog = AnswerOf<'GET /_kyclone/access-log'>;

export const auditListView = listView<AccessLog>('No entries', [
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

/** `id.dob: no match` for an identifier of a verification. */
function withResult(identifier: string, results: AccessLog['data'][number]['results']): string {
  const result = results?.[identifier];
  const name = nameInList(identifier);
  return result === undefined ? name : `${name}: ${result.replaceAll('_', ' ')}`;
}

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

export default {
  'audit:verify': derived('GET /_kyclone/access-log/verify', {
    summary: 'Recompute the hash chain of the access log; exit code 1 when it is broken',
    description:
      'The last entry is also kept beside the store, in access-log.anchor in the data folder: a log that ends before it, ' +
      'and an anchor that is missing or was changed, are reported and end with exit code 1, too. To keep the state and ' +
      'begin a new anchor, save a snapshot and load it.',
    examples: ['', '--field ok'],
    view: auditVerifyView,
    fails: ({ ok }) => !ok,
  }),
  'audit:list': derived('GET /_kyclone/access-log', {
    summary: 'List who read or did what and why, newest first',
    description:
      'Reads, searches and verifications, granted and refused, and actions with their effect: labels, tags, owners, notes that were deleted, events that were sent again, runs with a chosen outcome, decisions by hand and on hits.',
    examples: ['', '--operator Ada --since 1d', '--misses repeated', '--entity fp_id_… --outcome refused'],
    flags: {
      entity: entityFlag('only of this user or business'),
      identifier: string({ summary: 'only of this data identifier', helpValue: 'IDENTIFIER' }),
      operation: option({ summary: 'only of this kind', options: ACCESS_OPERATIONS })(),
      operator: string({
        summary: 'only of the operator with this whole name, in any case (header x-kyclone-operator)',
        helpValue: 'NAME',
      }),
      outcome: option({ summary: 'only with this outcome', options: ACCESS_OUTCOMES })(),
      result: option({
        summary: 'only verifications with this result for one of their fields',
        options: VERIFICATION_RESULTS,
      })(),
      misses: option({
        summary: 'only wrong values of somebody about whom three were stated within an hour',
        options: ACCESS_MISSES,
      })(),
      since: momentFlag({ summary: 'only from this time on: a time, or how long ago (10m)' }),
      until: momentFlag({ summary: 'only before this time: a time, or how long ago (10m)' }),
      search: string({
        summary: 'only with these words in operator, ids, identifiers, operation or reason',
        helpValue: 'WORDS',
      }),
      ...pageFlags,
    },
    send: async ({ flags }, { client }) => {
      const { entity: fp_id, identifier, operation, operator, outcome, result, misses, search: q } = flags;
      const since = flags.since && (await resolveMoment(flags.since, client));
      const until = flags.until && (await resolveMoment(flags.until, client));
      return { fp_id, identifier, operation, operator, outcome, result, misses, since, until, q };
    },
    after: async (page, { flags: { entity } }, { client }) => {
      if (entity !== undefined && page.data.length === 0) await requireKnown(entity, client);
      return page;
    },
    view: auditListView,
  }),
};
