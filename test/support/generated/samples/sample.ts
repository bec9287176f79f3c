/** Requests that are known to be good, from which tests make others, good and broken ones. */
export interface Samples {
  /** The header that carries the caller's token, and what may stand in it; the first two may do most. */
  readonly tokenHeader: string
  readonly tokens: readonly [string, ...string[]]
  readonly contentType: string
  /**
   * What a parameter of a path may be, by its name (`id`) or by what is before it (`job/:id`): one of
   * some texts, or any text told by a reply that the pattern fits.
   */
  readonly values: Readonly<Record<string, readonly string[] | RegExp>>
  /**
   * Bodies by operation (`POST /v1/jobs`), in an order in which they can be sent to a fresh world. A
   * text `:id` in them is what that parameter is in the path, or may be; undefined is no body.
   */
  readonly bodies: Readonly<Record<string, readonly unknown[]>>
}
