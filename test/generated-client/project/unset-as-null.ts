/**
 * `fetch` as clients of other languages send bodies: with null in each optional member that the caller left unset. The
 * document says which these are. Identifiers of a vault are no members of a body of fixed shape: null deletes there.
 */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly propertyNames?: unknown;
}

interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema } | undefined>>;
  };
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface NullWriter {
  readonly fetch: typeof fetch;
  /** How many members were written as null so far. */
  nulls: number;
}

export function unsetAsNull(document: Document): NullWriter {
  const writer: NullWriter = {
    nulls: 0,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const schema = bodySchema(request);
      const text =
        schema && request.headers.get('content-type')?.includes('json') ? await request.text() : '';
      if (!schema || text === '') return fetch(request);
      const { method, url, headers } = request;
      return fetch(url, { method, headers, body: JSON.stringify(completed(schema, JSON.parse(text))) });
    },
  };
  return writer;

  function bodySchema({ method, url }: Request): Schema | undefined {
    const { pathname } = new URL(url);
    const found = Object.entries(document.paths).filter(([template]) => fits(template, pathname));
    // A path such as /users/vault/decrypt also fits /users/{fp_id}/…; the one with fewer parameters is meant.
    const [template = ''] = found
      .map(([path]) => path)
      .sort((a, b) => a.split('{').length - b.split('{').length);
    return document.paths[template]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
  }

  function completed(schema: Schema, value: unknown): unknown {
    const shape = resolved(schema);
    if (Array.isArray(value)) return value.map((item) => (shape.items ? completed(shape.items, item) : item));
    if (typeof value !== 'object' || value === null || !shape.properties || shape.propertyNames) return value;
    const whole: Record<string, unknown> = { ...value };
    for (const [name, member] of Object.entries(shape.properties)) {
      if (whole[name] === undefined) {
        whole[name] = null;
        writer.nulls += 1;
      } else {
        whole[name] = completed(member, whole[name]);
      }
    }
    return whole;
  }

  function resolved(schema: Schema): Schema {
    if (schema.$ref) return resolved(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
    return schema.anyOf?.map(resolved).find(({ properties }) => properties) ?? schema;
  }
}

function fits(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) => segment.startsWith('{') || segment === given[index])
  );
}
