import { isFile } from '../json-schema.ts';
import type { Operation } from '../openapi.ts';

/** A call that can be pasted into a shell once `eval "$(kyclone env)"` has run and the capitals are filled in. */
export function curlExample(call: {
  baseUrl: string;
  method: string;
  path: string;
  operation: Operation;
}): string {
  const { baseUrl, method, path, operation } = call;
  const words = ['curl'];
  if (method !== 'get') words.push(`-X ${method.toUpperCase()}`);
  words.push(shellQuote(baseUrl + filledPath(path, operation)));
  const lines = [
    words.join(' '),
    ...credentialWords(operation),
    ...headerWords(operation),
    ...bodyWords(operation),
    ...(answersFile(operation) ? ['-o FILE'] : []),
  ];
  return lines.join(' \\\n  ');
}

/** A parameter without an example is left to the reader, in capitals. */
function filledPath(path: string, { parameters = [] }: Operation): string {
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return parameter?.example ?? name.toUpperCase();
  });
}

function credentialWords({ security }: Operation): string[] {
  const [credential] = Object.keys(security[0] ?? {});
  if (credential === 'secretKeyBasic') return ['-u "$KYCLONE_API_KEY:"'];
  if (credential === 'clientToken') return ["-H 'x-fp-authorization: TOKEN'"];
  if (credential === 'controlToken') return ['-H "authorization: Bearer $KYCLONE_CONTROL_TOKEN"'];
  return [];
}

/** Headers that the call can't do without. */
function headerWords({ parameters = [] }: Operation): string[] {
  return parameters
    .filter((each) => each.in === 'header' && each.required)
    .map(({ name, example }) => `-H ${shellQuote(`${name}: ${example ?? name.toUpperCase()}`)}`);
}

function bodyWords({ requestBody }: Operation): string[] {
  const json = requestBody?.content['application/json'];
  if (json?.example !== undefined) {
    return ["-H 'content-type: application/json'", `-d ${shellQuote(JSON.stringify(json.example))}`];
  }
  const takesFile = requestBody !== undefined && json === undefined;
  return takesFile ? ["-H 'content-type: image/png'", '--data-binary @front.png'] : [];
}

function answersFile({ responses }: Operation): boolean {
  const success = responses['200'];
  if (!success || '$ref' in success) return false;
  return Object.entries(success.content).some(([type, { schema }]) => type !== '*/*' && isFile(schema));
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
