/** What falls due by the clock, whoever it belongs to, in one order (contract §11, PUT clock). */

/** A kind of work that falls due: delayed outcomes, attempts of deliveries. */
export interface DueSource {
  readonly name: string;
  /** Epoch milliseconds of the earliest piece that nobody is working on; undefined when there is none. */
  nextAt(): number | undefined;
  /** How many pieces wait for their time or are being worked on. */
  pending(): number;
  /** Works off what is due by the clock's `now`; answers how many pieces were done. Settles when they are. */
  run(): Promise<number>;
  /** Settles when nothing of it is being worked on. */
  idle(): Promise<void>;
}
