/**
 * Listeners that a world asks for: true for all, or ports by API, `combined` among them; 0 means any
 * free one.
 */
export type Listen = boolean | Readonly<Record<string, number>>

/** The listeners that worlds of a process have of their own (behaviour/program#worlds-for-clients). */
export interface WorldListeners {
  /**
   * Opens listeners for a world that is made then; there are none if either fails.
   *
   * @throws {InputError} for names that no API has, a `conflict` refusal for ports that cannot be had
   */
  open<W>(world: string, listen: Listen, make: () => W): Promise<W>
  /** Returns when those of a world that is just being made are open or given up; undefined for no such. */
  opening(world: string): Promise<unknown> | undefined
  /** The ports of a world's listeners by API, and of `combined`; nothing where it has none. */
  ports(world: string): Readonly<Record<string, number>>
}
