import type { Operation } from '../openapi.ts';

/** A call that can be pasted into a shell once `eval "$(kyclone env)"` has run and the capitals are filled in. */
export function curlExample(call: {
  baseUrl: string;
  method: string;
  path: string;
  operation: Operation;
}): string {
  const { baseUrl, method, path, operation } = call;
  const filledPath = path.replace(/\{([^}]+)\}/g, (_, name: string) => name.toUpperCase());
  const words = ['curl'];
  if (method !== 'get') words.push(`-X ${method.toUpperCase()}`);
  words.push(shellQuote(baseUrl + filledPath));
  const lines = [words.join(' ')];
  const credential = Object.keys(operation.security[0] ?? {})[0];
  if (credential === 'secretKeyBasic') lines.push('-u "$KYCLONE_API_KEY:"');
  if (credential === 'controlToken') lines.push('-H "authorization: Bearer $KYCLONE_CONTROL_TOKEN"');
  const example = operation.requestBody?.content['application/json']?.example;
  if (example !== undefined) {
    lines.push("-H 'content-type: application/json'", `-d ${shellQuote(JSON.stringify(example))}`);
  }
  return lines.join(' \\\n  ');
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
