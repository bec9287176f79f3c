import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { TableDefinition } from '../../../state/kernel/store/table.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { createOperationToken } from '../../../state/secrets/replication/operation-tokens.ts'
import { type Reply, SecretsClient, servedSecrets, type TestSettings } from './secrets.ts'

/** Where the endpoints of DR replication are. */
export const dr = 'sys/replication/dr'

/** What tests ask of a cluster, with or without a socket. */
export type ClusterClient = Pick<SecretsClient, 'get' | 'list' | 'post' | 'delete' | 'request'>

/** One cluster of a pair. */
export interface Cluster {
  readonly world: World
  readonly secrets: ClusterClient
  /** Its DR status, the `data` of it. */
  status(): Promise<Reply['body']>
}

/** Two worlds of one process, each a cluster. */
interface Clusters {
  readonly app: FastifyInstance
  readonly worlds: Worlds
  readonly first: Cluster
  readonly second: Cluster
  /** A further world of the process, fresh or a copy of another. */
  addCluster(id: string, from?: Cluster): Cluster
}

/** Two worlds of one process that know nothing of each other yet. */
export async function clusters(settings: TestSettings = {}): Promise<Clusters> {
  const { app, worlds, world } = await servedSecrets(settings)
  const addCluster = (id: string, from?: Cluster) =>
    clusterOf(app, worlds.create({ id, seed: id, from: from?.world.id }))
  return { app, worlds, first: clusterOf(app, world), second: addCluster('second'), addCluster }
}

/** A world of an app as a cluster. */
export function clusterOf(
  app: FastifyInstance,
  world: World,
  secrets: ClusterClient = new SecretsClient(app, 'root', world.id),
): Cluster {
  const status = async () => (await secrets.get(`${dr}/status`)).body.data
  return { world, secrets, status }
}

/** Makes the first a primary and gives an activation token of it. */
export async function activationToken(
  primary: Cluster,
  id = 'east',
  addCluster: object = {},
): Promise<string> {
  if ((await primary.status()).mode === 'disabled') {
    await primary.secrets.post(`${dr}/primary/enable`)
  }
  const { body } = await primary.secrets.post(`${dr}/primary/secondary-token`, {
    id,
    ...addCluster,
  })
  return body.wrap_info?.token ?? body.data.token
}

/** Makes one cluster the secondary of another and waits until it is in sync. */
export async function follow(primary: Cluster, secondary: Cluster, id = 'east'): Promise<void> {
  const token = await activationToken(primary, id)
  await secondary.secrets.post(`${dr}/secondary/enable`, { token })
  await inSync(primary, secondary)
}

/** Promotes a secondary with an operation token made for that. */
export function promote(secondary: Cluster, addCluster: object = {}): Promise<Reply> {
  const dr_operation_token = createOperationToken(secondary.world)
  return secondary.secrets.post(`${dr}/secondary/promote`, { dr_operation_token, ...addCluster })
}

/** Lets a secondary follow another primary, with an operation token made for that. */
export function updatePrimary(secondary: Cluster, token: string): Promise<Reply> {
  const dr_operation_token = createOperationToken(secondary.world)
  return secondary.secrets.post(`${dr}/secondary/update-primary`, { dr_operation_token, token })
}

/** Waits until a secondary has all of its primary's commits; fails when it never does. */
export async function inSync(primary: Cluster, secondary: Cluster): Promise<void> {
  await until(async () => {
    const [primaryStatus, secondaryStatus] = [await primary.status(), await secondary.status()]
    return (
      secondaryStatus.state === 'stream-wals' &&
      secondaryStatus.connection_state === 'ready' &&
      secondaryStatus.last_remote_wal === primaryStatus.last_wal
    )
  })
}

/** Waits until a secondary's connection is in a state. */
export async function connection(secondary: Cluster, state: string): Promise<void> {
  await until(async () => (await secondary.status()).connection_state === state)
}

/** Cuts or restores a link by hand. */
export function forceLink({ world }: Cluster, id: string, to: 'connected' | 'disconnected'): void {
  world.write(() => world.transitions.get('secrets.replication-link')?.force(world, id, to, {}))
}

/** Seals a cluster, or opens it, as an operator of the process may. */
export function forceNode({ world }: Cluster, to: 'sealed' | 'active'): void {
  world.write(() => world.transitions.get('secrets.node')?.force(world, 'self', to, {}))
}

/** The keys of a table that are written in a cluster from now on, as they are written. */
export function recordWrittenKeys({ world }: Cluster, table: TableDefinition): ReadonlySet<string> {
  const keys = new Set<string>()
  world.store.feed.follow(({ changes }) => {
    for (const change of changes) if (change.table === table.id) keys.add(change.key)
  })
  return keys
}

/**
 * Asks again and again, as long as the test may take: what is asked for follows the network, and a
 * busy machine is slow. Whatever hangs is ended by the time limit of the suite.
 */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  let testFinished = false
  onTestFinished(() => {
    testFinished = true
  })
  while (!(await condition())) {
    // Nobody waits any more, and what follows belongs to no test.
    if (testFinished) return await new Promise<never>(() => {})
    await pause(1)
  }
}
