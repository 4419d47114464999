/** Members of bodies and parameters: a name with its type, and its rules below. Readable at any width. */
import type { JsonSchema } from '../../contract/json-schema.ts';
import type { Parameter } from '../../contract/openapi-requests.ts';
import { html, type Interpolated, type Markup } from '../markup.ts';
import { rulesOf, schemaRows, typeName, type Schemas } from './schema-rows.ts';

interface Member {
  readonly name: string;
  readonly type: Interpolated;
  readonly mark: Interpolated;
  readonly rules: string;
}

function memberList(members: readonly Member[]): Interpolated {
  if (members.length === 0) return false;
  return html`<ul>
    ${members.map(
      ({ name, type, mark, rules }) =>
        html`<li><b>${name}</b> ${type}${mark}${rules !== '' && html`<p>${rules}</p>`}</li>`,
    )}
  </ul>`;
}

const REQUIRED = html` <em class="must">required</em>`;
const SOMETIMES = html` <i>sometimes</i>`;

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' } as const;

/** An id in the path, which needs no explanation beyond its name. */
function isPlainId({ in: place, name, example }: Parameter): boolean {
  return place === 'path' && example === undefined && /^(?:fp_|\w+_)?(?:id|bid)$/.test(name);
}

/** The parameters of a call besides its body, by place. */
export function parameterLists(parameters: readonly Parameter[], schemas: Schemas): Interpolated {
  return Object.entries(PLACES).map(([place, heading]) => {
    const members = parameters
      .filter((each) => each.in === place && !isPlainId(each))
      .map((each) => ({
        name: each.name,
        type: typeName(each.schema, schemas),
        // Path parameters are always required.
        mark: each.required && place !== 'path' && REQUIRED,
        rules: rulesOf({ ...each.schema, description: each.description }, schemas),
      }));
    return (
      members.length > 0 &&
      html`<h4>${heading}</h4>
        ${memberList(members)}`
    );
  });
}

/** The members of a request body; required ones are marked. */
export function sentMembers(schema: JsonSchema, schemas: Schemas): Interpolated {
  return memberList(membersOf(schema, schemas, (required) => required && REQUIRED));
}

/** The members of a response body; optional ones are marked. */
export function answeredMembers(schema: JsonSchema, schemas: Schemas): Interpolated {
  return memberList(membersOf(schema, schemas, (required) => !required && SOMETIMES));
}

function membersOf(
  schema: JsonSchema,
  schemas: Schemas,
  mark: (required: boolean) => Markup | false,
): Member[] {
  return schemaRows(schema, schemas).map(({ member, type, required, rules }) => ({
    name: member,
    type,
    mark: mark(required),
    rules,
  }));
}
