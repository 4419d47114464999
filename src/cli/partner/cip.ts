/** What a partner wants to know of a user: the words of its path and the credentials it is called with (contract §8). */
import { string } from '@oclif/core/flags';
import type { Client } from '../../client/client.ts';
import type { CliEnvironment } from '../shell/environment.ts';
import { UsageError } from '../shell/failure.ts';
import type { InputSource } from '../shell/input.ts';

export const approverFlag = {
  approver: string({
    summary: 'who approved it, where the decision was made by a run',
    required: true,
    helpValue: 'NAME',
  }),
};

interface PartnerWords {
  readonly partner_a: string;
  readonly partner_b: string;
}

const FIRST_WORDS: PartnerWords = { partner_a: 'partner_a', partner_b: 'partner_b' };

/** The instance's words for its partners; those it starts with when there is no control token to ask with. */
export async function partnerWords(client: Client, controlToken: string | undefined): Promise<PartnerWords> {
  return controlToken === undefined ? FIRST_WORDS : (await client.call('GET /_kyclone/info')).vocabulary;
}

const CREDENTIAL_HELP = '- for stdin, @FILE, ? to be asked without echo; default: $KYCLONE_PARTNER_API';
export const credentialFlags = {
  'api-key': string({ summary: `key at the partner: ${CREDENTIAL_HELP}_KEY`, helpValue: '@FILE|-' }),
  'api-secret': string({ summary: `secret at the partner: ${CREDENTIAL_HELP}_SECRET`, helpValue: '@FILE|-' }),
};

interface CredentialFlags {
  readonly 'api-key'?: string | undefined;
  readonly 'api-secret'?: string | undefined;
}

/**
 * Key and secret: from `-` (stdin), `?` (asked without echo) or `@FILE`, else from the environment, else asked for.
 * Throws UsageError for a literal one, which others could read in the list of processes, and InputNeededError.
 */
export async function partnerCredentials(
  { 'api-key': key, 'api-secret': secret }: CredentialFlags,
  environment: Pick<CliEnvironment, 'partnerApiKey' | 'partnerApiSecret'>,
  input: InputSource,
): Promise<{ api_key: string; api_secret: string }> {
  if (key === '-' && secret === '-') throw new UsageError('Only one value can come from stdin');
  const read = async (name: 'api-key' | 'api-secret', flag: string | undefined, known: string | undefined) =>
    flag === undefined && known !== undefined
      ? known
      : await input.secret(hiddenSource(name, flag), `Partner's ${name.replace('-', ' ')} (--${name})`);
  return {
    api_key: await read('api-key', key, environment.partnerApiKey),
    api_secret: await read('api-secret', secret, environment.partnerApiSecret),
  };
}

function hiddenSource(name: 'api-key' | 'api-secret', source = '?'): string {
  if (/^(?:[?-]$|@)/.test(source)) return source;
  throw new UsageError(
    `--${name} takes -, ? or @FILE: other users can see the command line`,
    `KYCLONE_PARTNER_${name.replace('-', '_').toUpperCase()} is read from the environment`,
  );
}
