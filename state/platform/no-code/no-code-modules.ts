import { bool, list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import type { Module, ModuleVersion } from '../modules/modules.ts'
import { publishedVersions } from '../modules/published.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

export const noCodeAttributes = {
  enabled: bool,
  /** Version to provision; `latest` or an empty string selects the highest published version. */
  version_pin: text,
}

export const optionAttributes = {
  variable_name: text,
  variable_type: text,
  options: list(text),
}

const optionShape = struct({
  ...optionAttributes,
  /** Id of the form `ncvaropt-…`. */
  id: text,
})

/** A variable of a no-code module and its allowed values. */
export interface VariableOption extends StoredOf<typeof optionShape> {}

const noCodeShape = struct({
  ...noCodeAttributes,
  /** Id of the form `nocode-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** Id of the registry module. */
  module: text,
  variable_options: list(optionShape),
})

/** Settings for the no-code provisioning of a module (behaviour/platform#no-code-modules). */
export interface NoCodeModule extends StoredOf<typeof noCodeShape> {}

/** No-code modules by `<organization>/<number>`, numbered in creation order. */
export const noCodeModules = platformTable('no-code-modules', noCodeShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id, byModule: ({ module }) => module },
})

export const noCodeRows = ownedRows(noCodeModules, 'organization')

/**
 * Returns the no-code module of a registry module; undefined if the registry module has no no-code
 * module.
 */
export function noCodeModuleOf(world: World, module: string): NoCodeModule | undefined {
  return world.table(noCodeModules).index('byModule').get(module)
}

/** Deletes the no-code module that belongs to a registry module. Must run inside a transaction. */
export function dropNoCodeModuleOf(world: World, module: string): void {
  const row = noCodeModuleOf(world, module)
  if (row !== undefined) noCodeRows.drop(world, row)
}

/**
 * Sets `enabled` of the no-code module to the flag `no_code` of the registry module, and creates
 * the no-code module if necessary. Does nothing for public modules. Returns the registry module
 * unchanged. Must run inside a transaction.
 */
export function syncNoCodeModule(world: World, module: Module): Module {
  const { id, organization, registry_name, no_code: enabled } = module
  const before = noCodeModuleOf(world, id)
  if (registry_name !== 'private' || enabled === (before?.enabled ?? false)) return module
  noCodeRows.put(world, { ...(before ?? newNoCodeModule(world, organization, id)), enabled })
  return module
}

/** Returns an enabled no-code module without options. The caller stores the no-code module. */
export function newNoCodeModule(world: World, organization: string, module: string): NoCodeModule {
  const id = newId(world, 'nocode')
  return { id, organization, module, enabled: true, version_pin: '', variable_options: [] }
}

/**
 * Pin that selects the highest published version. An empty pin has the same meaning as `latest`.
 */
const latestPin = 'latest'

/** Returns whether a pin is empty, `latest` or an existing version of the module. */
export function canPin({ versions }: Module, pin: string): boolean {
  return pin === '' || pin === latestPin || versions.some(({ version }) => version === pin)
}

/**
 * Returns the version that a no-code module provisions: the pinned version, or the highest
 * published version if the pin is empty or `latest`. Returns undefined if the pinned version is not
 * published, or if the module has no published version.
 */
export function provisionedVersion(
  { version_pin: pin }: NoCodeModule,
  module: Module,
): ModuleVersion | undefined {
  const published = publishedVersions(module)
  if (pin === '' || pin === latestPin) return published[0]
  return published.find(({ version }) => version === pin)
}
