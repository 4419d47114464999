/** The endpoints of the instance's document as forms: what can be filled in, and with which credential. */
import type { OpenApiDocument, Operation as DocumentOperation } from '../../contract/openapi.ts';

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

/** The keywords of a JSON Schema that a form shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Returns the operations in the order of the document. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const { summary, tags, parameters = [], requestBody, security } = operation;
      const upper = method.toUpperCase();
      return {
        id: `${upper} ${path}`,
        method: upper,
        path,
        summary,
        tag: tags[0],
        fields: parameters.map(({ in: place, name, required: isRequired, description, schema }) =>
          fieldOf(document, schema, { place, name, isRequired, description }),
        ),
        body: requestBody && bodyOf(document, requestBody),
        credentials: credentialsOf(security),
      };
    }),
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

function bodyOf(
  document: OpenApiDocument,
  { content, required: isRequired }: NonNullable<DocumentOperation['requestBody']>,
): RequestBody {
  const json = content['application/json'];
  const schema = json && withMembers(document, json.schema);
  return {
    members:
      schema &&
      Object.entries(schema.properties ?? {}).map(([name, member]) =>
        fieldOf(document, member, {
          place: 'body',
          name,
          isRequired: schema.required?.includes(name) === true,
          description: undefined,
        }),
      ),
    isRequired,
    isFile: json === undefined,
    example: json?.example,
  };
}

/** Returns the first alternative that names members. */
function withMembers(document: OpenApiDocument, reference: Schema): Schema | undefined {
  const schema = resolved(document, reference);
  return [schema, ...(schema.anyOf ?? []).map((each) => resolved(document, each))].find(
    ({ properties }) => properties,
  );
}

function fieldOf(
  document: OpenApiDocument,
  reference: Schema,
  field: Pick<RequestField, 'place' | 'name' | 'isRequired'> & { readonly description: string | undefined },
): RequestField {
  const schema = resolved(document, reference);
  // A member that may be null is a field of its other kind: without a value it is left out.
  const alternatives = (schema.anyOf ?? [schema])
    .map((each) => resolved(document, each))
    .filter(({ type }) => type !== 'null');
  const [only] = alternatives.length === 1 ? alternatives : [];
  const type = [only?.type ?? []].flat().find((each) => each !== 'null');
  const choices = (only?.enum ?? []).filter((each) => typeof each === 'string');
  return {
    ...field,
    description: field.description ?? schema.description ?? alternatives[0]?.description ?? '',
    choices,
    kind: kindOf(type, choices.length > 0),
  };
}

function kindOf(type: string | undefined, hasChoices: boolean): RequestField['kind'] {
  if (hasChoices) return 'choice';
  if (type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  return type === 'object' || type === 'array' ? 'json' : 'any';
}

const KINDS: Readonly<Record<string, CredentialKind>> = {
  clientToken: 'token',
  flowToken: 'token',
  controlToken: 'control',
};

function credentialsOf(security: DocumentOperation['security']): readonly CredentialKind[] {
  const kinds = security.flatMap((each) => Object.keys(each).map((scheme) => KINDS[scheme] ?? 'key'));
  return kinds.length === 0 ? ['none'] : [...new Set(kinds)];
}

function resolved(document: OpenApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  return resolved(document, document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
}
