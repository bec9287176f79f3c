import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { TableDefinition } from '../../../state/kernel/store/table.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { createOperationToken } from '../../../state/secrets/replication/operation-tokens.ts'
import { type Reply, SecretsClient, servedSecrets, type TestSettings } from './secrets.ts'

/** Path of the DR replication endpoints. */
export const dr = 'sys/replication/dr'

/** Requests that tests send to a cluster, with or without a socket. */
export type ClusterClient = Pick<SecretsClient, 'get' | 'list' | 'post' | 'delete' | 'request'>

/** World in the role of a cluster, with a client for requests to it. */
export interface Cluster {
  readonly world: World
  readonly secrets: ClusterClient
  /** Returns the `data` of the DR status. */
  status(): Promise<Reply['body']>
}

/** Two worlds of one process, each of them a cluster. */
interface Clusters {
  readonly app: FastifyInstance
  readonly worlds: Worlds
  readonly first: Cluster
  readonly second: Cluster
  /** Adds a world to the process, fresh or as a copy of another. */
  addCluster(id: string, from?: Cluster): Cluster
}

/** Creates two worlds in one process without a replication link. */
export async function twoClusters(settings: TestSettings = {}): Promise<Clusters> {
  const { app, worlds, world } = await servedSecrets(settings)
  const addCluster = (id: string, from?: Cluster) =>
    clusterOf(app, worlds.create({ id, seed: id, from: from?.world.id }))
  return { app, worlds, first: clusterOf(app, world), second: addCluster('second'), addCluster }
}

/** Returns a world of an app as a cluster. */
export function clusterOf(
  app: FastifyInstance,
  world: World,
  secrets: ClusterClient = new SecretsClient(app, 'root', world.id),
): Cluster {
  const status = async () => (await secrets.get(`${dr}/status`)).body.data
  return { world, secrets, status }
}

/**
 * Makes a cluster a primary, unless its replication is already enabled. Returns an activation token
 * for a secondary.
 */
export async function activationToken(
  primary: Cluster,
  id = 'east',
  extraFields: object = {},
): Promise<string> {
  if ((await primary.status()).mode === 'disabled') {
    await primary.secrets.post(`${dr}/primary/enable`)
  }
  const { body } = await primary.secrets.post(`${dr}/primary/secondary-token`, {
    id,
    ...extraFields,
  })
  return body.wrap_info?.token ?? body.data.token
}

/** Makes one cluster the secondary of another, and waits until it is in sync. */
export async function follow(primary: Cluster, secondary: Cluster, id = 'east'): Promise<void> {
  const token = await activationToken(primary, id)
  await secondary.secrets.post(`${dr}/secondary/enable`, { token })
  await waitForSync(primary, secondary)
}

/** Promotes a secondary. Generates the operation token that the promotion requires. */
export function promote(secondary: Cluster, extraFields: object = {}): Promise<Reply> {
  const dr_operation_token = createOperationToken(secondary.world)
  return secondary.secrets.post(`${dr}/secondary/promote`, { dr_operation_token, ...extraFields })
}

/**
 * Changes the primary of a secondary. Generates the operation token that the change requires.
 *
 * @param token activation token of the new primary
 */
export function updatePrimary(secondary: Cluster, token: string): Promise<Reply> {
  const dr_operation_token = createOperationToken(secondary.world)
  return secondary.secrets.post(`${dr}/secondary/update-primary`, { dr_operation_token, token })
}

/** Waits until a secondary has all commits of its primary. */
export async function waitForSync(primary: Cluster, secondary: Cluster): Promise<void> {
  await waitUntil(async () => {
    const [primaryStatus, secondaryStatus] = [await primary.status(), await secondary.status()]
    return (
      secondaryStatus.state === 'stream-wals' &&
      secondaryStatus.connection_state === 'ready' &&
      secondaryStatus.last_remote_wal === primaryStatus.last_wal
    )
  })
}

/** Waits until the connection of a secondary is in a state. */
export async function waitForConnection(secondary: Cluster, state: string): Promise<void> {
  await waitUntil(async () => (await secondary.status()).connection_state === state)
}

/** Forces a link to disconnect or connect. */
export function forceLink({ world }: Cluster, id: string, to: 'connected' | 'disconnected'): void {
  world.write(() => world.transitions.get('secrets.replication-link')?.force(world, id, to, {}))
}

/** Forces a cluster to seal or unseal. */
export function forceNode({ world }: Cluster, to: 'sealed' | 'active'): void {
  world.write(() => world.transitions.get('secrets.node')?.force(world, 'self', to, {}))
}

/**
 * Returns a set of row keys that grows: whenever the cluster writes a row of the table from now on,
 * the row's key is added.
 */
export function recordWrittenKeys({ world }: Cluster, table: TableDefinition): ReadonlySet<string> {
  const keys = new Set<string>()
  world.store.feed.follow(({ changes }) => {
    for (const change of changes) if (change.table === table.id) keys.add(change.key)
  })
  return keys
}

/**
 * Polls a condition until it holds or the test times out. The function has no time limit of its
 * own, because the network and busy machines are slow.
 */
export async function waitUntil(condition: () => Promise<boolean> | boolean): Promise<void> {
  let testFinished = false
  onTestFinished(() => {
    testFinished = true
  })
  while (!(await condition())) {
    // The test is over, so the promise must neither resolve nor reject.
    if (testFinished) return await new Promise<never>(() => {})
    await pause(1)
  }
}
