/** The keyring over HTTP: rotation in the background, adding and removing slots (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import type { Needs } from '../needs.ts';
import { defined } from '../../kernel/defined.ts';

/** Small enough for short commits, large enough to finish soon. */
const REWRAP_BATCH = 200;

/** Continues until no entity uses an older root key. Each batch is a commit, so it can be interrupted anywhere. */
async function rewrapAll({ queue, keyring }: Needs<'queue' | 'keyring'>): Promise<void> {
  let done: number;
  do {
    done = await queue.write((database) => keyring.rewrapEntityKeys(database, REWRAP_BATCH));
  } while (done > 0);
  queue.scrub();
}

export function createKeyringOperations(context: Needs<'queue' | 'keyring' | 'clock'>) {
  const { queue, keyring, clock } = context;
  let rewrapping: Promise<void> | undefined;

  const describe = (): AnswerOf<'GET /_kyclone/keyring'> => keyring.describe(queue.database);

  function startRewrapping(): Promise<void> {
    const before = rewrapping ?? Promise.resolve();
    const own = before
      .then(() => rewrapAll(context))
      .finally(() => {
        if (rewrapping === own) rewrapping = undefined;
      });
    rewrapping = own;
    return own;
  }

  return {
    describe,
    /** After a start: completes an interrupted rotation. */
    resume(): void {
      const { root_key_version, min_root_key_version } = describe();
      // An error here affects the store as well; the next start resumes the rotation.
      if (min_root_key_version < root_key_version) startRewrapping().catch(() => undefined);
    },
    /** 1 while entity keys are being rewrapped. */
    pending: () => (rewrapping ? 1 : 0),
    handlers: {
      'GET /_kyclone/keyring': () => answer(describe()),

      'POST /_kyclone/keyring/rotate': async ({ query }) => {
        await queue.write((database) => keyring.rotate(database, clock.now()));
        const rewrapped = startRewrapping();
        if (query.wait === true) await rewrapped;
        else rewrapped.catch(() => undefined);
        return answer(describe());
      },

      'POST /_kyclone/keyring/slots': async ({ body }) => {
        const { slot, recovery_code } = await keyring.prepareSlot(body, clock.now());
        await queue.write((database) => keyring.addSlot(database, slot));
        const { id, kind } = slot;
        const view = { id, kind, created_at: timestamp(slot.created_at), last_used_at: null };
        return answer({ ...view, ...defined({ recovery_code }) });
      },

      'DELETE /_kyclone/keyring/slots/{id}': async ({ params }) => {
        await queue.write((database) => keyring.removeSlot(database, params.id));
        queue.scrub();
        return answer({});
      },
    } satisfies Handlers<KeysUnder<'/_kyclone/keyring'>>,
  };
}
