import type { World } from '../../kernel/world.ts'
import { versionKind } from '../configuration-versions/configuration-version-machine.ts'
import { configurationVersions } from '../configuration-versions/configuration-versions.ts'
import { removeContent, removeObjects } from '../objects.ts'
import { testRunKind } from '../test-runs/pace.ts'
import { testRuns } from '../test-runs/test-runs.ts'

/**
 * Deletes a module's test runs and configuration versions with all that hangs on them; part of the
 * transaction that deletes the module. Runs of other modules that used such a version stay.
 */
export function removeTestsOf(world: World, module: string): void {
  const prefix = `${module}/`
  for (const { id, log } of world.table(testRuns).rows(prefix)) {
    world.agenda.cancel(testRunKind, id)
    removeObjects(world, [log])
  }
  world.table(testRuns).deleteAll(prefix)
  for (const { id, upload, download } of world.table(configurationVersions).rows(prefix)) {
    world.agenda.cancel(versionKind, id)
    removeContent(world, id)
    removeObjects(world, [upload, download])
  }
  world.table(configurationVersions).deleteAll(prefix)
}
