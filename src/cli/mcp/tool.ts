/**
 * The definition of a tool for an assistant: its description, its arguments, and the code that runs with a client of
 * the sandbox.
 */
import { Type, type Static, type TObject, type TProperties } from '@sinclair/typebox';
import type { Client } from '../../client/client.ts';
import type { JsonValue } from '../../kernel/text/json.ts';

export interface Tool {
  readonly name: string;
  /** For the assistant: what it does, when to use it, what the result leaves out. */
  readonly description: string;
  /** An object without additional members. */
  readonly input: TObject;
  readonly effect: ToolEffect;
  /** Throws what the client throws, and CliError. None of the messages contains a value. */
  run(args: unknown, situation: ToolContext): Promise<ToolAnswer>;
}

/** `reads` is always served; the others only if changes are allowed. */
export type ToolEffect = 'reads' | 'adds' | 'changes' | 'deletes';

/** Converted to JSON; undefined members are left out. */
export type ToolAnswer = object | readonly JsonValue[];

export interface ToolContext {
  /** Uses the sandbox key with the running daemon. */
  readonly client: Client;
  readonly allowsChanges: boolean;
  readonly baseUrl: () => Promise<string>;
}

export function tool<Input extends TObject>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input;
    run(args: Static<Input>, situation: ToolContext): Promise<ToolAnswer>;
  },
): Tool {
  return definition;
}

/** The arguments of a tool. */
export function taking<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false });
}

/** An id, or another short text. */
export const namedBy = (description: string) => Type.String({ minLength: 1, maxLength: 64, description });

export const SANDBOX = { environment: 'sandbox' } as const;
