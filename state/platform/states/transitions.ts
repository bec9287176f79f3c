import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import {
  finalizeStateVersion,
  isBeingProcessed,
  nextStatus,
  processStateVersion,
  stateVersionKind,
} from './state-machine.ts'
import {
  putStateVersion,
  type StateVersion,
  stateVersions,
  stateVersionWithId,
} from './state-versions.ts'

const targets = ['finalized', 'discarded', 'processed'] as const

type Target = (typeof targets)[number]

function reachableTargets(version: StateVersion): readonly Target[] {
  if (version.status === 'pending') return ['finalized', 'discarded']
  return isBeingProcessed(version) ? ['processed'] : []
}

/** Returns the file of a state version that is finalized without an upload. */
function emptyState({ serial, lineage }: StateVersion): string {
  return `${JSON.stringify({ version: 4, serial, lineage: lineage ?? '', outputs: {}, resources: [] }, null, 2)}\n`
}

const moves: Readonly<Record<Target, (world: World, version: StateVersion) => void>> = {
  finalized: (world, version) => finalizeStateVersion(world, version, emptyState(version)),
  discarded(world, version) {
    const status = nextStatus(world, version, 'discard')
    world.write(() => putStateVersion(world, { ...version, status }))
  },
  processed: processStateVersion,
}

/**
 * State versions for `/_mock/transitions` (behaviour/program#control-plane). The timing is the
 * processing time of a state. A forced transition needs no upload: `finalized` then means a state
 * without resources.
 */
export const stateVersionTransition: TransitionKind = {
  kind: stateVersionKind,
  summary: 'State versions; the pace is that of discovering the resources of a state.',
  targets,
  timing: 'immediate',
  items: (world) =>
    Array.from(world.table(stateVersions).index('byId').rows(), (version) => ({
      id: version.id,
      state: version.status,
      to: reachableTargets(version),
    })),
  force(world, id, to) {
    const version = stateVersionWithId(world, id)
    if (version === undefined) throw refuse('no-state-to-push', { id })
    const target = reachableTargets(version).find((name) => name === to)
    if (target === undefined) {
      throw refuse('state-push-impossible', { status: version.status, target: to })
    }
    moves[target](world, version)
  },
}
