import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/client/errors.ts';
import { describeFailure } from '../../../src/cli/shell/failure.ts';
import { inFlagWords } from '../../../src/cli/shell/usage.ts';

const command = 'keys:create';
const declared = {
  ...Object.fromEntries(['external-id', 'seed', 'page-size', 'path', 'shuffle'].map((name) => [name, {}])),
  ...Object.fromEntries(['ttl', 'latency', 'skew'].map((name) => [name, { helpValue: 'DURATION' }])),
  permission: { aliases: ['permissions'] },
};
const refusal = (message: string, code = 'invalid_request') =>
  new ApiError({
    code,
    message,
    status: 400,
    context: { a: 'b' },
    requestId: 'req_1',
    endpoint: 'GET /users',
  });

describe('inFlagWords', () => {
  test.each([
    ['ttl must be an integer of seconds from 60 to 86400', ['--ttl', '5'], '--ttl must be from 1m to 1d'],
    ['ttl must be an integer', ['--ttl=5'], '--ttl must be an integer'],
    [
      'Header x-external-id must be 5 to 256 letters',
      ['--external-id', 'a'],
      '--external-id must be 5 to 256 letters',
    ],
    [
      'Query parameter page_size must be an integer of at least 1',
      ['--page-size', '0'],
      '--page-size must be an integer of at least 1',
    ],
    [
      'seed must be a string; ttl must be an integer',
      ['--seed', '', '--ttl', 'x'],
      '--seed must be a string; --ttl must be an integer',
    ],
    [
      'match.path has a star beside other characters',
      ['--path', '/*a'],
      '--path has a star beside other characters',
    ],
    ['match.path must be a path', ['--path', 'a'], '--path must be a path'],
    ['ttl must be an integer', ['--file', 'token.json'], 'ttl must be an integer'],
    ['Ada has it; seed: true takes it over', ['--ttl', '5'], 'Ada has it; --seed takes it over'],
    ['Ada has it; other: true takes it over', ['--ttl', '5'], 'Ada has it; other: true takes it over'],
    ['permissions[0] must be one of a', ['--permission', 'x'], '--permission must be one of a'],
    [
      'permissions[0] must be one of a; permissions[1] must be one of a',
      ['--permission', 'x', '--permission', 'y'],
      '--permission must be one of a',
    ],
    ['permissions[0] must be one of a', ['--permissions=x'], '--permission must be one of a'],
    ['permissions[0] must be one of a', ['--ttl', 'x'], 'permissions[0] must be one of a'],
    ['path: no such thing', ['--path', 'x'], '--path: no such thing'],
    ['latency_ms must be an integer from 0 to 60000', ['--latency', '1h'], '--latency must be from 0s to 1m'],
    [
      'tampering.skew_ms must be an integer of milliseconds from -31536000000 to 31536000000 (a year)',
      ['--skew=9999d'],
      '--skew must be from -365d to 365d',
    ],
    ['tampering.shuffle needs a count', ['--shuffle'], '--shuffle needs a count'],
    ['path begins with a blank', ['--path', ' x'], '--path begins with a blank'],
    ['The x-external-id belongs to a user', ['--external-id=a'], '--external-id belongs to a user'],
    ['The path of the file is long', ['--path', 'x'], 'The path of the file is long'],
    ['seed must be a string, or null', ['--seed', ''], '--seed must be a string'],
    ['seed must be a string, or null', ['--ttl', '5'], 'seed must be a string, or null'],
    ['name must be a string', ['--ttl', '5'], 'name must be a string'],
    ['The body must be an object', ['--ttl', '5'], 'The body must be an object'],
  ])('inFlagWords: %s after %j', (message, argv, expected) => {
    const error = inFlagWords(refusal(message), { argv, declared, command }) as ApiError;
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      message: expected,
      code: 'invalid_request',
      status: 400,
      context: { a: 'b' },
      requestId: 'req_1',
      endpoint: 'GET /users',
    });
  });

  test.each(['id.ssn9=123-45-6789', '123456789', 'Jane; Doe', 'id.ssn9=1; did you mean id.ssn9?'])(
    'inFlagWords: %s in place of an identifier is not shown',
    (typed) => {
      const error = inFlagWords(refusal(`Unknown identifier: ${typed}`), { argv: [], declared, command });
      expect((error as ApiError).message).toBe(
        'Unknown identifier (not shown: it may hold a value); identifiers look like id.first_name',
      );
    },
  );

  test.each(['id.frist_name; did you mean id.first_name?', 'ssn9; did you mean id.ssn9?', 'bank.a.b:1'])(
    'inFlagWords: the unknown identifier %s is shown',
    (typed) => {
      const error = refusal(`Unknown identifier: ${typed}`);
      expect(inFlagWords(error, { argv: [], declared, command })).toBe(error);
    },
  );

  test.each([
    [['--permission', 'decrypt:id.nope'], '--permission: Unknown identifier: id.nope'],
    [['--where=id.nope=1'], '--where: Unknown identifier: id.nope'],
    [['fp_id_1', '--json', 'id.nope', '--where', 'id.zip=1'], 'Unknown identifier: id.nope'],
  ])('inFlagWords: an unknown identifier in %j names the flag that has it', (argv, expected) => {
    const flags = { permission: {}, where: {}, json: { type: 'boolean' as const } };
    const error = inFlagWords(refusal('Unknown identifier: id.nope'), {
      argv,
      declared: flags,
      command: 'x',
    });
    expect((error as ApiError).message).toBe(expected);
  });

  test('inFlagWords: a hint that advises a member names its flag', () => {
    const hintFor = (id: string, flag: string) =>
      describeFailure(
        inFlagWords(refusal('no', 'T122'), { argv: [], declared: { [flag]: {} }, command: id }),
      );

    expect(hintFor('users:kyc', 'no-reonboard')).toMatchObject({
      hint: 'leaving out --no-reonboard starts another one',
      code: 'T122',
      context: { a: 'b' },
      requestId: 'req_1',
    });
    expect(hintFor('onboardings:start', 'allow-reonboard').hint).toBe('--allow-reonboard starts another one');
    expect(hintFor('api', 'data').hint).toBe('allow_reonboard: true starts another one');
  });

  test('inFlagWords: any other failure is the same one', () => {
    const other = refusal('ttl must be an integer', 'T120');
    expect(inFlagWords(other, { argv: ['--ttl', '5'], declared, command })).toBe(other);
    const bug = new TypeError('ttl must be an integer');
    expect(inFlagWords(bug, { argv: ['--ttl', '5'], declared, command })).toBe(bug);
  });
});
