import type { World } from '../../kernel/worlds/world.ts'
import { versionKind } from '../configuration-versions/configuration-version-machine.ts'
import {
  configurationVersions,
  putConfigurationVersion,
} from '../configuration-versions/configuration-versions.ts'
import { removeContent, removeObjects } from '../objects.ts'
import { testRuns } from '../test-runs/test-runs.ts'
import { testRunKind } from '../test-runs/timing.ts'
import { removeVariablesOf } from '../variables/variables.ts'

/**
 * Deletes the variables, test runs and configuration versions of a module or a workspace. Must run
 * inside the transaction that deletes the owner.
 */
export function removeDependentData(world: World, ownerId: string): void {
  removeVariablesOf(world, ownerId)
  removeTestRunsAndVersions(world, ownerId)
}

/**
 * Sets the new name of a renamed organization in the configuration versions of a module or a
 * workspace. Must run inside the transaction that renames the organization.
 */
export function moveDependentData(world: World, ownerId: string, organization: string): void {
  for (const version of Array.from(world.table(configurationVersions).rows(`${ownerId}/`))) {
    putConfigurationVersion(world, { ...version, organization })
  }
}

/** Deletes an owner's test runs and configuration versions, with their files and pending jobs. */
function removeTestRunsAndVersions(world: World, ownerId: string): void {
  const prefix = `${ownerId}/`
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
