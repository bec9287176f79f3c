import { MILLISECOND, parseDuration } from '../../go/duration.ts'
import { int } from '../../kernel/shape/kinds.ts'
import { described, struct } from '../../kernel/shape/members.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { optionsOf } from '../options.ts'

/** Until when the service is away after a change of its part in replication, under `pause`. */
export const replicationPauses = defineTable({
  service: 'secrets',
  name: 'replication-pause',
  local: true,
  shape: struct({
    until: described(int, 'Milliseconds since 1970'),
  }),
})

const only = 'pause'

/** The option's default. */
const noPause = '0s'

/**
 * Begins the brief period in which the service is away, for as long as the option
 * `replicationPause` says: not at all by default (1-secrets-decisions.md section 7).
 */
export function beginPause(world: World): void {
  const length = parseDuration(optionsOf(world).replicationPause) / MILLISECOND
  if (length <= 0) return
  const until = world.clock.now() + Math.ceil(length)
  world.write(() => world.table(replicationPauses).put(only, { until }))
}

/** Tells whether the service is away now. */
export function isPaused(world: World, options = optionsOf(world)): boolean {
  // Asked for each request: nearly all worlds have no pauses.
  if (options.replicationPause === noPause) return false
  const pause = world.table(replicationPauses).get(only)
  return pause !== undefined && world.clock.now() < pause.until
}
