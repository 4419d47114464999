/** The facts of this instance: its version and place, its contents, its key slots, and its settings. */
import type { AnswerOf } from '../../contract/registry.ts';
import { countText } from '../../kernel/count-text.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { Source } from '../data/source.ts';
import type { Page } from '../state/model.ts';
import { fact, factRows, type Fact } from './fact-rows.ts';

type Info = AnswerOf<'GET /_kyclone/info'>;
type Keyring = AnswerOf<'GET /_kyclone/keyring'>;
type Settings = AnswerOf<'GET /_kyclone/settings'>;

export async function loadInstance({ client }: Source): Promise<Page> {
  const [info, keyring, settings] = await Promise.all([
    client.call('GET /_kyclone/info'),
    client.call('GET /_kyclone/keyring'),
    client.call('GET /_kyclone/settings'),
  ]);
  const parts = [
    [infoFacts(info), ['status'], '/_kyclone/info'],
    [keyringFacts(keyring), ['keyring', 'status'], '/_kyclone/keyring'],
    [settingsFacts(settings), ['api', 'GET', '/_kyclone/settings'], '/_kyclone/settings'],
  ] as const;
  const rows = parts.flatMap(([facts, command, path]) =>
    factRows(facts, { id: info.url, command, call: { method: 'GET', path } }).map((row) => ({
      ...row,
      key: `${path} ${row.key}`,
    })),
  );
  return { rows, next: null, record: { info, keyring, settings } };
}

function infoFacts(info: Info): readonly Fact[] {
  const counts = Object.entries(info.counts).map(([what, count]) => countText(what, count));
  return [
    { name: 'instance', text: info.instance },
    { name: 'version', text: info.version },
    { name: 'url', text: info.url },
    { name: 'process', text: String(info.pid) },
    { name: 'started (UTC)', text: shortTime(info.started_at) },
    {
      name: 'storage',
      text: info.storage === 'durable' ? 'durable' : 'ephemeral: gone when it stops',
      tone: info.storage === 'durable' ? 'plain' : 'warn',
    },
    { name: 'holds', text: counts.join(', '), isProse: true },
    { name: 'fault rules', text: String(info.faults) },
  ];
}

function keyringFacts(keyring: Keyring): readonly Fact[] {
  const { root_key_version: version, min_root_key_version: oldest, slots } = keyring;
  return [
    {
      name: 'root key',
      text: oldest === version ? `version ${version}` : `versions ${oldest} to ${version}`,
    },
    ...slots.map(({ kind, last_used_at: at }) => ({
      name: 'opened by',
      text: `${kind.replaceAll('_', ' ')}${at === null ? ', never used' : `, last ${shortTime(at)}`}`,
    })),
  ];
}

/** The settings that affect behaviour most: outgoing and incoming access, and vocabulary. */
function settingsFacts({
  egress,
  vocabulary,
  events,
  cors,
  hosts,
  partner_b,
  webhooks,
}: Settings): readonly Fact[] {
  return [
    { name: 'egress policy', text: egress.policy, tone: egress.policy === 'open' ? 'warn' : 'plain' },
    ...(egress.extra_roots.length === 0 ? [] : fact('extra roots', String(egress.extra_roots.length))),
    { name: 'event prefix', text: vocabulary.event_prefix },
    { name: 'webhook headers', text: vocabulary.webhook_style },
    ...(webhooks.timestamp === 'real' ? [] : fact('webhook time', webhooks.timestamp)),
    { name: 'secret key in', text: vocabulary.secret_key_header },
    { name: 'extended events', text: events.extended ? 'yes' : 'no' },
    { name: 'CORS origins', text: cors.origins.join(', ') || 'none', isProse: true },
    { name: 'other hosts', text: hosts.join(', ') || 'none', isProse: true },
    { name: 'partner forwards', text: partner_b.forward ? 'yes' : 'no' },
  ];
}
