import type { TransitionItem } from '../../kernel/time/transitions.ts'
import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { applyAllArrivals } from './arrivals.ts'
import { refuse } from './messages.ts'
import { changeSecondary, replicationRow } from './modes.ts'
import {
  isSevered,
  knownSecondaries,
  primaryLinkId,
  restoreLink,
  severLink,
} from './secondaries.ts'

const targets = ['connected', 'disconnected'] as const

/**
 * Links of DR replication (behaviour/program#control-plane), which callers can sever and restore at
 * either end. The timing says how long a secondary stays in `merkle-sync`, and how long a first
 * copy takes to arrive. A forced transition of an intact link to `connected` ends the sync
 * immediately.
 */
export const replicationLinkKind: TransitionKind = {
  kind: 'secrets.replication-link',
  summary: 'A link between DR primary and secondary; its pace is that of the sync.',
  targets,
  timing: 'immediate',
  items(world) {
    const row = replicationRow(world)
    if (row?.mode === 'secondary') {
      if (row.primary === null) return []
      const linkState = row.state === 'stream-wals' ? 'connected' : row.state
      return [itemOf(world, primaryLinkId, linkState)]
    }
    if (row?.mode !== 'primary') return []
    return knownSecondaries(world).map(({ id }) => itemOf(world, id, 'connected'))
  },
  force(world, id, to) {
    if (!this.items(world).some((item) => item.id === id)) throw refuse('link-unknown', { id })
    world.write(() => {
      if (to === 'disconnected') severLink(world, id)
      else if (isSevered(world, id)) restoreLink(world, id)
      else endSync(world)
    })
  },
}

function itemOf(world: World, id: string, state: string): TransitionItem {
  return { id, state: isSevered(world, id) ? 'disconnected' : state, to: targets }
}

/** Applies pending arrivals and ends the sync of a secondary that has received everything. */
function endSync(world: World): void {
  applyAllArrivals(world)
  const row = replicationRow(world)
  if (row?.mode === 'secondary' && row.state === 'merkle-sync' && row.position !== null) {
    changeSecondary(world, { state: 'stream-wals' })
  }
}
