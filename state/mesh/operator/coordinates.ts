import { float, list } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { findNode } from '../catalog/reads.ts'
import { catalogNodes } from '../catalog/tables.ts'
import { meshTable, touch } from '../indexes.ts'
import { refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'

const coordinateShape = struct({
  vec: list(float),
  error: float,
  adjustment: float,
  height: float,
})

/** Position of a node in the network, from which round-trip times are estimated. */
interface Coordinate extends StoredOf<typeof coordinateShape> {}

/** Coordinates that clients have sent, by node name. */
export const nodeCoordinates = meshTable('coordinates', coordinateShape, { secrets: 'none' })

/** Number of dimensions of every coordinate. */
const dimensions = 8

/** Name under which the index of coordinates is stored. */
export const coordinateDataKind = 'coordinates'

/** Initial coordinate of the server's node. */
const origin: Coordinate = {
  vec: Array(dimensions).fill(0),
  error: 1.5,
  adjustment: 0,
  height: 0.00001,
}

/**
 * Returns the coordinate that a client last sent for a node. Without one, returns the initial
 * coordinate for the server's node, and undefined for every other node. Returns undefined for an
 * unknown node.
 */
export function coordinateOf(world: World, node: string): Coordinate | undefined {
  const known = findNode(world, node)?.node
  if (known === undefined) return undefined
  const isOwn = known === optionsOf(world).nodeName
  return world.table(nodeCoordinates).get(known) ?? (isOwn ? origin : undefined)
}

/**
 * Returns the names of the nodes that have a coordinate, in the order of the catalog table (by
 * lower-case name).
 */
export function nodesWithCoordinate(world: World): readonly string[] {
  return Array.from(world.table(catalogNodes).rows(), ({ node }) => node).filter(
    (node) => coordinateOf(world, node) !== undefined,
  )
}

/**
 * Stores the coordinate of a node; does nothing if the node is unknown. Throws a refusal (500) if
 * the coordinate does not have 8 dimensions.
 */
export function updateCoordinate(world: World, node: string, coordinate: Coordinate): void {
  if (coordinate.vec.length !== dimensions) throw refuse('coordinate-incompatible')
  const known = findNode(world, node)?.node
  if (known === undefined) return
  world.write(() => {
    world.table(nodeCoordinates).put(known, coordinate)
    touch(world, coordinateDataKind)
  })
}
