import type { MeshOperation } from './operation.ts'

/** The operations that share a path. */
export interface Endpoint {
  /** As declared: `/namespace/:name`. */
  readonly path: string
  readonly operations: ReadonlyMap<string, MeshOperation>
  /** The value of `Allow`: `OPTIONS,GET,PUT`. */
  readonly allow: string
}

/** What a request is about. */
export interface Addressed {
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
}

/** The order in which the reference lists methods. */
const order = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE']

/**
 * Finds endpoints as the reference's router does: an exact path goes before one with a parameter,
 * which takes the rest of the path, and the longer one before the shorter. Methods are looked at
 * afterwards, so that a wrong one is 405 there and never another endpoint's.
 */
export class Endpoints {
  readonly #exact = new Map<string, Endpoint>()
  /** By what stands in front of the parameter; longest first. */
  readonly #open: readonly { readonly before: string; readonly name: string; endpoint: Endpoint }[]

  constructor(operations: readonly MeshOperation[]) {
    const byPath = new Map<string, MeshOperation[]>()
    for (const operation of operations) {
      byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation])
    }
    const open = []
    for (const [path, group] of byPath) {
      const endpoint = endpointOf(path, group)
      const parameter = /^(.*\/):([^/:]+)$/.exec(path)
      if (parameter === null) this.#exact.set(path, endpoint)
      else open.push({ before: parameter[1] ?? '', name: parameter[2] ?? '', endpoint })
    }
    this.#open = open.sort((a, b) => b.before.length - a.before.length)
  }

  /** @param path below the prefix, decoded, without query */
  find(path: string): Addressed | undefined {
    const exact = this.#exact.get(path)
    if (exact !== undefined) return { endpoint: exact, params: {} }
    const found = this.#open.find(({ before }) => path.startsWith(before))
    if (found === undefined) return undefined
    const { endpoint, name, before } = found
    return { endpoint, params: { [name]: path.slice(before.length) } }
  }
}

function endpointOf(path: string, operations: readonly MeshOperation[]): Endpoint {
  const byMethod = new Map(operations.map((operation) => [operation.method as string, operation]))
  const methods = order.filter((method) => byMethod.has(method))
  return { path, operations: byMethod, allow: ['OPTIONS', ...methods].join(',') }
}
