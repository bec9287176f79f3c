import { MILLISECOND, parseGoDuration } from '../../go/duration.ts'
import { defineMachine } from '../../kernel/machine.ts'
import { timings } from '../../kernel/time/transitions.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import {
  addObject,
  putContent,
  removeContent,
  removeObjects,
  type StoredObject,
} from '../objects.ts'
import { optionsOf } from '../options.ts'
import { createRunForUpload } from '../test-runs/creation.ts'
import { isInUse } from '../test-runs/test-runs.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import {
  type ConfigurationVersion,
  newestUploaded,
  putVersion,
  versionWithId,
} from './configuration-versions.ts'

/** Versions as things that move: the transition's kind and the job that processes an upload. */
export const versionKind = 'platform.configuration-version'

/** The events of a version. */
export type VersionEvent = 'fetch' | 'ingest' | 'fail' | 'archive'

const spec = 'behaviour/platform#configuration-versions'

/** The life of a configuration version. Only those from repositories are ever fetched. */
export const versionMachine = defineMachine<{ readonly inUse: boolean }>()({
  name: 'configuration version',
  states: ['pending', 'fetching', 'uploaded', 'errored', 'archived'],
  moves: [
    { on: 'fetch', from: 'pending', to: 'fetching', spec: spec },
    { on: 'ingest', from: ['pending', 'fetching'], to: 'uploaded', spec: spec },
    { on: 'fail', from: ['pending', 'fetching'], to: 'errored', spec: spec },
    {
      on: 'archive',
      from: 'uploaded',
      to: 'archived',
      when: ({ inUse }) => !inUse,
      spec: spec,
    },
  ],
})

/** The members that note when a state was reached. */
const timestampField: Readonly<
  Record<ConfigurationVersion['status'], keyof ConfigurationVersion['reached'] | undefined>
> = {
  pending: undefined,
  fetching: 'fetching_at',
  uploaded: 'uploaded_at',
  errored: 'errored_at',
  archived: 'archived_at',
}

/**
 * Lets an event happen to a version, with all that comes of it: an upload that is processed starts a
 * test run, what is archived or errored gives up its files. Refuses with `conflict` what the
 * version's state does not allow.
 */
export function applyVersionEvent(
  world: World,
  version: ConfigurationVersion,
  event: VersionEvent,
  at = world.clock.now(),
): ConfigurationVersion {
  const inUse = isInUse(world, version.id)
  const status = versionMachine.next(version.status, event, { inUse })
  const name = timestampField[status]
  const reached = name === undefined ? version.reached : { ...version.reached, [name]: at }
  return world.write(() => {
    const updated = putVersion(world, {
      ...version,
      status,
      reached,
      ...sideEffects(world, version, event),
    })
    if (event !== 'fetch') world.agenda.cancel(versionKind, version.id)
    if (event === 'ingest') createRunForUpload(world, updated)
    return updated
  })
}

/** Returns what else changes with an event. */
function sideEffects(
  world: World,
  { id, download }: ConfigurationVersion,
  event: VersionEvent,
): Partial<ConfigurationVersion> {
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

/** Files for a version. */
interface Upload {
  /** In pieces of base64 that follow each other without padding between them. */
  readonly pieces: readonly string[]
  /** True when they can be used; files that cannot make the version errored. */
  readonly usable: boolean
}

/**
 * The version that takes an upload to an object, the first or another one. Refuses with 409 one that
 * is archived or errored, with 404 one that is gone.
 */
export function requireUploadTarget(world: World, { subject }: StoredObject): ConfigurationVersion {
  const version = versionWithId(world, subject)
  if (version === undefined) throw refuse('not-found')
  if (version.status === 'archived' || version.status === 'errored')
    throw refuse('transition-not-allowed')
  return version
}

/**
 * Keeps the files of a version and processes them, at once or after the time that pace or options
 * say. Files that come again take the place of those before: status, times and what came of the
 * first stay as they are. Refuses as `receivingVersion` does, as much may have happened while they
 * arrived.
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
    const received = putVersion(world, { ...version, content: usable ? 'good' : 'bad' })
    if (version.content !== 'none' || version.status === 'uploaded') return received
    const delay = ingestDelayMs(world)
    if (delay === 0) return processUpload(world, received)
    if (delay !== undefined) {
      world.agenda.schedule({ at: world.clock.now() + delay, job: versionKind, id: version.id })
    }
    return received
  })
}

function processUpload(
  world: World,
  version: ConfigurationVersion,
  at?: number,
): ConfigurationVersion {
  return applyVersionEvent(world, version, version.content === 'bad' ? 'fail' : 'ingest', at)
}

/** Returns how long processing takes, in milliseconds; undefined when only a push ends it. */
function ingestDelayMs(world: World): number | undefined {
  const timing = world.table(timings).get(versionKind)?.pace
  if (timing === 'manual') return undefined
  if (timing === 'immediate') return 0
  const duration = timing === undefined ? optionsOf(world).ingestDelay : timing.after
  return Math.ceil(parseGoDuration(duration) / MILLISECOND)
}

/** Processes an upload whose time has come. */
export const versionJobs: Readonly<Record<string, JobHandler>> = {
  [versionKind]: (world, { at, id }) => {
    const version = versionWithId(world, id)
    if (
      version !== undefined &&
      versionMachine.allows(version.status, 'ingest', { inUse: false })
    ) {
      processUpload(world, version, at)
    }
  },
}

/**
 * Gives up the files of a version for good. Refuses with `conflict` one that has none or is used by
 * a run that is not over, or is the current one of a workspace (behaviour/platform#configuration-versions).
 */
export function archiveVersion(world: World, version: ConfigurationVersion): ConfigurationVersion {
  const isCurrent = newestUploaded(world, version.module)?.id === version.id
  if (isCurrent && workspaceWithId(world, version.module) !== undefined) {
    throw refuse('version-current')
  }
  return applyVersionEvent(world, version, 'archive')
}
