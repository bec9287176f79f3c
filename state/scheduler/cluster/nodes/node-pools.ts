import { quoteGo } from '../../../go/text.ts'
import type { Message } from '../../../kernel/message.ts'
import { fillDefaults } from '../../../kernel/shape/fill-defaults.ts'
import type { StoredOf } from '../../../kernel/shape/values.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { hashOf } from '../../hashes.ts'
import { nextIndex } from '../../indexes.ts'
import { optionsOf } from '../../options.ts'
import { jobs } from '../../records/tables.ts'
import { failedChecks, multiError } from '../../validation/errors.ts'
import { message, refuse } from '../model/messages.ts'
import {
  type Node,
  type NodePool,
  type NodePoolInput,
  nodePoolRowShape,
  type nodePoolShape,
} from '../model/node-shapes.ts'
import { nodePools, nodes } from '../model/tables.ts'

/** The built-in pool that contains every node. */
const allNodesPool = 'all'

/** Pools that every world has and that requests cannot change. */
const builtInPools: ReadonlySet<string> = new Set([allNodesPool, 'default'])

const namePattern = '^[a-zA-Z0-9-_]{1,128}$'
const maxDescriptionBytes = 256

/** Creates or replaces a node pool without any checks. Must run inside a transaction. */
export function addNodePool(world: World, name: string, description: string): NodePool {
  const pool: NodePool = {
    Name: name,
    Description: description,
    Meta: null,
    SchedulerConfiguration: null,
    CreateIndex: world.table(nodePools).get(name)?.CreateIndex ?? nextIndex(world),
    ModifyIndex: nextIndex(world),
  }
  world.table(nodePools).put(name, pool)
  return pool
}

/**
 * Creates the built-in pools (behaviour/scheduler#node-endpoints). Must run inside a transaction.
 */
export function seedNodePools(world: World): void {
  addNodePool(world, 'all', 'Node pool with all nodes in the cluster.')
  addNodePool(world, 'default', 'Default node pool.')
}

export function allNodePools(world: World): NodePool[] {
  return [...world.table(nodePools).rows()]
}

/**
 * Returns true if a pool exists. A job can only use pools that exist
 * (behaviour/scheduler#node-endpoints).
 */
export function hasNodePool(world: World, name: string): boolean {
  return world.table(nodePools).has(name)
}

/**
 * Returns the pool with this name.
 * @throws Refusal 404 if no pool has the name
 */
export function requireNodePool(world: World, name: string): NodePool {
  const pool = world.table(nodePools).get(name)
  if (pool === undefined) throw refuse('node-pool-not-found')
  return pool
}

/** Builds the reply for a pool, with a hash. The hash of a built-in pool is null. */
export function nodePoolView(pool: NodePool): StoredOf<typeof nodePoolShape> {
  const { Name, Description, Meta } = pool
  const meta = Object.entries(Meta ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  const Hash = builtInPools.has(Name) ? null : hashOf([Name, Description, ...meta.flat()])
  return { ...pool, Hash }
}

/** Returns the nodes of a pool, ordered by ID. The pool `all` contains every node. */
export function nodesInPool(world: World, name: string): Node[] {
  const all = [...world.table(nodes).rows()]
  return name === allNodesPool ? all : all.filter(({ NodePool }) => NodePool === name)
}

/**
 * Creates or updates a pool (behaviour/scheduler#node-endpoints).
 *
 * @param pathName the name in the path; empty if the path has none
 * @param authorize throws 403 if the caller may not write the pool
 * @throws Refusal 400 if the path has another name than `input`, and for an invalid or built-in
 *   pool; 500 for a pool with a scheduler configuration
 */
export function upsertNodePool(
  world: World,
  input: NodePoolInput,
  pathName: string,
  authorize: (name: string) => void,
): NodePool {
  const pool = fillDefaults(input, nodePoolRowShape)
  const { Name } = pool
  if (pathName !== '' && pathName !== Name) throw refuse('node-pool-mismatch')
  authorize(Name)
  if (pool.SchedulerConfiguration !== null) throw refuse('node-pool-unlicensed')
  const problems = problemsOf(pool)
  const name = quoteGo(Name)
  if (problems.length > 0) throw refuse('node-pool-invalid', { name, errors: multiError(problems) })
  if (builtInPools.has(Name)) throw refuse('node-pool-built-in', { name })
  return world.write(() => {
    const ModifyIndex = nextIndex(world)
    const CreateIndex = world.table(nodePools).get(Name)?.CreateIndex ?? ModifyIndex
    const row = { ...pool, CreateIndex, ModifyIndex }
    world.table(nodePools).put(Name, row)
    return row
  })
}

function problemsOf({ Name, Description }: NodePool): readonly Message[] {
  return failedChecks(
    !new RegExp(namePattern).test(Name) &&
      message('node-pool-name-invalid', { name: quoteGo(Name), pattern: namePattern }),
    Buffer.byteLength(Description) > maxDescriptionBytes &&
      message('node-pool-description-long', { most: maxDescriptionBytes }),
  )
}

/**
 * Deletes a pool.
 *
 * @throws Refusal 400 if `name` is empty; 500 for an unknown or built-in pool, and for a pool with
 *   nodes or live jobs
 */
export function deleteNodePool(world: World, name: string): void {
  if (name === '') throw refuse('node-pool-unnamed')
  const { region } = optionsOf(world)
  const pool = quoteGo(name)
  const problems = failedChecks(
    hasLiveJob(world, name) && message('node-pool-has-jobs', { pool, region }),
    hasNodes(world, name) && message('node-pool-has-nodes', { pool, region }),
  )
  if (problems.length > 0) throw refuse('node-pool-in-use', { errors: multiError(problems) })
  if (!world.table(nodePools).has(name)) throw refuse('node-pool-unknown', { name })
  if (builtInPools.has(name)) throw refuse('node-pool-kept', { pool })
  world.write(() => {
    world.table(nodePools).delete(name)
  })
}

function hasNodes(world: World, name: string): boolean {
  for (const { NodePool } of world.table(nodes).rows()) if (NodePool === name) return true
  return false
}

function hasLiveJob(world: World, name: string): boolean {
  for (const { NodePool, Status } of world.table(jobs).rows()) {
    if (NodePool === name && Status !== 'dead') return true
  }
  return false
}
