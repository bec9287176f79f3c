import { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { ReplicationMessage } from '../../../state/secrets/replication/feed.ts'
import {
  drReplication,
  isDrSecondary,
  replications,
} from '../../../state/secrets/replication/modes.ts'
import {
  activateSecondary,
  type SecondaryIntroduction,
  severedLinks,
} from '../../../state/secrets/replication/secondaries.ts'
import { nodes } from '../../../state/secrets/seal/node-machine.ts'
import { isSealed } from '../../../state/secrets/seal/seal.ts'
import { unwrap } from '../../../state/secrets/wrapping/wrapping.ts'
import type { OutgoingStreams } from './outgoing.ts'
import { PrimaryFailure, type PrimaryPeer, type StreamRequest } from './primary-peer.ts'

/** A primary that is another world of the same process. */
export class LocalPrimary implements PrimaryPeer {
  readonly #world: World
  readonly #outgoingStreams: OutgoingStreams
  readonly #merkleRootOf: (world: World) => string

  constructor(
    world: World,
    outgoingStreams: OutgoingStreams,
    merkleRootOf: (world: World) => string,
  ) {
    this.#world = world
    this.#outgoingStreams = outgoingStreams
    this.#merkleRootOf = merkleRootOf
  }

  async unwrap(token: string): Promise<string> {
    return this.#perform(() => unwrap(this.#world, token))
  }

  async activate(credential: string, secondaryInfo: SecondaryIntroduction): Promise<void> {
    this.#perform(() => activateSecondary(this.#world, credential, secondaryInfo))
    this.#outgoingStreams.retainCommits(this.#world)
  }

  stream(request: StreamRequest, signal: AbortSignal): AsyncIterable<ReplicationMessage> {
    const world = this.#world
    return this.#outgoingStreams.stream(
      world,
      { ...request, merkleRoot: () => this.#merkleRootOf(world) },
      signal,
    )
  }

  onChange(notify: () => void): () => void {
    const { watchers } = this.#world.store
    const stopWatching = [
      watchers.watchKey(replications.id, drReplication, notify),
      watchers.watchPrefix(severedLinks.id, '', notify),
      watchers.watchPrefix(nodes.id, '', notify),
    ]
    return () => {
      for (const stop of stopWatching) stop()
    }
  }

  /**
   * Runs the due jobs of the primary, and then an action in a transaction. Throws a
   * `PrimaryFailure`, as a request over HTTP would, in each of these cases: the cluster is sealed;
   * it is a DR secondary; the action throws a refusal.
   */
  #perform<T>(action: () => T): T {
    this.#world.runDueJobs()
    if (isSealed(this.#world)) throw new PrimaryFailure(503, 'Service is sealed')
    if (isDrSecondary(this.#world)) throw new PrimaryFailure(400, 'the primary is a secondary')
    try {
      return this.#world.write(action)
    } catch (error) {
      throw error instanceof Refusal ? new PrimaryFailure(400, error.message) : error
    }
  }
}
