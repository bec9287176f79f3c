/** The members of an operation that the router uses. */
export interface HasPath {
  readonly path: string
  /**
   * True if the path may end with a slash although it has no list operation. Only the routing
   * strategies `mounts` and `system` read this member.
   */
  readonly allowsSlash?: boolean
}

/** The operations that share a path. */
export interface Route<O> {
  /** Path as declared, such as `/namespace/:name`. */
  readonly path: string
  readonly allowsSlash?: boolean | undefined
  /** The operations by verb, in the order of their declaration. */
  readonly operations: ReadonlyMap<string, O>
  /** The first operation, for members that all of the operations share. */
  readonly first: O
}

/** Values of path parameters by name. */
export type Params = Readonly<Record<string, string>>

/** The route that matches a path, with the values of its parameters. */
export interface RouteMatch<O> {
  readonly route: Route<O>
  readonly params: Params
}

/** The compiled routes of an API. A router finds the operations of a path. */
export interface Router<O> {
  /** The routes, in the order of their first operations. */
  readonly routes: readonly Route<O>[]
  /**
   * Returns the match of a path. If several routes of a `tree` match, the verb selects one; if no
   * matching route supports the verb, the first route is returned.
   *
   * @returns undefined if no route matches
   */
  find(path: string, verb: string): RouteMatch<O> | undefined
  /**
   * Returns every route that matches the path; with the strategies `mounts` and `system`, only the
   * first.
   */
  all(path: string): readonly Route<O>[]
}
