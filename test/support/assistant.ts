/**
 * An assistant that starts `kyclone mcp` with the protocol's own client, and keeps everything that the server sends.
 */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { cleanEnvironment, ROOT } from './daemon.ts';

export type Assistant = Awaited<ReturnType<typeof startAssistant>>;

export async function startAssistant(
  home: string,
  {
    flags = [],
    environment = {},
  }: { flags?: readonly string[]; environment?: Readonly<Record<string, string>> } = {},
) {
  const given = Object.entries(cleanEnvironment(home, environment));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(ROOT, 'bin', 'kyclone.js'), 'mcp', ...flags],
    env: Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    cwd: home,
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const heard: string[] = [];
  transport.onmessage = (message) => heard.push(JSON.stringify(message));
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const [part] = result.content as { type: string; text: string }[];
    return { isError: result.isError === true, text: part?.text ?? '' };
  };
  return {
    client,
    /** Every message of the server, as JSON text. */
    heard,
    /** Returns what the server wrote to stderr. */
    stderr: () => stderr,
    call,
    /** Returns the answer of a tool, which must succeed. */
    ask: async (name: string, args?: Record<string, unknown>) => {
      const { isError, text } = await call(name, args);
      if (isError) throw new Error(`${name} failed: ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    },
    /** Returns the message of a tool, which must fail. */
    refusal: async (name: string, args?: Record<string, unknown>) => {
      const { isError, text } = await call(name, args);
      if (!isError) throw new Error(`${name} did not fail: ${text}`);
      return text;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
