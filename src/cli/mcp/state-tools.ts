/** Tools that show the configuration of the emulator, and the identifiers of its vault. */
import { Type } from '@sinclair/typebox';
import { allPages } from '../../client/pages.ts';
import { FAULT_PRESETS } from '../../contract/fault-presets.ts';
import { identifiersBeginningWith } from '../../vault/identifiers/catalogue.ts';
import { clockState } from '../clock/clock.ts';
import { docsAddress } from '../instance/view.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { SANDBOX, tool, type Tool } from './tool.ts';

const nothing = Type.Object({}, { additionalProperties: false });

const status = tool({
  name: 'status',
  description:
    'Whether the emulator runs and where: address, instance, version, storage, its clock, and whether this server may change anything. Credentials are not shown.',
  effect: 'reads',
  input: nothing,
  run: async (_args, { client, baseUrl, allowsChanges }) => {
    const [{ instance, version, storage, started_at }, clock] = await Promise.all([
      client.call('GET /_kyclone/info'),
      clockState(client),
    ]);
    const address = await baseUrl();
    return {
      base_url: address,
      docs_url: docsAddress(address),
      instance,
      version,
      storage,
      started_at,
      clock,
      environment: SANDBOX.environment,
      changes_allowed: allowsChanges,
    };
  },
});

const listIdentifiers = tool({
  name: 'list_identifiers',
  description:
    'Data identifiers that the vault takes, such as id.first_name, each with its rule and a made-up example. Give a prefix, because the whole list is long.',
  effect: 'reads',
  input: Type.Object(
    {
      prefix: Type.Optional(
        Type.String({ maxLength: 300, description: 'beginning of the identifiers, such as id. or card.' }),
      ),
    },
    { additionalProperties: false },
  ),
  run: async ({ prefix = '' }) => {
    const entries = identifiersBeginningWith(prefix);
    if (entries.length === 0)
      throw new CliError('No identifier has this prefix', {
        code: 'not_found',
        exitCode: EXIT.notFound,
        hint: 'id., business., card., bank., document. and custom. are the prefixes of identifiers',
      });
    return await Promise.resolve({
      identifiers: entries.map(({ identifier, rule, example, masked, searchable, derived }) => ({
        identifier,
        rule,
        example,
        masked,
        searchable,
        derived,
      })),
    });
  },
});

const listOutcomeRules = tool({
  name: 'list_outcome_rules',
  description:
    'Rules that decide the outcomes of sandbox onboardings, in the order of application. The value that a rule matches is masked.',
  effect: 'reads',
  input: nothing,
  run: async (_args, { client }) => ({
    outcome_rules: await allPages((page) =>
      client.call('GET /_kyclone/outcomes', { query: { ...page, ...SANDBOX } }),
    ),
  }),
});

const listFaultRules = tool({
  name: 'list_fault_rules',
  description:
    'Rules that make requests fail, wait or lose their connection, in order of precedence, and the presets for new rules.',
  effect: 'reads',
  input: nothing,
  run: async (_args, { client }) => ({
    fault_rules: await allPages((page) => client.call('GET /_kyclone/faults', { query: page })),
    presets: FAULT_PRESETS.map(({ name, description }) => ({ name, description })),
  }),
});

const readClock = tool({
  name: 'read_clock',
  description:
    'What time it is in the emulator, and whether its clock is frozen or moved away from real time.',
  effect: 'reads',
  input: nothing,
  run: async (_args, { client }) => await clockState(client),
});

export const stateTools: readonly Tool[] = [
  ...[status, listIdentifiers, listOutcomeRules, listFaultRules, readClock],
];
