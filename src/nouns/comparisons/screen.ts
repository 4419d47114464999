/** Two users or businesses side by side: which fields are equal and which differ, without values (contract §10). */
import { COMPARISON_RESULTS } from '../vault/facts.ts';
import type { ScreenPlace, Tone } from '../../tui/state/model.ts';
import type { Source } from '../../tui/data/source.ts';
import type { PageQuery, ScreenDefinition } from '../../tui/screens/definition.ts';
import { itemsPane } from '../../tui/screens/list-pane.ts';
import { placeOf, subjectOf, whoText } from '../entities/screen/place.ts';
import { targetOf, waysTo } from '../entities/screen/inspection.ts';
import { otherOf } from '../entities/screen/relations.ts';
import { entityEndpoint } from '../../client/entity-endpoint.ts';

const TONES: Readonly<Record<(typeof COMPARISON_RESULTS)[number], Tone>> = {
  same: 'good',
  different: 'bad',
  unknown: 'dim',
};

export function comparisonPlace(fpId: string, other: string): ScreenPlace {
  return { screen: 'comparison', params: { fp_id: fpId, other } };
}

export const comparisonScreen: ScreenDefinition = {
  title: ({ fp_id = '', other = '' }) => `${fp_id} compared with ${other}`,
  panes: [
    itemsPane(findFields, {
      title: 'Comparison',
      columns: [
        { heading: 'FIELD', grows: true, cell: 'identifier' },
        { heading: 'RESULT', cell: ({ result }) => ({ text: result, tone: TONES[result] }) },
      ],
      empty: 'Neither of them has data',
      // It is in the access log of both each time.
      changesWith: [],
      isLoadLogged: true,
      row: ({ identifier }, { other, who, ...ways }) => ({
        key: identifier,
        id: other,
        command: ways.copies([ways.nouns, 'compare', ways.fp_id, other], '').command,
        call: { method: 'POST', path: `${ways.path}/compare`, body: { with: other } },
        opens: placeOf(other),
        subject: subjectOf(other),
        who,
      }),
    }),
  ],
};

async function findFields(source: Source, { params }: PageQuery) {
  const target = targetOf(params);
  const other = params['other'] ?? '';
  const { key, params: id } = entityEndpoint('POST /{entity}/compare', target.fp_id);
  const [{ fields }, known] = await Promise.all([
    source.client.call(key, { params: id, body: { with: other } }),
    otherOf(source, other),
  ]);
  const who = known?.masked_name ?? undefined;
  const counts = COMPARISON_RESULTS.map(
    (result) => `${fields.filter((field) => field.result === result).length} ${result}`,
  );
  return {
    items: fields,
    more: { ...waysTo(target, source), other, who },
    banner: `${counts.join(', ')} · keys act on the second one, ${whoText(other, who)}; values are not shown`,
  };
}
