/** The part of an operation that a router needs to know. */
export interface HasPath {
  readonly path: string
}

/** The operations that share a path. */
export interface Route<O> {
  /** As declared: `/namespace/:name`. */
  readonly path: string
  /** By verb, in the order of their declarations. */
  readonly operations: ReadonlyMap<string, O>
  /** Any of them, for what they all say of the path. */
  readonly first: O
}

/** The values of a path's parameters by name. */
export type Params = Readonly<Record<string, string>>

/** The operation that a path leads to, and the values of its parameters. */
export interface RouteMatch<O> {
  readonly route: Route<O>
  readonly params: Params
}

/** Finds what a path leads to among the operations of an API. */
export interface Router<O> {
  /** In the order of their first operations. */
  readonly routes: readonly Route<O>[]
  /**
   * The place that a path leads to. Where several fit, a verb may tell which one is meant.
   *
   * @returns undefined when no operation has such a path
   */
  find(path: string, verb: string): RouteMatch<O> | undefined
  /** Every place that a path could lead to. */
  all(path: string): readonly Route<O>[]
}
