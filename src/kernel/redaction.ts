import { CREDENTIAL_PREFIX } from './ids.ts';

/** API keys and client tokens by their prefixes (contract §0.2). */
const { sandbox, live, clientToken } = CREDENTIAL_PREFIX;
const PREFIX = `\\b(${sandbox}|${live}|${clientToken})`;
const HAS_PREFIX = new RegExp(PREFIX);
const CREDENTIAL = new RegExp(`${PREFIX}[0-9A-Za-z]+`, 'g');

/** Removes credentials from an outside text, such as an unknown name, before it is shown or stored. */
export function withoutCredentials(text: string): string {
  return HAS_PREFIX.test(text) ? text.replace(CREDENTIAL, '$1***') : text;
}
