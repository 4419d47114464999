import { UnreachableError } from '../../../client/errors.ts';
import { openStream } from '../../../client/event-stream.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { connectionOf } from '../../../cli/shell/daemon-access.ts';
import { untilEnd } from '../../../cli/shell/ending.ts';
import { EXIT } from '../../../cli/shell/exit-codes.ts';
import { stopAfterFlag } from '../../../cli/shell/flags.ts';
import { entryFilter } from '../words.ts';
import { filterFlags, wantsControl, type JournalEntry, requestLine } from './journal.ts';

class RequestsTail extends BaseCommand {
  static override summary = 'Show requests as they complete; values are masked';
  static override description =
    'Runs until it is interrupted. With --json each is one line, as in `requests get`. When the daemon stops, it ends ' +
    'with exit code 5.';
  static override examples = ['', '--path "/users/**" --status 400 --json'];
  static override flags = { ...filterFlags, ...stopAfterFlag };

  async run(): Promise<void> {
    const { flags } = await this.parse(RequestsTail);
    const { method, path, status, 'stop-after': stopAfter } = flags;
    const connection = connectionOf(await this.access(), false);
    const isWanted = entryFilter({ method, path, status, control: wantsControl(flags) });
    const exitCode = await untilEnd(async ({ signal, end }) => {
      const messages = await openStream(connection, { types: ['request'], signal });
      this.note('Waiting for requests; Ctrl-C ends it');
      let shown = 0;
      for await (const { data } of messages) {
        if (signal.aborted) return;
        const entry = data as unknown as JournalEntry;
        if (!isWanted(entry)) continue;
        this.presentEntry(entry, requestLine);
        if (++shown === stopAfter) end(EXIT.ok);
      }
      if (!signal.aborted)
        throw new UnreachableError('The daemon ended the stream: it stopped or is restarting');
    });
    this.endWith(exitCode);
  }
}

export default { 'requests:tail': RequestsTail };
