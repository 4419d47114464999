/** Tools that change the instance; served only with --allow-changes. */
import { Type } from '@sinclair/typebox';
import { ClockMove } from '../../contract/clock.ts';
import { FAULT_PRESETS } from '../../contract/fault-presets.ts';
import { NewFaultRule } from '../../contract/faults.ts';
import { NewOutcomeRule } from '../../contract/outcomes.ts';
import { OneOf } from '../../contract/shapes.ts';
import { clockState, moveClock } from '../clock/clock.ts';
import { fakeBusiness, fakeUser } from '../fake/made-up.ts';
import { createAll, makeBodies, type Maker } from '../fake/run.ts';
import { faultOf } from '../faults/faults.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { SANDBOX, tool, type Tool } from './tool.ts';

const strict = { additionalProperties: false } as const;
const MOST_PEOPLE = 50;
const MOST_SEEDS = 2_147_483_647;

const createOutcomeRule = tool({
  name: 'create_outcome_rule',
  description:
    'Decide how sandbox onboardings end: matching runs get this outcome, from now on or a number of times. All members of match have to match, and * is any part of a text.',
  effect: 'adds',
  input: NewOutcomeRule,
  run: async (body, { client }) => await client.call('POST /_kyclone/outcomes', { query: SANDBOX, body }),
});

const deleteOutcomeRule = tool({
  name: 'delete_outcome_rule',
  description: 'Delete an outcome rule of the sandbox; runs that it has decided do not change.',
  effect: 'deletes',
  input: Type.Object(
    { id: Type.String({ minLength: 1, maxLength: 64, description: 'id of the rule (rule_…)' }) },
    strict,
  ),
  run: async (params, { client }) => {
    await client.call('DELETE /_kyclone/outcomes/{id}', { params, query: SANDBOX });
    return { deleted: params.id };
  },
});

const createFaultRule = tool({
  name: 'create_fault_rule',
  description:
    'Make requests to the emulator fail, wait or lose their connection, to test how the app reacts: with a preset, or with status, latency_ms or abort. Without match, every request is affected. It stays until delete_fault_rules, or until times is used up.',
  effect: 'changes',
  input: Type.Object(
    {
      preset: Type.Optional(OneOf(FAULT_PRESETS.map(({ name }) => name))),
      ...NewFaultRule.properties,
      match: Type.Optional(NewFaultRule.properties.match),
    },
    strict,
  ),
  run: async ({ match, latency_ms, ...rule }, { client }) => {
    if (
      rule.preset === undefined &&
      [rule.status, latency_ms, rule.abort].every((each) => each === undefined)
    )
      throw new CliError('No fault is given', {
        code: 'invalid_request',
        exitCode: EXIT.usage,
        hint: 'give preset, status, latency_ms or abort',
      });
    const body = faultOf({ ...match, ...rule, latency: latency_ms });
    return await client.call('POST /_kyclone/faults', { body });
  },
});

const deleteFaultRules = tool({
  name: 'delete_fault_rules',
  description: 'Delete one fault rule, or all of them without an id; requests then work normally again.',
  effect: 'deletes',
  input: Type.Object(
    {
      id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'id of the rule (flt_…); default: all' }),
      ),
    },
    strict,
  ),
  run: async ({ id }, { client }) => {
    if (id === undefined) await client.call('DELETE /_kyclone/faults');
    else await client.call('DELETE /_kyclone/faults/{id}', { params: { id } });
    return { deleted: id ?? 'all' };
  },
});

const setClock = tool({
  name: 'set_clock',
  description:
    'Move the clock of the emulator: freeze (at a time, or now), set (at), advance (by, such as 2m), offset (by), resume. Work that falls due on the way, such as delayed outcomes and webhook attempts, runs before the response.',
  effect: 'changes',
  input: ClockMove,
  run: async (move, { client }) => {
    const { drained } = await moveClock(client, move);
    return { drained, clock: await clockState(client) };
  },
});

const makePeople = tool({
  name: 'make_people',
  description:
    'Create made-up users or businesses in the sandbox. Returns their ids and the names of their identifiers; their values stay in the vault. The same seed makes the same people.',
  effect: 'adds',
  input: Type.Object(
    {
      kind: Type.Optional(OneOf(['user', 'business'])),
      count: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MOST_PEOPLE, description: 'how many (default: 1)' }),
      ),
      seed: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MOST_SEEDS,
          description: 'seed of the data (default: 1)',
        }),
      ),
      with_card: Type.Optional(Type.Boolean({ description: 'also give users a test card' })),
    },
    strict,
  ),
  run: async ({ kind = 'user', count = 1, seed = 1, with_card: withCard = false }, { client }) => {
    const user: Maker = (faker, which) => fakeUser(faker, which, { withCard });
    const bodies = await makeBodies(kind === 'user' ? user : fakeBusiness, { count, seed });
    const created: { id: string; identifiers: string[] }[] = [];
    const onCreated = ({ id, body }: { id: string; body: object }) =>
      created.push({ id, identifiers: Object.keys(body) });
    await createAll(client, { kind, bodies, onCreated });
    return { kind, seed, created };
  },
});

export const changeTools: readonly Tool[] = [
  ...[createOutcomeRule, deleteOutcomeRule, createFaultRule, deleteFaultRules, setClock, makePeople],
];
