/** What an operation says of where it is. */
interface Placed {
  readonly method: string
  readonly path: string
}

/** The operations that share a path. */
export interface Endpoint<O> {
  /** As declared: `/namespace/:name`. */
  readonly path: string
  readonly operations: ReadonlyMap<string, O>
  /** In the order in which the references list them. */
  readonly methods: readonly string[]
}

/** What a request is about. */
export interface Addressed<O> {
  readonly endpoint: Endpoint<O>
  readonly params: Readonly<Record<string, string>>
}

/** A path with a parameter between two fixed parts. */
interface OpenPath<O> {
  readonly before: string
  readonly name: string
  /** Empty where the parameter takes the rest of the path. */
  readonly after: string
  readonly endpoint: Endpoint<O>
}

const order = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE']

/**
 * Finds endpoints as the routers of the mesh and the scheduler do: an exact path goes before one with
 * a parameter, which may hold slashes, and what is longer before and behind the parameter goes before
 * what is shorter. Methods are looked at afterwards, so that a wrong one is 405 there and never
 * another endpoint's.
 */
export class Endpoints<O extends Placed> {
  readonly #exact = new Map<string, Endpoint<O>>()
  /** The most particular first. */
  readonly #open: readonly OpenPath<O>[]

  constructor(operations: readonly O[]) {
    const byPath = new Map<string, O[]>()
    for (const operation of operations) {
      byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation])
    }
    const open: OpenPath<O>[] = []
    for (const [path, group] of byPath) {
      const endpoint = endpointOf(path, group)
      const parameter = /^(.*\/):([^/:]+)(\/[^:]*)?$/.exec(path)
      if (parameter === null) this.#exact.set(path, endpoint)
      else {
        const [, before = '', name = '', after = ''] = parameter
        open.push({ before, name, after, endpoint })
      }
    }
    this.#open = open.sort(
      (a, b) => b.before.length - a.before.length || b.after.length - a.after.length,
    )
  }

  /** @param path below the prefix, decoded, without query */
  find(path: string): Addressed<O> | undefined {
    const exact = this.#exact.get(path)
    if (exact !== undefined) return { endpoint: exact, params: {} }
    const found = this.#open.find(
      ({ before, after }) =>
        path.startsWith(before) &&
        path.endsWith(after) &&
        path.length >= before.length + after.length,
    )
    if (found === undefined) return undefined
    const { endpoint, name, before, after } = found
    return { endpoint, params: { [name]: path.slice(before.length, path.length - after.length) } }
  }
}

function endpointOf<O extends Placed>(path: string, operations: readonly O[]): Endpoint<O> {
  const byMethod = new Map(operations.map((operation) => [operation.method, operation]))
  return { path, operations: byMethod, methods: order.filter((method) => byMethod.has(method)) }
}
