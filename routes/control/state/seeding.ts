import { runParts } from '../../../state/kernel/parts.ts'
import { loadDocument } from '../../../state/kernel/worlds/document.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type ControlTools, withCallersStack } from '../../http/declare/control-call.ts'
import { checkDocument, DocumentError } from './documents.ts'

/** Returns the tools that the parts of a world's control share. */
export function controlTools(): ControlTools {
  const tools: ControlTools = {
    addFixtures: (world, fixtures) =>
      withCallersStack(tools.addFixtures, () => addFixtures(world, fixtures)),
  }
  return tools
}

/**
 * Adds fixtures to the current state of a world. A table in the fixtures replaces all rows of that
 * table. Other tables change only where short forms, which each service defines, write rows
 * (behaviour/program#fixtures).
 *
 * @param document parts of services, and the format; the parts `world` and `options` are refused
 * @throws {Mistakes} with every mistake; nothing changes in this case
 */
function addFixtures(world: World, document: unknown): void {
  const checked = checkDocument(world.services, document)
  const others = Object.keys(checked).filter((name) => name === 'world' || name === 'options')
  if (others.length > 0) {
    throw new DocumentError(others.map((name) => `/${name} cannot be added to a world that runs`))
  }
  world.write(() => runParts(loadDocument(world, checked)))
}
