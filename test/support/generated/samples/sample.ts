/** Valid requests of an API, from which tests derive valid and corrupted requests. */
export interface Samples {
  /**
   * Header that carries the caller's token. `tokens` holds its values; most requests send the first
   * one.
   */
  readonly tokenHeader: string
  readonly tokens: readonly [string, ...string[]]
  readonly contentType: string
  /**
   * Values of path parameters, by name (`id`) or with the preceding segment (`job/:id`): a list of
   * strings, or a pattern for strings from earlier replies.
   */
  readonly values: Readonly<Record<string, readonly string[] | RegExp>>
  /**
   * Bodies by operation (`POST /v1/jobs`), in an order that works in a fresh world. A text `:id`
   * stands for the value of that path parameter; undefined means no body.
   */
  readonly bodies: Readonly<Record<string, readonly unknown[]>>
}
