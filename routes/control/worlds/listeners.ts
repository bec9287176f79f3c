/**
 * Requested listeners of a world: true for all, or ports by API, including `combined`; 0 means any
 * free port.
 */
export type Listen = boolean | Readonly<Record<string, number>>

/** Listeners of individual worlds in a process (behaviour/program#worlds-for-clients). */
export interface WorldListeners {
  /**
   * Opens listeners and creates their world; if either fails, no listeners remain.
   *
   * @throws {InputError} for unknown APIs, a `conflict` refusal for unavailable ports
   */
  open<W>(world: string, listen: Listen, make: () => W): Promise<W>
  /**
   * Opens a listener on a free port for each of these APIs for which the world has none.
   *
   * @throws a `conflict` refusal if a listener cannot be opened
   */
  complete(world: string, names: readonly string[]): Promise<void>
  /**
   * Returns a promise for the listeners of a world that is being created; undefined for any other
   * world.
   */
  opening(world: string): Promise<unknown> | undefined
  /**
   * Returns the ports of a world's listeners by API, and of `combined`; empty if the world has
   * none.
   */
  ports(world: string): Readonly<Record<string, number>>
}
