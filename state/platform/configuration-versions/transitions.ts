import type { World } from '../../kernel/worlds/world.ts'
import { forcedTransition } from '../forced-transitions.ts'
import {
  applyVersionEvent,
  isVersionInUse,
  type VersionEvent,
  versionKind,
  versionMachine,
} from './configuration-version-machine.ts'
import { type ConfigurationVersion, configurationVersions } from './configuration-versions.ts'

const targets = ['fetching', 'uploaded', 'errored', 'archived'] as const

type Target = (typeof targets)[number]

const eventByTarget: Readonly<Record<Target, VersionEvent>> = {
  fetching: 'fetch',
  uploaded: 'ingest',
  errored: 'fail',
  archived: 'archive',
}

function reachableTargets(world: World, { id, status }: ConfigurationVersion): readonly Target[] {
  const isInUse = isVersionInUse(world, id)
  return targets.filter((target) =>
    versionMachine.allows(status, eventByTarget[target], { isInUse }),
  )
}

/**
 * Transitions of configuration versions for `/_mock/transitions` (behaviour/program#control-plane).
 * The timing delays the processing of an upload and the fetch of a commit's files. A transition to
 * `uploaded` can be forced without an upload; the version then has an empty archive.
 */
export const versionTransition = forcedTransition({
  subject: 'version',
  table: configurationVersions,
  kind: versionKind,
  summary: 'Configuration versions; the pace is that of processing an upload.',
  targets,
  timing: 'immediate',
  reachableTargets,
  move(world, version, target) {
    applyVersionEvent(world, version, eventByTarget[target])
  },
})
