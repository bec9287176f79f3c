import type { WorldOptions } from '../options/world-options.ts'
import type { InParts } from '../parts.ts'
import { type DocumentedWorld, loadDocument } from './document.ts'
import type { ServiceDefinitionOf } from './service-definition.ts'
import type { WorldSettingsOf } from './world-settings.ts'

/**
 * Writes the initial content of a new world: the options, the rows and short forms of the document
 * and, unless the world continues a snapshot, the start state of the services. Must run inside a
 * transaction. Throws `Mistakes` if services refuse parts of the document.
 */
export function* initialContent<
  W extends DocumentedWorld & { readonly services: readonly ServiceDefinitionOf<W>[] },
>(
  world: W,
  worldOptions: WorldOptions,
  { from, options = {}, document, onPartLoaded }: WorldSettingsOf<W>,
): InParts<void> {
  if (from === undefined) worldOptions.createRows(options)
  else worldOptions.change(options)
  worldOptions.change(document?.options ?? {})
  if (from === undefined) for (const service of world.services) service.seed(world)
  yield
  if (document !== undefined) yield* loadDocument(world, document, onPartLoaded)
}
