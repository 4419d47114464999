import { curlText } from '../../kernel/curl-text.ts';
import { shQuoted } from '../../kernel/shell-word.ts';
import { isFile } from '../json-schema.ts';
import type { Operation } from '../openapi.ts';

/** A call to paste into a shell after `eval "$(kyclone env)"`, once the parts in capitals are replaced. */
export function curlExample(call: {
  baseUrl: string;
  method: string;
  path: string;
  operation: Operation;
}): string {
  const { baseUrl, method, path, operation } = call;
  const token = credentialOf(operation) === 'clientToken' ? ["'x-fp-authorization: TOKEN'"] : [];
  return curlText({
    method: method.toUpperCase(),
    url: shQuoted(baseUrl + filledPath(path, operation)),
    credential: VARIABLES[credentialOf(operation) ?? ''],
    headers: [...token, ...headerWords(operation)],
    body: [...bodyWords(operation), ...(answersFile(operation) ? ['-o FILE'] : [])],
  });
}

const VARIABLES: Readonly<Record<string, 'key' | 'control'>> = {
  secretKeyBasic: 'key',
  controlToken: 'control',
};

/** A parameter without an example becomes a placeholder in capitals. */
function filledPath(path: string, { parameters = [] }: Operation): string {
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return parameter?.example ?? name.toUpperCase();
  });
}

function credentialOf({ security }: Operation): string | undefined {
  return Object.keys(security[0] ?? {})[0];
}

/** Required headers. */
function headerWords({ parameters = [] }: Operation): string[] {
  return parameters
    .filter((each) => each.in === 'header' && each.required)
    .map(({ name, example }) => shQuoted(`${name}: ${example ?? name.toUpperCase()}`));
}

function bodyWords({ requestBody }: Operation): string[] {
  const json = requestBody?.content['application/json'];
  if (json?.example !== undefined) {
    return ["-H 'content-type: application/json'", `-d ${shQuoted(JSON.stringify(json.example))}`];
  }
  const takesFile = requestBody !== undefined && json === undefined;
  return takesFile ? ["-H 'content-type: image/png'", '--data-binary @front.png'] : [];
}

function answersFile({ responses }: Operation): boolean {
  const success = responses['200'];
  if (!success || '$ref' in success) return false;
  return Object.entries(success.content).some(([type, { schema }]) => type !== '*/*' && isFile(schema));
}
