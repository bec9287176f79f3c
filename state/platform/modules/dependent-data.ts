import type { World } from '../../kernel/worlds/world.ts'
import { versionKind } from '../configuration-versions/configuration-version-machine.ts'
import {
  configurationVersions,
  putVersion,
} from '../configuration-versions/configuration-versions.ts'
import { removeContent, removeObjects } from '../objects.ts'
import { testRuns } from '../test-runs/test-runs.ts'
import { testRunKind } from '../test-runs/timing.ts'
import { removeVariablesOf } from '../variables/variables.ts'

/**
 * Deletes the variables, test runs and configuration versions of a module. Must run inside the
 * transaction that deletes the module.
 */
export function removeModuleData(world: World, moduleId: string): void {
  removeVariablesOf(world, moduleId)
  removeTestData(world, moduleId)
}

/**
 * Sets the new name of a renamed organization in the configuration versions of a module. Must run
 * inside the transaction that renames the organization.
 */
export function moveModuleData(world: World, moduleId: string, organization: string): void {
  for (const version of Array.from(world.table(configurationVersions).rows(`${moduleId}/`))) {
    putVersion(world, { ...version, organization })
  }
}

/** Deletes a module's test runs and configuration versions, with their files and pending jobs. */
function removeTestData(world: World, module: string): void {
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
