import { option, string } from '@oclif/core/flags';
import { ACCESS_MISSES, ACCESS_OPERATIONS, ACCESS_OUTCOMES } from './facts.ts';
import { VERIFICATION_RESULTS } from '../vault/facts.ts';
import { auditListView, auditVerifyView } from '../../cli/instance/control-view.ts';
import { derived, made } from '../../cli/shell/derived.ts';
import { requireKnown } from '../../cli/shell/entity-names.ts';
import { entityFlag, pageFlags, pageQuery } from '../../cli/shell/flags.ts';
import { momentFlag, resolveMoment } from '../../cli/shell/times.ts';

export default {
  'audit:verify': derived('GET /_kyclone/access-log/verify', {
    summary: 'Recompute the hash chain of the access log; exit code 1 when it is broken',
    description:
      'The last entry is also kept beside the store, in access-log.anchor in the data folder: a log that ends before it, ' +
      'and an anchor that is missing or was changed, are reported and end with exit code 1, too. To keep the state and ' +
      'begin a new anchor, save a snapshot and load it.',
    examples: ['audit verify', 'audit verify --field ok'],
    view: auditVerifyView,
    fails: ({ ok }) => !ok,
  }),
  'audit:list': made(
    {
      summary: 'List who read or did what and why, newest first',
      description:
        'Reads, searches and verifications, granted and refused, and actions with their effect: labels, tags, owners, notes that were deleted, events that were sent again, runs with a chosen outcome, decisions by hand and on hits.',
      examples: [
        'audit list',
        'audit list --operator Ada --since 1d',
        'audit list --misses repeated',
        'audit list --entity fp_id_7p793EF07xKXHqAeg5VGPj --outcome refused',
      ],
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
      view: auditListView,
    },
    async ({ flags }, { client }) => {
      const { entity: fp_id, identifier, operation, operator, outcome, result, misses, search: q } = flags;
      const since = flags.since && (await resolveMoment(flags.since, client));
      const until = flags.until && (await resolveMoment(flags.until, client));
      const query = {
        fp_id,
        identifier,
        operation,
        operator,
        outcome,
        result,
        misses,
        since,
        until,
        q,
        ...pageQuery(flags),
      };
      const page = await client.call('GET /_kyclone/access-log', { query });
      if (fp_id !== undefined && page.data.length === 0) await requireKnown(fp_id, client);
      return page;
    },
  ),
};
