/** The endpoints of an OpenAPI 3.1 document as forms: what can be filled in, and with which credential. */

export type CredentialKind = 'key' | 'token' | 'control' | 'none';

export interface RequestField {
  readonly place: 'path' | 'query' | 'header' | 'body';
  readonly name: string;
  /** `any` is JSON, or else a text. */
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json' | 'any';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly description: string;
}

export interface RequestBody {
  /** Undefined for bodies that are no objects of known members: they are written as text. */
  readonly members: readonly RequestField[] | undefined;
  readonly isRequired: boolean;
  /** A file is sent as it is. */
  readonly isFile: boolean;
  readonly example: unknown;
}

export interface Operation {
  /** `POST /users/{fp_id}/vault`, which identifies it. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly fields: readonly RequestField[];
  readonly body: RequestBody | undefined;
  /** At least one; the first is the usual one. */
  readonly credentials: readonly CredentialKind[];
}

/** A JSON object of the document, read with care: it comes over the network. */
type Json = Readonly<Record<string, unknown>>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'];
const MOST_REFERENCES = 20;

/** Returns the operations in the order of the document. What it can't read it leaves out. */
export function operationsOf(openapi: unknown): Operation[] {
  const document = object(openapi);
  return Object.entries(object(document['paths'])).flatMap(([path, item]) =>
    Object.entries(object(item))
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => operationOf(document, path, method, object(operation))),
  );
}

/** Returns the operations whose method, path, summary or tag contain every word. */
export function foundOperations(operations: readonly Operation[], search: string): readonly Operation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ id, summary, tag }) => {
    const text = `${id} ${summary} ${tag}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function operationOf(document: Json, path: string, method: string, operation: Json): Operation {
  const upper = method.toUpperCase();
  return {
    id: `${upper} ${path}`,
    method: upper,
    path,
    summary: text(operation['summary']),
    tag: text(list(operation['tags'])[0]),
    fields: list(operation['parameters']).flatMap((each) => parameterOf(document, each)),
    body: operation['requestBody'] === undefined ? undefined : bodyOf(document, operation['requestBody']),
    credentials: credentialsOf(document, operation),
  };
}

function parameterOf(document: Json, reference: unknown): RequestField[] {
  const parameter = resolved(document, reference);
  const place = parameter['in'];
  if (place !== 'path' && place !== 'query' && place !== 'header') return [];
  return [
    fieldOf(document, parameter['schema'], {
      place,
      name: text(parameter['name']),
      isRequired: parameter['required'] === true,
      description: text(parameter['description']),
    }),
  ];
}

function bodyOf(document: Json, reference: unknown): RequestBody {
  const body = resolved(document, reference);
  const content = object(body['content']);
  const json = content['application/json'];
  const isFile = json === undefined && content['application/octet-stream'] !== undefined;
  const media = object(json ?? Object.values(content)[0]);
  const schema = withMembers(document, media['schema']);
  const required = list(schema?.['required']);
  return {
    members:
      schema &&
      Object.entries(object(schema['properties'])).map(([name, member]) =>
        fieldOf(document, member, {
          place: 'body',
          name,
          isRequired: required.includes(name),
          description: '',
        }),
      ),
    isRequired: body['required'] === true,
    isFile,
    example: media['example'],
  };
}

/** Returns the first alternative that names members. */
function withMembers(document: Json, reference: unknown): Json | undefined {
  const schema = resolved(document, reference);
  if (schema['properties'] !== undefined) return schema;
  return list(schema['anyOf'])
    .map((each) => resolved(document, each))
    .find((each) => each['properties'] !== undefined);
}

function fieldOf(
  document: Json,
  reference: unknown,
  field: Pick<RequestField, 'place' | 'name' | 'isRequired' | 'description'>,
): RequestField {
  const schema = resolved(document, reference);
  // A member that may be null is a field of its other kind: without a value it is left out.
  const alternatives = (list(schema['anyOf']).length > 0 ? list(schema['anyOf']) : [schema])
    .map((each) => resolved(document, each))
    .filter((each) => each['type'] !== 'null');
  const [only] = alternatives;
  const types = list(only?.['type'] ?? []).length > 0 ? list(only?.['type']) : [only?.['type']];
  const type = types.find((each) => each !== 'null');
  const choices = list(only?.['enum']).filter((each) => typeof each === 'string');
  return {
    ...field,
    description: field.description || text(schema['description']) || text(only?.['description']),
    choices: alternatives.length === 1 ? choices : [],
    kind: alternatives.length !== 1 ? 'any' : kindOf(type, choices.length > 0),
  };
}

function kindOf(type: unknown, hasChoices: boolean): RequestField['kind'] {
  if (hasChoices) return 'choice';
  if (type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  return type === 'object' || type === 'array' ? 'json' : 'any';
}

function credentialsOf(document: Json, operation: Json): CredentialKind[] {
  const schemes = object(object(document['components'])['securitySchemes']);
  const requirements = list(operation['security'] ?? document['security']);
  const kinds = requirements.flatMap((each) =>
    Object.keys(object(each)).map((name): CredentialKind => {
      const { type, scheme, name: header } = object(schemes[name]);
      if (type === 'http' && scheme === 'bearer') return 'control';
      return header === 'x-fp-authorization' ? 'token' : 'key';
    }),
  );
  return kinds.length === 0 ? ['none'] : [...new Set(kinds)];
}

function resolved(document: Json, value: unknown): Json {
  let found = object(value);
  // A document with a circle of references ends here too.
  for (let count = 0; typeof found['$ref'] === 'string' && count < MOST_REFERENCES; count += 1) {
    found = found['$ref']
      .split('/')
      .slice(1)
      .reduce<Json>(
        (parent, key) => object(parent[key.replaceAll('~1', '/').replaceAll('~0', '~')]),
        document,
      );
  }
  return found;
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
