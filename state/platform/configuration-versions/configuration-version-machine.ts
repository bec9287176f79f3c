import { defineMachine } from '../../kernel/machine.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse, requireFound } from '../messages.ts'
import {
  addObject,
  putContent,
  removeContent,
  removeObjects,
  type StoredObject,
} from '../objects.ts'
import { optionsOf } from '../options.ts'
import { createRunForWorkspaceUpload } from '../runs/creation.ts'
import { runKind } from '../runs/run-machine.ts'
import { openRunsWith } from '../runs/runs.ts'
import { createTestRunForUpload } from '../test-runs/creation.ts'
import { isUsedByTestRun } from '../test-runs/test-runs.ts'
import { delayMs } from '../timing.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import {
  type ConfigurationVersion,
  currentVersionOf,
  putConfigurationVersion,
  versionWithId,
} from './configuration-versions.ts'

/**
 * Name of the forced transition of configuration versions. Also the name of the job that processes
 * the files of an upload or a commit.
 */
export const versionKind = 'platform.configuration-version'

/** Events that delete or restore the uploaded files. */
type BackingDataEvent = 'soft_delete' | 'restore' | 'permanently_delete'

/** Returns whether the files of a version are deleted, either temporarily or permanently. */
export function isDataDeleted({ status }: Pick<ConfigurationVersion, 'status'>): boolean {
  return status.startsWith('backing_data')
}

/** Events that fetch, process, reject and archive the files of a version. */
export type VersionEvent = 'fetch' | 'ingest' | 'fail' | 'archive'

const spec = 'behaviour/platform#configuration-versions'

/**
 * State machine of a configuration version. Only versions from a repository enter the state
 * `fetching`, unless a transition is forced. A version that an unfinished run or test run uses can
 * be neither archived nor soft-deleted.
 */
export const versionMachine = defineMachine<{ readonly isInUse: boolean }>()({
  name: 'configuration version',
  states: [
    'pending',
    'fetching',
    'uploaded',
    'errored',
    'archived',
    'backing_data_soft_deleted',
    'backing_data_permanently_deleted',
  ],
  moves: [
    { on: 'fetch', from: 'pending', to: 'fetching', spec: spec },
    { on: 'ingest', from: ['pending', 'fetching'], to: 'uploaded', spec: spec },
    { on: 'fail', from: ['pending', 'fetching'], to: 'errored', spec: spec },
    {
      on: 'archive',
      from: 'uploaded',
      to: 'archived',
      when: ({ isInUse }) => !isInUse,
      spec: spec,
    },
    {
      on: 'soft_delete',
      from: 'uploaded',
      to: 'backing_data_soft_deleted',
      when: ({ isInUse }) => !isInUse,
      spec: spec,
    },
    { on: 'restore', from: 'backing_data_soft_deleted', to: 'uploaded', spec: spec },
    {
      on: 'permanently_delete',
      from: 'backing_data_soft_deleted',
      to: 'backing_data_permanently_deleted',
      spec: spec,
    },
  ],
})

/** Returns whether an unfinished run or test run uses a configuration version. */
export function isVersionInUse(world: World, version: string): boolean {
  return isUsedByTestRun(world, version) || openRunsWith(world, version).length > 0
}

/**
 * Members of `reached` in which the times of the states are stored. A state whose time is not
 * stored maps to undefined.
 */
const timestampField: Readonly<
  Record<ConfigurationVersion['status'], keyof ConfigurationVersion['reached'] | undefined>
> = {
  pending: undefined,
  fetching: 'fetching_at',
  uploaded: 'uploaded_at',
  errored: 'errored_at',
  archived: 'archived_at',
  backing_data_soft_deleted: undefined,
  backing_data_permanently_deleted: undefined,
}

/**
 * Applies an event to a version, with its side effects. The event `ingest` adds a download address
 * and can start a run or a test run; `archive` and `fail` delete the files. Runs that wait for the
 * files continue. Throws `conflict` if the current status does not allow the event.
 */
export function applyVersionEvent(
  world: World,
  version: ConfigurationVersion,
  event: VersionEvent,
  at = world.clock.now(),
): ConfigurationVersion {
  const isInUse = isVersionInUse(world, version.id)
  const status = versionMachine.next(version.status, event, { isInUse })
  const name = timestampField[status]
  const reached = name === undefined ? version.reached : { ...version.reached, [name]: at }
  return world.write(() => {
    const updated = putConfigurationVersion(world, {
      ...version,
      status,
      reached,
      ...applySideEffects(world, version, event),
    })
    if (event !== 'fetch') world.agenda.cancel(versionKind, version.id)
    if (event === 'ingest') {
      createTestRunForUpload(world, updated)
      createRunForWorkspaceUpload(world, updated)
    }
    for (const { id, status: runStatus } of openRunsWith(world, version.id)) {
      if (runStatus === 'fetching') world.agenda.schedule({ at, job: runKind, id })
    }
    return updated
  })
}

/**
 * Applies the side effects of an event to the stored files and addresses. Returns the members of
 * the version that change. Must run inside a transaction.
 */
function applySideEffects(
  world: World,
  { id, download }: ConfigurationVersion,
  event: VersionEvent,
) {
  if (event === 'ingest') return { download: addObject(world, 'download', id) }
  if (event === 'fetch') return {}
  removeContent(world, id)
  if (event === 'archive') {
    removeObjects(world, [download])
    return { download: null }
  }
  return {
    error: 'invalid_archive',
    error_message: 'The uploaded file is not an archive that can be read.',
  }
}

interface Upload {
  /** Base64 pieces that can be concatenated, because only the last one has padding. */
  readonly pieces: readonly string[]
  /** False for files that cannot be processed, which make the version errored. */
  readonly usable: boolean
}

/**
 * Returns the version that an upload address belongs to. Throws 404 if the version is gone, and 409
 * if it is archived or errored or its files are deleted.
 */
export function requireUploadTarget(world: World, { subject }: StoredObject): ConfigurationVersion {
  const version = requireFound(versionWithId(world, subject))
  const { status } = version
  if (status === 'archived' || status === 'errored' || isDataDeleted(version))
    throw refuse('transition-not-allowed')
  return version
}

/**
 * Stores the files of a version and processes them after the option `ingestDelay`, or after the
 * delay that the world has set for this transition. If the world has set the timing `manual`, only
 * a forced transition processes the files. A later upload replaces the files, but changes no status
 * or time and does not delay the processing. Throws like `requireUploadTarget`, since the version
 * may have changed during the upload.
 */
export function receiveUpload(
  world: World,
  object: StoredObject,
  { pieces, usable }: Upload,
): ConfigurationVersion {
  const version = requireUploadTarget(world, object)
  return world.write(() => {
    removeContent(world, version.id)
    putContent(world, version.id, pieces)
    const receivedVersion = putConfigurationVersion(world, {
      ...version,
      content: usable ? 'good' : 'bad',
    })
    if (version.content !== 'none' || version.status === 'uploaded') return receivedVersion
    const delay = delayMs(world, versionKind, optionsOf(world).ingestDelay)
    if (delay === 0) return processUpload(world, receivedVersion)
    if (delay !== undefined) {
      world.agenda.schedule({ at: world.clock.now() + delay, job: versionKind, id: version.id })
    }
    return receivedVersion
  })
}

function processUpload(world: World, version: ConfigurationVersion, at?: number) {
  return applyVersionEvent(world, version, version.content === 'bad' ? 'fail' : 'ingest', at)
}

/** Handler of the job that processes an upload, or the files of a commit, after the delay. */
export const versionJobs: Readonly<Record<string, JobHandler>> = {
  [versionKind]: (world, { at, id }) => {
    const version = versionWithId(world, id)
    if (
      version !== undefined &&
      versionMachine.allows(version.status, 'ingest', { isInUse: false })
    ) {
      processUpload(world, version, at)
    }
  },
}

/**
 * Deletes the files of a version permanently. Throws `conflict` if the version is not uploaded, is
 * used by an unfinished run or test run, or is the current version of a workspace
 * (behaviour/platform#configuration-versions).
 */
export function archiveVersion(world: World, version: ConfigurationVersion): ConfigurationVersion {
  const isCurrent = currentVersionOf(world, version.module)?.id === version.id
  if (isCurrent && workspaceWithId(world, version.module) !== undefined) {
    throw refuse('version-current')
  }
  return applyVersionEvent(world, version, 'archive')
}

/**
 * Deletes the files of a version temporarily or permanently, or restores the files. Throws 400 if
 * the status does not allow the event. Also throws 400 for a temporary deletion if the version is
 * the current one, or if an unfinished run or test run uses the version.
 */
export function changeVersionData(
  world: World,
  version: ConfigurationVersion,
  event: BackingDataEvent,
): ConfigurationVersion {
  const { id, module, download } = version
  const isInUse = isVersionInUse(world, id) || currentVersionOf(world, module)?.id === id
  if (!versionMachine.allows(version.status, event, { isInUse })) {
    throw refuse('state-transition-not-allowed')
  }
  const status = versionMachine.next(version.status, event, { isInUse })
  return world.write(() => {
    if (event !== 'permanently_delete')
      return putConfigurationVersion(world, { ...version, status })
    removeContent(world, id)
    removeObjects(world, [download])
    return putConfigurationVersion(world, { ...version, status, download: null })
  })
}
