/** The commands that are run most; apart, so that they load none of the others. */
import { string } from '@oclif/core/flags';
import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { ifFound } from '../../../client/errors.ts';
import { readInspection } from '../../../client/inspection.ts';
import { derived, made } from '../../../cli/shell/derived.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import {
  entityArg,
  identifiersArg,
  integerFlag,
  liveFlag,
  reasonFlag,
  reasonOf,
  repeatable,
  someIdentifiersArg,
} from '../../../cli/shell/flags.ts';
import { isBusinessId } from '../../../kernel/ids/ids.ts';
import { contentsView, valuesView, type Inspection, type Presence } from './view.ts';

const versionHeader = (version: number | undefined) => ({ 'x-fp-vault-version': version?.toString() });

export default {
  'vault:decrypt': derived('POST /{entity}/vault/decrypt', {
    summary: 'Decrypt values of a vault, with a reason that goes into the access log',
    examples: [
      'fp_id_… id.first_name --reason "support case 4711"',
      `fp_id_… id.dob --reason test --transform "date_format('%Y-%m-%d','%m/%d/%Y')"`,
    ],
    args: { ...entityArg, ...someIdentifiersArg },
    flags: {
      reason: reasonFlag({ summary: 'why; asked for on a terminal' }),
      transform: string({
        summary: 'a chain of transforms for every value; repeatable',
        helpValue: 'CHAIN',
        ...repeatable,
      }),
      at: integerFlag({ summary: 'the values as of this vault version', min: 0, helpValue: 'VERSION' }),
      'at-time': string({ summary: 'the values as of this time (users only)', helpValue: 'TIME' }),
      ...liveFlag,
    },
    headers: ({ flags }) => versionHeader(flags.at),
    send: async ({ args, flags: { reason, transform, 'at-time': time } }, { input }) => {
      if (time !== undefined && isBusinessId(args.fp_id)) throw new UsageError('--at-time is for users only');
      return {
        fields: args.identifiers,
        reason: await reasonOf(reason, input),
        transforms: transform,
        version_at: time,
      };
    },
    view: valuesView,
  }),
  'vault:get': made(
    {
      summary: 'Show the masked contents of a vault; with identifiers, which of them are present',
      description:
        'Without identifiers it shows the masked view of the control plane if its token is known, otherwise the identifiers ' +
        'that are present. Nothing is decrypted, nothing is logged.',
      examples: ['fp_id_…', 'fp_id_… id.ssn9 id.email --json'],
      args: { ...entityArg, ...identifiersArg },
      flags: {
        at: integerFlag({
          summary: 'the identifiers present at this vault version',
          min: 0,
          helpValue: 'VERSION',
        }),
        ...liveFlag,
      },
      view: contentsView,
    },
    async ({ args, flags }, { client, access }): Promise<Inspection | Presence> => {
      const { fp_id: id, identifiers } = args;
      const isWhole = identifiers === undefined && flags.at === undefined;
      if (isWhole && (await access()).controlToken !== undefined) {
        // Another tenant's entity is not found here, but the key may still see it.
        const whole = await ifFound(readInspection(client, id, flags.live ? { environment: 'live' } : {}));
        if (whole !== undefined) return whole;
      }
      const { key, params } = entityEndpoint('GET /{entity}/vault', id);
      const query = { fields: identifiers?.join(',') };
      return client.call(key, { params, query, headers: versionHeader(flags.at) });
    },
  ),
};
