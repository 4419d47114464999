/** API keys and client tokens by their prefixes (contract §0.2). */
const CREDENTIAL = /\b(sk_(?:test|live)_|cttok_)[0-9A-Za-z]+/g;

/** A text from outside that is shown or kept, such as a name that nobody knows: without the credentials in it. */
export function withoutCredentials(text: string): string {
  return text.replace(CREDENTIAL, '$1***');
}
