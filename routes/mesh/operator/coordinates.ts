import { any, float, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, partial, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { indexOf } from '../../../state/mesh/indexes.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import {
  coordinateDataKind,
  coordinateOf,
  nodesWithCoordinate,
  updateCoordinate,
} from '../../../state/mesh/operator/coordinates.ts'
import { insideOperation, perEntry } from '../../http/declare/access.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requireRight, requires, rightChecker, withNamedTarget } from '../access.ts'
import { decodeBody } from '../decode.ts'
import { type MeshContext, operationsOf, readWithoutIndex } from '../operation.ts'

const coordinateMembers = { Vec: list(float), Error: float, Adjustment: float, Height: float }

const coordinatesSchema = storedSchema(
  list(struct({ Node: text, Segment: text, Coord: struct(coordinateMembers) })),
)

const updateBody = partial(
  struct('CoordinateUpdateRequest', {
    Datacenter: text,
    Node: text,
    Segment: text,
    Coord: partial(struct('Coordinate', coordinateMembers)),
  }),
)

/**
 * Returns a list with the coordinate of a node. The list is empty if the node has no coordinate or
 * the request names a segment.
 */
function coordinateViews({ world, query }: MeshContext, node: string) {
  const coordinate = coordinateOf(world, node)
  if (coordinate === undefined || (query.value('segment') ?? '') !== '') return []
  const { vec, error, adjustment, height } = coordinate
  const Coord = { Vec: vec, Error: error, Adjustment: adjustment, Height: height }
  return [{ Node: node, Segment: '', Coord }]
}

const segmentParameter = parameters({
  segment: described(text, 'Only nodes of this segment; only the empty segment exists'),
})

const readFlags = { hasReadHeadersOnRefusal: true } as const

const operation = operationsOf({ spec: 'behaviour/mesh#coordinates' })

export const coordinateOperations = [
  operation.get('listCoordinates', '/coordinate/nodes', {
    access: perEntry(requires('node:read')),
    tenancy: 'partition',
    summary: 'List the coordinates of the nodes; can block.',
    query: segmentParameter,
    reply: { 200: coordinatesSchema },
    run: ({ context }) => {
      const { world } = context
      return context.read(() => {
        const isVisible = rightChecker(context, 'node:read')
        const nodes = nodesWithCoordinate(world)
        const visible = nodes.filter((name) => isVisible({ name }))
        return {
          index: indexOf(world, coordinateDataKind),
          body: visible.flatMap((name) => coordinateViews(context, name)),
          isFiltered: visible.length < nodes.length,
        }
      }, readFlags)
    },
  }),
  operation.get('listCoordinateDatacenters', '/coordinate/datacenters', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'List the coordinates of the servers by datacenter: always empty.',
    reply: { 200: storedSchema(list(any)) },
    run: ({ context }) => readWithoutIndex(context, () => []),
  }),
  operation.get('readCoordinate', '/coordinate/node/:node', {
    access: withNamedTarget('node', requires('node:read')),
    tenancy: 'partition',
    summary: 'Read the coordinate of a node, as a list with one entry; can block.',
    query: segmentParameter,
    reply: { 200: coordinatesSchema, 404: null },
    run({ context, params: { node } }) {
      context.checkReadParameters()
      if (node === '') throw refuse('coordinate-node-missing')
      const { world } = context
      return context.read<200 | 404>(() => {
        const index = indexOf(world, coordinateDataKind)
        if (coordinateOf(world, node) === undefined) return { index, status: 404 }
        return { index, body: coordinateViews(context, node) }
      }, readFlags)
    },
  }),
  operation.put('updateCoordinate', '/coordinate/update', {
    access: insideOperation(requires('node:write')),
    tenancy: 'partition',
    summary: 'Store the coordinate of a node.',
    body: updateBody,
    reply: { 200: null },
    run({ context }) {
      const { Node = '', Coord } = decodeBody(
        context,
        updateBody,
        (problem) => refuse('coordinate-body-unreadable', { problem }),
        true,
      )
      context.requireOwnDatacenter()
      requireRight(context, 'node:write', { name: Node })
      const { Vec = [], Adjustment = 0, Height = 0 } = Coord ?? {}
      const coordinate = {
        vec: [...Vec],
        error: Coord?.Error ?? 0,
        adjustment: Adjustment,
        height: Height,
      }
      updateCoordinate(context.world, Node, coordinate)
      return { status: 200 as const }
    },
  }),
]
