import { string } from '@oclif/core/flags';
import type { Client } from '../../../client/client.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import { twins } from './twins.ts';
import { entityView } from './view.ts';
import { made } from '../../../cli/shell/derived.ts';
import { CliError, describeFailure } from '../../../cli/shell/failure.ts';
import { readFieldsAndFiles, type FileField } from '../../../cli/shell/fields.ts';
import { fieldsArg, fieldFlags, type FlagValues, liveFlag, luhnHeader } from '../../../cli/shell/flags.ts';
import {
  callsOf,
  closeFiles,
  openFiles,
  PartlyWrittenError,
  requireOneCall,
  writeVault,
} from '../../vault/commands/writes.ts';

const createFlags = {
  'external-id': string({
    summary: 'your own id; creating it again returns the same entity',
    helpValue: 'ID',
  }),
  'idempotency-id': string({ summary: 'makes repeating this call harmless', helpValue: 'ID' }),
  'sandbox-id': string({ summary: 'id in the sandbox (default: a generated one)', helpValue: 'ID' }),
  ...fieldFlags,
  ...liveFlag,
};

type CreateFlags = FlagValues<typeof createFlags>;

/** The headers for creating a user or a business (contract §2.1). */
function createHeaders(flags: CreateFlags) {
  return {
    'x-external-id': flags['external-id'],
    'x-idempotency-id': flags['idempotency-id'],
    'x-sandbox-id': flags['sandbox-id'],
    ...luhnHeader(flags),
  };
}

interface FirstWrite {
  readonly client: Client;
  readonly body: Readonly<Record<string, JsonValue>> | undefined;
  readonly files: readonly FileField[];
  readonly flags: CreateFlags;
  readonly isDryRun: boolean;
}

/**
 * Creates the entity. If the creating call has an id of the caller's, it takes no values (contract §2.1), and they
 * are written by a second call. Files always are. Errors of the later calls report what exists by then.
 */
async function createAndWrite<Made extends { readonly id: string }>(
  create: (options: {
    headers: ReturnType<typeof createHeaders>;
    body?: FirstWrite['body'];
  }) => Promise<Made>,
  { client, body, files: named, flags, isDryRun }: FirstWrite,
): Promise<Made> {
  const names = Object.keys(body ?? {});
  const isApart = isNamedWithValues(flags, body);
  const values = isApart ? body : {};
  requireOneCall(isDryRun, 1 + callsOf({ values, files: named }));
  const files = await openFiles(named);
  try {
    const headers = createHeaders(isApart ? { ...flags, 'ignore-luhn': false } : flags);
    const made = await create(isApart ? { headers } : { headers, body });
    const before = isApart ? [] : names;
    try {
      await writeVault(client, { id: made.id, values, files, luhn: flags, before });
    } catch (error) {
      throw notWhollyWritten(error, made.id, isApart);
    }
    return made;
  } finally {
    closeFiles(files);
  }
}

function notWhollyWritten(error: unknown, id: string, isRepeatable: boolean): CliError {
  const { message, code, context, exitCode, requestId } = describeFailure(error);
  const what =
    error instanceof PartlyWrittenError
      ? `exists; ${error.summary}`
      : 'exists, and none of these values was written';
  const next = isRepeatable
    ? 'run the same again, or kyclone vault set'
    : 'kyclone vault set writes the missing values';
  return new CliError(message, { code, context, exitCode, requestId, hint: `${id} ${what}: ${next}` });
}

function isNamedWithValues<Body extends object>(flags: CreateFlags, body: Body | undefined): body is Body {
  const isNamed = flags['external-id'] !== undefined || flags['idempotency-id'] !== undefined;
  return isNamed && body !== undefined && Object.keys(body).length > 0;
}

type Created = AnswerOf<'POST /users' | 'POST /businesses'>;

export default twins(({ kind }) => {
  const fields = {
    user: [
      'id.first_name=Jane id.last_name=Doe',
      'id.first_name=Jane document.id_card.front.image=@front.png',
    ],
    business: ['business.name="Acme Bank" business.city=Boston'],
  };
  return {
    create: made(
      {
        summary: `Create a ${kind} vault, optionally with initial data`,
        examples: [...fields[kind], '--external-id customer-4711', `--data @${kind}.json`],
        args: fieldsArg,
        flags: createFlags,
        view: entityView,
      },
      async ({ args, flags }, { client, input, isDryRun }): Promise<Created> => {
        const given = { fields: args.fields ?? [], data: flags.data };
        const { body, files } = await readFieldsAndFiles(given, input);
        return await createAndWrite<Created>(
          (options) =>
            kind === 'user' ? client.call('POST /users', options) : client.call('POST /businesses', options),
          { client, body, files, flags, isDryRun },
        );
      },
    ),
  };
});
