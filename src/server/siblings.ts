import type { Api } from '../../routes/http/api.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { ServedApi } from '../services.ts'

/**
 * Returns a copy of the APIs in which each API has a list of the others, so that a reply to a
 * misdirected request can name the API for which it was meant (behaviour/program#journal).
 *
 * @param urlOf returns the URL of an API; with `hasDedicatedPort`, only the URL of a listener that
 *   serves this API alone, because a shared listener does not serve all paths of the API
 */
export function withSiblings(
  apis: ReadonlyMap<string, ServedApi>,
  urlOf: (name: string, hasDedicatedPort: boolean) => string | undefined,
): ReadonlyMap<string, ServedApi> {
  const siblings = [...apis].map(([name, { combined, dedicated }]) => ({
    name,
    hasDedicatedPort: combined !== dedicated,
    url: () => urlOf(name, combined !== dedicated),
    addresses: (world: World) => dedicated.explanations?.addresses(world) ?? [],
  }))
  const withSiblingList = (api: Api): Api => ({
    ...api,
    siblings: () => siblings.filter(({ name }) => name !== api.name),
  })
  return new Map(
    [...apis].map(([name, { combined, dedicated }]) => [
      name,
      { combined: withSiblingList(combined), dedicated: withSiblingList(dedicated) },
    ]),
  )
}
