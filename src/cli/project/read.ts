/**
 * The text of a project file as a value. What is wrong is told by file and line, never by what stands there. JSON is
 * read without the YAML package, which takes longer to load than most commands run.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { MIB } from '../../kernel/units.ts';
import { UsageError } from '../shell/failure.ts';
import { repeatedMember } from './repeated-member.ts';

const LARGEST_BYTES = MIB;

/** Throws UsageError. An empty YAML file is an empty project. */
export async function readProjectFile(file: string): Promise<unknown> {
  const text = textOf(file);
  if (file.endsWith('.json')) return parseJson(text, file);
  const { parseYaml } = await import('./yaml.ts');
  return parseYaml(text, file);
}

function textOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = bytesOf(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'failed'})`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file} is not UTF-8 text`);
  }
}

function bytesOf(file: string): Buffer {
  // Opening a pipe that nobody writes to would otherwise wait for ever.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw new UsageError(`${file} is not a file`);
    if (found.size > LARGEST_BYTES) throw new UsageError(`${file} is larger than 1 MiB`);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** JSON.parse quotes the text in its messages and lets the last of two members win; this does neither. */
function parseJson(text: string, file: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON`);
  }
  if (repeatedMember(text)) throw new UsageError(`${file} has a member twice`);
  return value;
}
