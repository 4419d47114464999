/** What a tool for an assistant is: its words, its arguments, and what it does with a client of the sandbox. */
import type { Static, TObject } from '@sinclair/typebox';
import type { Client } from '../../client/client.ts';
import type { JsonValue } from '../../kernel/json.ts';

export interface Tool {
  readonly name: string;
  /** For the assistant: what it does, when to use it, what the result leaves out. */
  readonly description: string;
  /** An object that takes no other members than its own. */
  readonly input: TObject;
  readonly effect: Effect;
  /** Throws what the client throws, and CliError; no message of them holds a value. */
  run(args: unknown, situation: Situation): Promise<Answer>;
}

/** `reads` is always served; the others are served where changes are allowed. */
export type Effect = 'reads' | 'adds' | 'changes' | 'deletes';

/** Turned into JSON: undefined members are left out. */
export type Answer = object | readonly JsonValue[];

export interface Situation {
  /** Speaks with the sandbox key, to the daemon that runs now. */
  readonly client: Client;
  readonly allowsChanges: boolean;
  /** Where that daemon is. */
  readonly baseUrl: () => Promise<string>;
}

/** A tool whose arguments have the type of its schema. */
export function tool<Input extends TObject>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input;
    run(args: Static<Input>, situation: Situation): Promise<Answer>;
  },
): Tool {
  return definition;
}

/** The space that every tool keeps to. */
export const SANDBOX = { environment: 'sandbox' } as const;
