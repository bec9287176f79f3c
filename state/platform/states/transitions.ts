import type { World } from '../../kernel/worlds/world.ts'
import { forcedTransition } from '../forced-transitions.ts'
import {
  finalizeStateVersion,
  isBeingProcessed,
  nextStateVersionStatus,
  processStateVersion,
  stateVersionKind,
} from './state-machine.ts'
import { putStateVersion, type StateVersion, stateVersions } from './state-versions.ts'

const targets = ['finalized', 'discarded', 'processed'] as const

type Target = (typeof targets)[number]

function reachableTargets(version: StateVersion): readonly Target[] {
  if (version.status === 'pending') return ['finalized', 'discarded']
  return isBeingProcessed(version) ? ['processed'] : []
}

/**
 * Returns an empty state file, which a forced transition uses to finalize a state version without
 * an upload.
 */
function emptyState({ serial, lineage }: StateVersion): string {
  return `${JSON.stringify({ version: 4, serial, lineage: lineage ?? '', outputs: {}, resources: [] }, null, 2)}\n`
}

const transitionByTarget: Readonly<Record<Target, (world: World, version: StateVersion) => void>> =
  {
    finalized: (world, version) => finalizeStateVersion(world, version, emptyState(version)),
    discarded(world, version) {
      const status = nextStateVersionStatus(world, version, 'discard')
      world.write(() => putStateVersion(world, { ...version, status }))
    },
    processed: processStateVersion,
  }

/**
 * Transition of state versions, which `/_mock/transitions` can force
 * (behaviour/program#control-plane). The timing delays the processing of a state. A transition to
 * `finalized` can be forced without an upload; the state then has no resources.
 */
export const stateVersionTransition = forcedTransition({
  subject: 'state',
  table: stateVersions,
  kind: stateVersionKind,
  summary: 'State versions; the pace is that of discovering the resources of a state.',
  targets,
  timing: 'immediate',
  reachableTargets: (_world, version) => reachableTargets(version),
  move: (world, version, target) => transitionByTarget[target](world, version),
})
