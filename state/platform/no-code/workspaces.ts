import type { World } from '../../kernel/worlds/world.ts'
import type { Caller } from '../accounts/callers.ts'
import {
  type ConfigurationVersion,
  newConfigurationVersion,
  putConfigurationVersion,
  versionsOf,
} from '../configuration-versions/configuration-versions.ts'
import { refuse, requireFound } from '../messages.ts'
import { type Module, type ModuleVersion, moduleWithId } from '../modules/modules.ts'
import { addObject, contentOf, putContent } from '../objects.ts'
import { createRun, type RunInput, type RunOrigin } from '../runs/creation.ts'
import { type Run, runsOf, runWithId } from '../runs/runs.ts'
import {
  changeVariable,
  createVariable,
  type VariableInput,
  variablesOf,
} from '../variables/variables.ts'
import { createWorkspace } from '../workspaces/changes.ts'
import type { WorkspaceInput } from '../workspaces/settings.ts'
import { putWorkspace, type Workspace } from '../workspaces/workspaces.ts'
import { type NoCodeModule, noCodeRows, provisionedVersion } from './no-code-modules.ts'

/** Input for a workspace that is created or upgraded from a no-code module. */
interface ProvisioningInput {
  readonly variables: readonly VariableInput[]
  readonly message?: string | null | undefined
}

type NoCodeRunOrigin = Pick<RunOrigin, 'mayApply'> & Required<Pick<RunOrigin, 'base'>>

/**
 * Creates a workspace with variables from a no-code module, and starts a run with the archive of
 * the provisioned version (behaviour/platform#no-code-workspaces). Throws 404 if the registry
 * module was deleted. Throws 422 if the no-code module is disabled or has no version to provision.
 * Also throws the refusals of `createWorkspace`, `createVariable` and `createRun`.
 */
export function createNoCodeWorkspace(
  world: World,
  caller: Caller,
  noCode: NoCodeModule,
  input: ProvisioningInput & { readonly workspace: WorkspaceInput },
  base: string,
): Workspace {
  const source = requireModuleSource(world, noCode)
  return world.write(() => {
    const created = createWorkspace(world, caller, noCode.organization, input.workspace)
    const workspace = putWorkspace(world, {
      ...created,
      source: 'ent-module',
      no_code_module: noCode.id,
    })
    for (const variable of input.variables) createVariable(world, workspace.id, variable)
    startRun(world, caller, workspace, source, input, { mayApply: true, base })
    return workspace
  })
}

/**
 * Starts a run that upgrades a workspace to the version that its no-code module provisions. Adds
 * each variable of the input, or changes the workspace's variable with an equal key and category.
 * Throws 404 if the registry module was deleted. Throws 422 if the no-code module is disabled or
 * has no version to provision. Also throws the refusals of `createVariable`, `changeVariable` and
 * `createRun`.
 */
export function startUpgrade(
  world: World,
  caller: Caller,
  noCode: NoCodeModule,
  workspace: Workspace,
  input: ProvisioningInput,
  origin: NoCodeRunOrigin,
): Run {
  const source = requireModuleSource(world, noCode)
  return world.write(() => {
    for (const variable of input.variables) {
      const before = variablesOf(world, workspace.id).find(
        ({ key, category }) => key === variable.key && category === variable.category,
      )
      if (before === undefined) createVariable(world, workspace.id, variable)
      else changeVariable(world, before, variable)
    }
    return startRun(world, caller, workspace, source, input, origin)
  })
}

/**
 * Returns a run that was started from a no-code module: the first run of the workspace, or an
 * upgrade. Throws 404 if the workspace has no such run with this id.
 */
export function requireNoCodeRun(world: World, workspace: Workspace, id: string): Run {
  const run = requireFound(runWithId(world, id))
  const isUpgrade = moduleArchiveVersions(world, workspace).some(
    (version) => version.id === run.configuration_version,
  )
  return requireFound(run.workspace === workspace.id && isUpgrade ? run : undefined)
}

/** The module version that a workspace was provisioned from. */
export interface ProvisionedSource {
  /** `private/<namespace>/<name>/<provider>/<version>`; null if the module was deleted. */
  readonly id: string | null
  readonly isUpgradeAvailable: boolean
}

/** Statuses of a run after which its workspace has the module version that the run provisions. */
const completedStatuses: readonly Run['status'][] = ['applied', 'planned_and_finished']

/**
 * Returns the module version of a workspace: the newest provisioned version that has an applied run
 * or a run that finished after its plan. Without such a run, returns the version that the workspace
 * was created from. Returns undefined if the workspace does not come from a no-code module.
 */
export function provisionedSourceOf(
  world: World,
  workspace: Workspace,
): ProvisionedSource | undefined {
  if (workspace.no_code_module === undefined) return undefined
  const versions = moduleArchiveVersions(world, workspace)
  const finished = runsOf(world, workspace.id).filter(({ status }) =>
    completedStatuses.includes(status),
  )
  const currentVersion =
    versions.find(({ id }) => finished.some((run) => run.configuration_version === id)) ??
    versions.at(-1)
  const { module: moduleId = '', version = '' } = { ...currentVersion?.source_module }
  const module = moduleWithId(world, moduleId)
  if (module === undefined) return { id: null, isUpgradeAvailable: false }
  const { registry_name, namespace, name, provider } = module
  const noCode = noCodeRows.withId(world, workspace.no_code_module)
  const offeredVersion = noCode?.enabled ? provisionedVersion(noCode, module)?.version : undefined
  return {
    id: [registry_name, namespace, name, provider, version].join('/'),
    isUpgradeAvailable: offeredVersion !== undefined && offeredVersion !== version,
  }
}

/**
 * Returns the configuration versions of a workspace that contain the archive of a module, newest
 * first.
 */
function moduleArchiveVersions(world: World, { id }: Workspace): ConfigurationVersion[] {
  return versionsOf(world, id).filter(({ source_module }) => source_module !== undefined)
}

interface ModuleSource {
  readonly module: Module
  readonly version: ModuleVersion
}

function requireModuleSource(world: World, noCode: NoCodeModule): ModuleSource {
  if (!noCode.enabled) throw refuse('no-code-disabled')
  const module = requireFound(moduleWithId(world, noCode.module))
  const version = provisionedVersion(noCode, module)
  if (version === undefined) throw refuse('no-code-version-missing')
  return { module, version }
}

/** Starts a run with a copy of a module's archive. Must run inside a transaction. */
function startRun(
  world: World,
  { user: { id: user } }: Caller,
  workspace: Workspace,
  { module, version }: ModuleSource,
  { message }: ProvisioningInput,
  origin: NoCodeRunOrigin,
): Run {
  const created = newConfigurationVersion(world, workspace, { user, source: 'ent-module' })
  const archive = contentOf(world, version.id)
  putContent(world, created.id, archive)
  const configuration = putConfigurationVersion(world, {
    ...created,
    status: 'uploaded',
    reached: { uploaded_at: world.clock.now() },
    content: archive.length === 0 ? 'none' : 'good',
    auto_queue_runs: false,
    source_module: { module: module.id, version: version.version },
    download: addObject(world, 'download', created.id),
    base: origin.base,
  })
  const input: RunInput = { message: message ?? null }
  return createRun(world, workspace, configuration.id, input, {
    user,
    source: 'ent-api',
    ...origin,
  })
}
