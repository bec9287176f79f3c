import { loadRows } from '../../../state/kernel/worlds/document.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Validator } from '../../http/declare/validate.ts'
import { checkDocument, DocumentError } from './documents.ts'

/**
 * Adds what fixtures say to a world as it is: what they do not name stays. A table that is named is
 * complete, as always (behaviour/program#fresh-world).
 *
 * @param document parts of services alone: time, ids and options have calls of their own
 * @throws {Mistakes} with every mistake; nothing has changed then
 */
export function addFixtures(world: World, document: unknown, validator: Validator): void {
  const checked = checkDocument(world.services, document, validator)
  const others = Object.keys(checked).filter((name) => name === 'world' || name === 'options')
  if (others.length > 0) {
    throw new DocumentError(others.map((name) => `/${name} cannot be added to a world that runs`))
  }
  world.write(() => loadRows(world, checked))
}
