import { defineMachine } from '../../kernel/machine.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { addObject, removeObjects } from '../objects.ts'
import { optionsOf } from '../options.ts'
import { delayMs } from '../timing.ts'
import { putWorkspace, workspaceWithId } from '../workspaces/workspaces.ts'
import { managedResources, replaceManagedResources } from './managed-resources.ts'
import {
  countInstances,
  instanceCountsBy,
  isManaged,
  parseJsonObject,
  parseOutputs,
  parseStateFile,
  type StateOutput,
} from './state-file.ts'
import {
  currentStateVersion,
  dropStateTexts,
  putStateText,
  putStateVersion,
  type StateVersion,
  stateOutputs,
  stateText,
  stateVersions,
  stateVersionsOf,
  stateVersionWithId,
} from './state-versions.ts'
import { vendorFormOf } from './vendor-form.ts'

/**
 * Name of the kind of state version transitions that a client can force. Also the name of the job
 * that processes a state file.
 */
export const stateVersionKind = 'platform.state-version'

type StateVersionEvent = 'upload' | 'discard' | 'soft_delete' | 'restore' | 'permanently_delete'

const spec = 'behaviour/platform#state-versions'

/** State machine of a state version. The files of the current state version cannot be deleted. */
export const stateVersionMachine = defineMachine<{ readonly isCurrent: boolean }>()({
  name: 'state version',
  states: [
    'pending',
    'finalized',
    'discarded',
    'backing_data_soft_deleted',
    'backing_data_permanently_deleted',
  ],
  moves: [
    { on: 'upload', from: 'pending', to: 'finalized', spec },
    { on: 'discard', from: 'pending', to: 'discarded', spec },
    {
      on: 'soft_delete',
      from: 'finalized',
      to: 'backing_data_soft_deleted',
      when: ({ isCurrent }) => !isCurrent,
      spec,
    },
    { on: 'restore', from: 'backing_data_soft_deleted', to: 'finalized', spec },
    {
      on: 'permanently_delete',
      from: 'backing_data_soft_deleted',
      to: 'backing_data_permanently_deleted',
      spec,
    },
  ],
})

/** Returns the status after an event. Throws 400 if the current status does not allow the event. */
export function nextStateVersionStatus(
  world: World,
  { id, status, workspace }: StateVersion,
  event: StateVersionEvent,
): StateVersion['status'] {
  const subject = { isCurrent: currentStateVersion(world, workspace)?.id === id }
  if (!stateVersionMachine.allows(status, event, subject))
    throw refuse('state-transition-not-allowed')
  return stateVersionMachine.next(status, event, subject)
}

/**
 * Stores the file of a state version and finalizes it. Discards older pending state versions of the
 * workspace. Processes the new state version at once, or after the delay that the timing or the
 * option `stateProcessingTime` sets. With the timing `manual`, only a forced transition processes
 * it. Throws 400 unless the state version is pending.
 */
export function finalizeStateVersion(
  world: World,
  version: StateVersion,
  content: string,
): StateVersion {
  const status = nextStateVersionStatus(world, version, 'upload')
  const file = parseStateFile(content)
  return world.write(() => {
    putStateText(world, version.id, 'raw', content)
    const vendor_form = vendorFormOf(content)
    const finalizedVersion = putStateVersion(world, {
      ...version,
      status,
      size: Buffer.byteLength(content),
      ...(vendor_form === undefined ? {} : { vendor_form }),
      state_version: file?.state_version ?? null,
      infra_version: file?.infra_version ?? null,
      lineage: version.lineage ?? file?.lineage ?? null,
      download: addObject(world, 'state', version.id),
    })
    discardOlder(world, finalizedVersion)
    touchWorkspace(world, finalizedVersion)
    const versionWithOutputs = storeSentOutputs(world, finalizedVersion)
    const delay = delayMs(world, stateVersionKind, optionsOf(world).stateProcessingTime)
    if (delay === 0) return processStateVersion(world, versionWithOutputs)
    if (delay !== undefined) {
      const at = world.clock.now() + delay
      world.agenda.schedule({ at, job: stateVersionKind, id: version.id })
    }
    return versionWithOutputs
  })
}

/**
 * Discards the pending state versions that are older than the given state version. Must run inside
 * a transaction.
 */
function discardOlder(world: World, { id, workspace }: StateVersion): void {
  const all = stateVersionsOf(world, workspace)
  for (const olderVersion of all.slice(all.findIndex((one) => one.id === id) + 1)) {
    if (olderVersion.status === 'pending') {
      putStateVersion(world, {
        ...olderVersion,
        status: nextStateVersionStatus(world, olderVersion, 'discard'),
      })
    }
  }
}

/**
 * Sets `updated_at` of the workspace if the given state version is the current state version. Must
 * run inside a transaction.
 */
function touchWorkspace(world: World, { id, workspace }: StateVersion): void {
  const found = workspaceWithId(world, workspace)
  if (found === undefined || currentStateVersion(world, workspace)?.id !== id) return
  putWorkspace(world, { ...found, updated_at: world.clock.now() })
}

/**
 * Stores the JSON outputs, if the request that created the state version contained them. Returns
 * the stored state version. Must run inside a transaction.
 */
function storeSentOutputs(world: World, version: StateVersion): StateVersion {
  const sent = stateText(world, version, 'json-outputs')
  if (sent === undefined) return version
  putOutputs(world, version, parseOutputs(parseJsonObject(sent)))
  return putStateVersion(world, { ...version, outputs_ready: true })
}

function putOutputs(world: World, { id }: StateVersion, outputs: readonly StateOutput[]): void {
  for (const { name, sensitive, value, detailed_type } of outputs) {
    const key = `${id}/${name}`
    const output = { id: newId(world, 'wsout'), version: id, name, sensitive, value, detailed_type }
    world.table(stateOutputs).put(key, output)
  }
}

/** Returns whether a state version is finalized but its resources were not yet processed. */
export function isBeingProcessed({ status, resources_processed }: StateVersion): boolean {
  return status === 'finalized' && !resources_processed
}

/**
 * Stores the outputs and the resource counts of a state version, and cancels its pending job. For
 * the current state version, also updates the managed resources of the workspace.
 */
export function processStateVersion(world: World, version: StateVersion): StateVersion {
  const file = parseStateFile(stateText(world, version, 'raw') ?? '')
  const resources = file?.resources ?? []
  const managedStateResources = resources.filter(isManaged)
  const billableResources = managedStateResources.filter(
    ({ type }) => !unbillableTypes.includes(type),
  )
  return world.write(() => {
    world.agenda.cancel(stateVersionKind, version.id)
    if (!version.outputs_ready) putOutputs(world, version, file?.outputs ?? [])
    if (currentStateVersion(world, version.workspace)?.id === version.id) {
      replaceManagedResources(world, version, resources)
    }
    return putStateVersion(world, {
      ...version,
      outputs_ready: true,
      resources_processed: true,
      modules: instanceCountsBy('module', resources),
      providers: instanceCountsBy('provider', resources),
      resources: resources.map(({ name, type, module, provider, instances }) => {
        return { name, type, count: instances.length, module, provider }
      }),
      billable_rum_count: countInstances(billableResources),
      resource_count: countInstances(managedStateResources),
    })
  })
}

const unbillableTypes: readonly string[] = ['null_resource', 'terraform_data']

/**
 * Job that processes the file of a state version after the delay that `finalizeStateVersion` sets.
 */
export const stateVersionJobs: Readonly<Record<string, JobHandler>> = {
  [stateVersionKind]: (world, { id }) => {
    const version = stateVersionWithId(world, id)
    if (version !== undefined && isBeingProcessed(version)) processStateVersion(world, version)
  },
}

/**
 * Deletes the files of a state version temporarily or permanently, or restores them. Throws 400 if
 * the status does not allow the event, or if the files of the current state version would be
 * deleted.
 */
export function changeBackingData(
  world: World,
  version: StateVersion,
  event: 'soft_delete' | 'restore' | 'permanently_delete',
): StateVersion {
  const status = nextStateVersionStatus(world, version, event)
  return world.write(() => {
    if (event !== 'permanently_delete') return putStateVersion(world, { ...version, status })
    dropFiles(world, version)
    const noFiles = { download: null, json_download: null, upload: null, json_upload: null }
    return putStateVersion(world, { ...version, status, ...noFiles })
  })
}

/** Deletes the files, outputs and addresses of a state version. Must run inside a transaction. */
function dropFiles(world: World, { id, ...version }: StateVersion): void {
  dropStateTexts(world, id)
  world.table(stateOutputs).deleteAll(`${id}/`)
  const { upload, json_upload, download, json_download } = version
  removeObjects(world, [upload, json_upload, download, json_download])
}

/**
 * Deletes all state versions of a workspace with their pending jobs, and its managed resources.
 * Must run inside a transaction.
 */
export function dropStateVersions(world: World, workspace: string): void {
  for (const version of stateVersionsOf(world, workspace)) {
    world.agenda.cancel(stateVersionKind, version.id)
    dropFiles(world, version)
  }
  world.table(stateVersions).deleteAll(`${workspace}/`)
  world.table(managedResources).deleteAll(`${workspace}/`)
}
