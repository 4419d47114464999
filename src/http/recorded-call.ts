/** A finished request as a recording keeps it: with its values, without its credential. */
import type { FastifyRequest } from 'fastify';
import type { RecordedCall } from '../resources/recording/index.ts';

/** Undefined for what a fixture cannot hold: files, and bodies that are no JSON. */
export function recordedCall(_request: FastifyRequest, _status: number): RecordedCall | undefined {
  return undefined;
}
