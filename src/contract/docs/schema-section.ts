import type { JsonSchema } from '../json-schema.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { anchorOf } from './anchors.ts';
import { html, type Markup } from './markup.ts';
import { answeredMembers } from './members.ts';
import { section } from './reference-sections.ts';
import { typeName, type Schemas } from './schema-rows.ts';
import { listTable } from './table.ts';

/** The named schemas, each once: endpoints and other schemas link here. */
export function schemaSection({ components: { schemas } }: OpenApiDocument): Markup {
  const lead = 'The named shapes that bodies are made of, as generated clients name them.';
  const shapes = Object.entries(schemas).map(([name, schema]) => ({
    name,
    schema,
    members: answeredMembers(schema, schemas),
  }));
  const simple = shapes.filter(({ members }) => members === false);
  return section(
    'schemas',
    lead,
    html`${shapes.map(
        ({ name, members }) =>
          members !== false &&
          html`<details>
            <summary><h3>${name}</h3></summary>
            <div id="${anchorOf('schema', name)}">${members}</div>
          </details> `,
      )}
      <h3>Texts and other values</h3>
      ${listTable(
        'scs',
        ['Schema', 'What it may be'],
        simple.map(({ name, schema }) => ({
          id: anchorOf('schema', name),
          cells: [name, valueOf(name, schema, schemas)],
        })),
      )}`,
  );
}

/** Reason codes have their own section. */
function valueOf(name: string, schema: JsonSchema, schemas: Schemas): Markup {
  if (name === 'ReasonCode') return html`one of the <a href="#reason-codes">reason codes</a>`;
  return html`${typeName(schema, schemas)}`;
}
