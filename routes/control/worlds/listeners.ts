/**
 * The listeners that are requested for a world: true for all of them, false for none, or ports by
 * API and for `combined`. The port 0 stands for any free port.
 */
export type Listen = boolean | Readonly<Record<string, number>>

/** The listeners of individual worlds of a process (behaviour/program#worlds-for-clients). */
export interface WorldListeners {
  /**
   * Opens listeners and creates their world with `make`. If opening or creating fails, the
   * listeners are closed again.
   *
   * @throws {InputError} for unknown APIs; a `conflict` refusal for ports that are not available
   */
  open<W>(world: string, listen: Listen, make: () => W): Promise<W>
  /**
   * Opens a listener on a free port for each API in `names` for which the world has no listener. If
   * one of them cannot be opened, those already opened are closed again.
   * @throws a `conflict` refusal if a listener cannot be opened
   */
  complete(world: string, names: readonly string[]): Promise<void>
  /**
   * Returns a promise that resolves when the listeners of a world have been opened or could not be
   * opened. Returns undefined if no listener of the world is being opened.
   */
  opening(world: string): Promise<unknown> | undefined
  /**
   * Returns the ports of a world's listeners by API, and the port of `combined`; an empty object if
   * the world has no listeners.
   */
  ports(world: string): Readonly<Record<string, number>>
}
