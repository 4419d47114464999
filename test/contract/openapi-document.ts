/** The document as its readers get it. Tests of its parts share these helpers. */
import { Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { endpoint, secretKey } from '../../src/contract/endpoint.ts';
import { openApiDocument, type OpenApiDocument, type Operation } from '../../src/contract/openapi.ts';
import { DEFAULT_SETTINGS } from '../../src/nouns/settings/endpoints/index.ts';

export const { vocabulary } = DEFAULT_SETTINGS;

type Options = Parameters<typeof openApiDocument>[0];

const textOf = (options: Partial<Options> = {}) =>
  JSON.stringify(
    openApiDocument({ vocabulary, version: '1.2.3', baseUrl: 'http://127.0.0.1:4010', ...options }),
  );
let plainText: string | undefined;

export function documentOf(options?: Partial<Options>): OpenApiDocument {
  const text = options ? textOf(options) : (plainText ??= textOf());
  return JSON.parse(text) as OpenApiDocument;
}

export function operationOf(document: OpenApiDocument, method: string, path: string): Operation {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`no ${method} ${path}`);
  return operation;
}

/** Returns a JSON Schema validator that knows the named shapes of the document. */
export function validatorOf(document: OpenApiDocument): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  formats.default(ajv);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(schema, `#/components/schemas/${name}`);
  }
  return ajv;
}

/** A sample endpoint with a partner word in its path. */
export const partnerReport = endpoint('POST /users/{fp_id}/integrations/{partner_a}/report', {
  operationId: 'createUserReport',
  auth: secretKey(),
  stability: 'stable',
  query: Type.Object({ part: Type.Integer() }),
  response: Type.String(),
  errors: [],
  summary: 'A report',
});
