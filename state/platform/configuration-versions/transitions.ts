import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import {
  applyVersionEvent,
  isInUse,
  type VersionEvent,
  versionKind,
  versionMachine,
} from './configuration-version-machine.ts'
import {
  type ConfigurationVersion,
  configurationVersions,
  versionWithId,
} from './configuration-versions.ts'

const targets = ['fetching', 'uploaded', 'errored', 'archived'] as const

type Target = (typeof targets)[number]

const eventByTarget: Readonly<Record<Target, VersionEvent>> = {
  fetching: 'fetch',
  uploaded: 'ingest',
  errored: 'fail',
  archived: 'archive',
}

function reachableTargets(world: World, { id, status }: ConfigurationVersion): readonly Target[] {
  const inUse = isInUse(world, id)
  return targets.filter((target) => versionMachine.allows(status, eventByTarget[target], { inUse }))
}

/**
 * Configuration versions for `/_mock/transitions` (behaviour/program#control-plane). The timing is
 * the processing time of an upload. A forced transition needs no upload: `uploaded` then means an
 * empty archive.
 */
export const versionTransition: TransitionKind = {
  kind: versionKind,
  summary: 'Configuration versions; the pace is that of processing an upload.',
  targets,
  timing: 'immediate',
  items: (world) =>
    Array.from(world.table(configurationVersions).index('byId').rows(), (version) => ({
      id: version.id,
      state: version.status,
      to: reachableTargets(world, version),
    })),
  force(world, id, to) {
    const version = versionWithId(world, id)
    if (version === undefined) throw refuse('no-version-to-push', { id })
    const target = reachableTargets(world, version).find((name) => name === to)
    if (target === undefined) {
      throw refuse('version-push-impossible', { status: version.status, target: to })
    }
    applyVersionEvent(world, version, eventByTarget[target])
  },
}
