/** The API keys of the environment, without their secrets (contract §0.2). */
import type { AnswerOf } from '../../contract/registry.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { Source } from '../data/source.ts';
import type { Page, Row } from '../state/model.ts';
import type { PageQuery, ScreenDefinition } from './definition.ts';
import { defined } from '../../kernel/defined.ts';

type ApiKey = AnswerOf<'GET /_kyclone/api-keys'>['data'][number];

export const keysScreen: ScreenDefinition = {
  name: 'keys',
  paletteName: 'api keys',
  title: () => 'API keys',
  panes: [
    {
      title: 'API keys',
      columns: [
        { heading: 'LAST USED (UTC)' },
        { heading: 'STATE' },
        { heading: 'NAME', grows: true, atLeast: 20 },
        { heading: 'KEY' },
        { heading: 'CREATED (UTC)', drop: 1 },
        { heading: 'MAY', drop: 3 },
        { heading: 'ID', isId: true, drop: 2 },
      ],
      empty: 'No API keys',
      changesWith: ['request'],
      creates: 'key_create',
      deletes: 'key_delete',
      load: loadKeys,
    },
  ],
};

async function loadKeys(source: Source, { cursor, size }: PageQuery): Promise<Page> {
  const { data, meta } = await source.client.call('GET /_kyclone/api-keys', {
    query: { ...source.space, page_size: size, ...defined({ cursor }) },
  });
  return { rows: data.map((each) => keyRow(each, source)), next: meta.next, total: meta.count };
}

function keyRow(key: ApiKey, source: Source): Row {
  const {
    id,
    name,
    prefix,
    created_at: at,
    last_used_at: used,
    enabled,
    permissions,
    scopes,
    environment,
  } = key;
  const isOwn = source.isOwnKey(prefix);
  const state = isOwn ? 'in use here' : enabled ? 'enabled' : 'disabled';
  return {
    data: key,
    key: id,
    cells: [
      used === null ? 'never' : shortTime(used),
      { text: state, tone: enabled ? 'good' : 'dim' },
      name,
      `${prefix}…`,
      shortTime(at),
      [...permissions, ...scopes].join(' '),
      id,
    ],
    id,
    command: ['keys', 'list', '--environment', environment],
    call: { method: 'GET', path: `/_kyclone/api-keys?environment=${environment}` },
    // Revoking the key in use would lock the inspector out.
    ...(!isOwn && {
      subject: {
        kind: 'thing',
        what: 'key',
        id,
        name,
        isEnabled: enabled,
        details: `${prefix}…, of the ${environment} environment`,
      },
    }),
  };
}
