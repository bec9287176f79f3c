import type { Api } from '../../routes/http/api.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { ServedApi } from '../services.ts'

/**
 * Returns the same APIs, each of which knows the others: so it can say whose a request was that came
 * to it (behaviour/program#journal).
 *
 * @param urlOf where an API is reached; `ownPort` asks for a listener of its own alone, because on a
 *   shared one it has not all of its paths
 */
export function withSiblings(
  apis: ReadonlyMap<string, ServedApi>,
  urlOf: (name: string, ownPort: boolean) => string | undefined,
): ReadonlyMap<string, ServedApi> {
  const all = [...apis].map(([name, { combined, dedicated }]) => ({
    name,
    ownPort: combined !== dedicated,
    url: () => urlOf(name, combined !== dedicated),
    addresses: (world: World) => dedicated.explanations?.addresses(world) ?? [],
  }))
  const linked = (api: Api): Api => ({
    ...api,
    siblings: () => all.filter(({ name }) => name !== api.name),
  })
  return new Map(
    [...apis].map(([name, { combined, dedicated }]) => [
      name,
      { combined: linked(combined), dedicated: linked(dedicated) },
    ]),
  )
}
