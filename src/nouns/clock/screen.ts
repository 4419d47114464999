/** The clock of the instance, with its faults and facts: screen and actions (contract §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { counted, countText } from '../../kernel/text/count-text.ts';
import { durationText, parseDuration } from '../../kernel/time/duration.ts';
import { shortTime } from '../../kernel/text/terminal-text.ts';
import { type ActionDefinition, type ActionOutcome, textField } from '../../tui/actions/definition.ts';
import { done, type InstanceThing, ON_INSTANCE } from '../../tui/actions/things.ts';
import type { Source } from '../../tui/data/source.ts';
import type { ScreenDefinition } from '../../tui/screens/definition.ts';
import { faultsPane } from '../faults/screen.ts';
import { fact, type Fact, factRows } from '../../tui/screens/fact-rows.ts';
import { recordPane } from '../../tui/screens/list-pane.ts';
import type { Row } from '../../tui/state/model.ts';
import { copiesOf } from '../../tui/screens/space.ts';

// The time, the fault rules, and the facts of this instance (contract §11).

type ClockState = AnswerOf<'GET /_kyclone/clock'>;

export const clockScreen: ScreenDefinition = {
  palette: { name: 'clock', says: 'the time of this instance', words: 'time advance freeze' },
  title: () => 'Clock and faults',
  panes: [
    recordPane(({ client }) => client.call('GET /_kyclone/info'), {
      title: 'Clock',
      empty: 'No data',
      changesWith: ['clock', 'fault', 'request'],
      offers: ['clock_advance', 'clock_freeze', 'clock_resume'],
      page: ({ clock, pending_work }) => ({
        rows: factRows([...clockFacts(clock), ...fact('pending work', pendingText(pending_work))], {
          id: clock.now,
          ...copiesOf(['clock', 'get'], '/_kyclone/clock'),
        }),
        record: { ...clock, pending_work },
      }),
    }),
    faultsPane,
    recordPane(findInstance, {
      title: 'Instance',
      empty: 'No data',
      changesWith: ['clock', 'fault', 'request'],
      page: (record) => ({ rows: instanceRows(record), record }),
    }),
  ],
};

const MODES: Readonly<Record<ClockState['mode'], string>> = {
  real: 'real time',
  offset: 'running, not at real time',
  frozen: 'frozen',
};

function clockFacts({ now, real_now, mode, offset_ms: offset }: ClockState): readonly Fact[] {
  return [
    { name: 'now (UTC)', text: shortTime(now), tone: mode === 'real' ? 'plain' : 'accent' },
    { name: 'real time (UTC)', text: shortTime(real_now) },
    { name: 'mode', text: MODES[mode], tone: mode === 'real' ? 'good' : 'warn' },
    { name: 'offset', text: offsetText(offset) },
  ];
}

/** The difference between the clock and real time, in its two largest units. */
function offsetText(offset: number): string {
  if (offset === 0) return 'none';
  const nearly = durationText(offset).split(' ').slice(0, 2).join(' ');
  return `${nearly} ${offset > 0 ? 'ahead of' : 'behind'} real time`;
}

function pendingText(pending: number): string {
  return pending === 0 ? 'none' : `${counted(pending, 'task')}, due later`;
}

// The facts of this instance: its version and place, its contents, its key slots, and its settings.

type Settings = AnswerOf<'GET /_kyclone/settings'>;

async function findInstance({ client }: Source) {
  const [info, keyring, settings] = await Promise.all([
    client.call('GET /_kyclone/info'),
    client.call('GET /_kyclone/keyring'),
    client.call('GET /_kyclone/settings'),
  ]);
  return { info, keyring, settings };
}

function instanceRows({ info, keyring, settings }: Awaited<ReturnType<typeof findInstance>>): readonly Row[] {
  const parts = [
    [infoFacts(info), ['status'], '/_kyclone/info'],
    [keyringFacts(keyring), ['keyring', 'status'], '/_kyclone/keyring'],
    [settingsFacts(settings), ['api', 'GET', '/_kyclone/settings'], '/_kyclone/settings'],
  ] as const;
  return parts.flatMap(([facts, command, path]) =>
    factRows(facts, { id: info.url, ...copiesOf(command, path) }).map((row) => ({
      ...row,
      key: `${path} ${row.key}`,
    })),
  );
}

function infoFacts(info: AnswerOf<'GET /_kyclone/info'>): readonly Fact[] {
  const counts = Object.entries(info.counts).map(([what, count]) => countText(what, count));
  return [
    { name: 'instance', text: info.instance },
    { name: 'version', text: info.version },
    { name: 'SQLite', text: info.sqlite },
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
    ...fact('not ready', info.not_ready, 'bad'),
  ];
}

function keyringFacts(keyring: AnswerOf<'GET /_kyclone/keyring'>): readonly Fact[] {
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
  bank,
}: Settings): readonly Fact[] {
  return [
    { name: 'egress policy', text: egress.policy, tone: egress.policy === 'open' ? 'warn' : 'plain' },
    ...(egress.extra_roots.length === 0 ? [] : fact('extra roots', String(egress.extra_roots.length))),
    { name: 'event prefix', text: vocabulary.event_prefix },
    { name: 'webhook headers', text: vocabulary.webhook_style },
    ...(webhooks.timestamp === 'real' ? [] : fact('webhook time', webhooks.timestamp)),
    { name: 'secret key in', text: vocabulary.secret_key_header },
    { name: 'extended events', text: events.extended ? 'yes' : 'no' },
    ...(bank.refresh_limits ? fact('bank refreshes', 'limited') : []),
    { name: 'CORS origins', text: cors.origins.join(', ') || 'none', isProse: true },
    { name: 'other hosts', text: hosts.join(', ') || 'none', isProse: true },
    { name: 'partner forwards', text: partner_b.forward ? 'yes' : 'no' },
  ];
}

// Advances, freezes and resumes the instance's clock (contract §11).

const DUE = 'Work that is due by then runs at once: delayed outcomes, expiries, webhook attempts.';

export const clock_advance: ActionDefinition<InstanceThing> = {
  label: 'Advance the clock',
  ...ON_INSTANCE,
  fields: () => [
    textField('by', 'By', 'How much time passes: 90s, 15m, 2h, 3d, or P1DT12H', {
      problem: (value) =>
        (parseDuration(value, 0) ?? 0) > 0
          ? undefined
          : 'Give a number with ms, s, m, h or d, such as 90s, or P1DT12H',
    }),
  ],
  confirm: ({ instance }, { by = '' }) => [
    `The clock of instance ${instance} moves forward by ${by}, in both environments.`,
    DUE,
  ],
  perform: (source, _, { by = '' }) => moved(source, { action: 'advance', by }),
};

export const clock_freeze: ActionDefinition<InstanceThing> = {
  label: 'Freeze the clock',
  ...ON_INSTANCE,
  confirm: ({ instance }) => [
    `The clock of instance ${instance} stops, in both environments.`,
    'Nothing becomes due until the clock is advanced or resumed.',
  ],
  perform: (source) => moved(source, { action: 'freeze' }),
};

export const clock_resume: ActionDefinition<InstanceThing> = {
  label: 'Resume the clock',
  ...ON_INSTANCE,
  confirm: ({ instance }) => [
    `The clock of instance ${instance} follows real time again, in both environments.`,
    DUE,
  ],
  perform: (source) => moved(source, { action: 'resume' }),
};

async function moved(
  { client }: Source,
  body: RequestOf<'PUT /_kyclone/clock'>['body'],
): Promise<ActionOutcome> {
  const { now, drained } = await client.call('PUT /_kyclone/clock', { body });
  return done(`The clock shows ${shortTime(now)}; ${counted(drained, 'due task')} ran`);
}
