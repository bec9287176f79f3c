import type { Row } from '../../../state/kernel/store/table.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  applyCommit,
  applySnapshot,
  resumeStream,
} from '../../../state/secrets/replication/apply.ts'
import type { ReplicationMessage } from '../../../state/secrets/replication/feed.ts'
import { changeSecondary, replicationRow } from '../../../state/secrets/replication/modes.ts'

/** Does what a primary's messages say. A snapshot counts only once it is complete. */
export class Receiver {
  readonly #world: World
  #tables: Map<string, Map<string, Row>> | undefined
  #scheduledJobs: Extract<ReplicationMessage, { kind: 'appointments' }>['appointments'] = []
  /** Names the feed that the messages are of. */
  feed = ''

  constructor(world: World) {
    this.#world = world
  }

  receive(message: ReplicationMessage): void {
    if (message.kind === 'heartbeat') return
    if (message.kind === 'hello') this.#begin(message)
    else if (this.feed === '') throw new Error('the primary did not introduce itself')
    else if (message.kind === 'complete') this.#end(message)
    else if (message.kind === 'commit') applyCommit(this.#world, message)
    else if (this.#tables === undefined) throw new Error('the primary sent a snapshot unasked')
    else if (message.kind === 'appointments') this.#scheduledJobs = message.appointments
    else {
      const rows = this.#tables.get(message.table) ?? new Map<string, Row>()
      for (const [key, row] of message.rows) rows.set(key, row)
      this.#tables.set(message.table, rows)
    }
  }

  #begin({ cluster_id, feed, snapshot }: Extract<ReplicationMessage, { kind: 'hello' }>): void {
    if (cluster_id !== replicationRow(this.#world)?.cluster_id) {
      throw new Error('the primary belongs to another replication cluster')
    }
    this.feed = feed
    this.#tables = snapshot ? new Map() : undefined
    if (snapshot) changeSecondary(this.#world, { state: 'merkle-sync', position: null })
  }

  #end(at: Extract<ReplicationMessage, { kind: 'complete' }>): void {
    const tables = this.#tables
    this.#tables = undefined
    if (tables === undefined) resumeStream(this.#world, at)
    else applySnapshot(this.#world, { tables, appointments: this.#scheduledJobs }, at)
  }
}
