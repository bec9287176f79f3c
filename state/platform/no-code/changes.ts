import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { refuse, requireFound } from '../messages.ts'
import { type Module, moduleWithId, putModule } from '../modules/modules.ts'
import { withModuleChanges } from '../modules/versions.ts'
import { isBlank, type TextInput, updatedText } from '../names.ts'
import { Violations } from '../violations.ts'
import {
  canPin,
  type NoCodeModule,
  newNoCodeModule,
  noCodeModuleOf,
  noCodeRows,
  type VariableOption,
} from './no-code-modules.ts'

/** A variable option in a request. Null is handled like a blank string. */
interface OptionInput extends TextInput<'variable_name' | 'variable_type'> {
  /** Id of the existing option that this option replaces. */
  readonly id?: string | undefined
  readonly options?: readonly string[]
}

/**
 * Members of a request for a no-code module. Missing members get defaults when the no-code module
 * is created, and stay unchanged when it is changed.
 */
export interface NoCodeInput extends TextInput<'version_pin'> {
  /** Id of the registry module. */
  readonly module?: string | undefined
  readonly enabled?: boolean
  /** Complete list of variable options, which replaces the existing options. */
  readonly variable_options?: readonly OptionInput[] | undefined
}

/**
 * Makes a private module available for no-code provisioning, and sets its flag `no_code` to the
 * value of `enabled` (behaviour/platform#no-code-modules). Throws 404 if the organization has no
 * such module. Throws 422 if the request names no module, the module already has a no-code module,
 * or an option or the pinned version is invalid.
 */
export function createNoCodeModule(
  world: World,
  organization: string,
  input: NoCodeInput,
): NoCodeModule {
  const { module } = input
  if (module === undefined) throw refuse('registry-module-required')
  return world.write(() => store(world, newNoCodeModule(world, organization, module), input))
}

export function changeNoCodeModule(
  world: World,
  noCode: NoCodeModule,
  input: NoCodeInput,
): NoCodeModule {
  return store(world, noCode, input)
}

/**
 * Deletes a no-code module and clears the flag `no_code` of the registry module. The registry
 * module and the workspaces made from it stay.
 */
export function deleteNoCodeModule(world: World, { id, module }: NoCodeModule): void {
  world.write(() => {
    noCodeRows.drop(world, { id })
    setNoCodeFlag(world, module, false)
  })
}

function store(world: World, before: NoCodeModule, input: NoCodeInput): NoCodeModule {
  const module = requireModule(world, before.organization, input.module ?? before.module)
  const other = noCodeModuleOf(world, module.id)
  const violations = new Violations()
  if (other !== undefined && other.id !== before.id) violations.add('registry-module', 'taken')
  checkOptions(input.variable_options ?? [], violations)
  violations.check()
  const version_pin = updatedText(input.version_pin, before.version_pin)
  if (!canPin(module, version_pin)) throw refuse('version-pin-unknown')
  const enabled = input.enabled ?? before.enabled
  return world.write(() => {
    if (before.module !== module.id) setNoCodeFlag(world, before.module, false)
    setNoCodeFlag(world, module.id, enabled)
    const variable_options =
      input.variable_options?.map((one) => optionAfter(world, before, one)) ??
      before.variable_options
    const after = { ...before, module: module.id, enabled, version_pin, variable_options }
    return noCodeRows.put(world, after)
  })
}

/** Returns a private module. Throws 404 if the organization has no private module with this id. */
function requireModule(world: World, organization: string, id: string): Module {
  const module = requireFound(moduleWithId(world, id))
  const isUsable = module.organization === organization && module.registry_name === 'private'
  return requireFound(isUsable ? module : undefined)
}

/** Adds a violation for each option without a name or without a type. */
function checkOptions(inputs: readonly OptionInput[], violations: Violations): void {
  for (const { variable_name, variable_type } of inputs) {
    if (isBlank(variable_name)) violations.add('variable-name', 'blank')
    if (isBlank(variable_type)) violations.add('variable-type', 'blank')
  }
}

/**
 * Returns the row of an option. The row has the id of the existing option that the input names, or
 * else a new id.
 */
function optionAfter(
  world: World,
  { variable_options: before }: NoCodeModule,
  { id, variable_name, variable_type, options = [] }: OptionInput,
): VariableOption {
  return {
    id: before.find((one) => one.id === id)?.id ?? newId(world, 'ncvaropt'),
    variable_name: variable_name ?? '',
    variable_type: variable_type ?? '',
    options,
  }
}

function setNoCodeFlag(world: World, id: string, no_code: boolean): void {
  const module = moduleWithId(world, id)
  if (module === undefined || module.no_code === no_code) return
  putModule(world, withModuleChanges(world, module, { no_code }))
}
