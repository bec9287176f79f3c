/** Part of an operation that the router uses. */
export interface HasPath {
  readonly path: string
  /** Whether the path may end with a slash although nothing lists it; `mounts` and `system` only. */
  readonly allowsSlash?: boolean
}

/** Operations that share a path. */
export interface Route<O> {
  /** Path as declared: `/namespace/:name`. */
  readonly path: string
  readonly allowsSlash?: boolean | undefined
  /** Operations by verb, in declared order. */
  readonly operations: ReadonlyMap<string, O>
  /** First of the operations, for members that all of them share. */
  readonly first: O
}

/** Values of path parameters by name. */
export type Params = Readonly<Record<string, string>>

/** Route and operation that match a path, with the values of its parameters. */
export interface RouteMatch<O> {
  readonly route: Route<O>
  readonly params: Params
}

/** Router over the operations of an API. */
export interface Router<O> {
  /** Routes in the order of their first operations. */
  readonly routes: readonly Route<O>[]
  /**
   * Returns the match of a path. The verb decides between several matching routes.
   *
   * @returns undefined if no operation has such a path
   */
  find(path: string, verb: string): RouteMatch<O> | undefined
  /** Returns every route that matches the path. */
  all(path: string): readonly Route<O>[]
}
