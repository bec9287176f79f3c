import type { World } from '../../kernel/world.ts'
import {
  configurationVersions,
  putVersion,
} from '../configuration-versions/configuration-versions.ts'
import { removeTestsOf } from './tests.ts'
import { removeVariablesOf } from './variables.ts'

/**
 * Deletes what belongs to a module and is kept in tables of its own: variables, configuration
 * versions, test runs. Part of the transaction that deletes the module.
 */
export function removeModuleData(world: World, moduleId: string): void {
  removeVariablesOf(world, moduleId)
  removeTestsOf(world, moduleId)
}

/**
 * Keeps what belongs to a module whose organization has a new name: configuration versions know it.
 * Part of the transaction that renames.
 */
export function moveModuleData(world: World, moduleId: string, organization: string): void {
  for (const version of Array.from(world.table(configurationVersions).rows(`${moduleId}/`))) {
    putVersion(world, { ...version, organization })
  }
}
