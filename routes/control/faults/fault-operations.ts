import { faultShape, faultsShape, newFaultShape } from '../../faults/fault-shapes.ts'
import { answer, noContent, ok } from '../../http/declare/operation.ts'
import { operation } from '../context.ts'

const spec = 'behaviour/program#faults'

/** Operations on the faults of a world. */
export const faultOperations = [
  operation({
    id: 'addFault',
    method: 'POST',
    path: '/faults',
    summary: 'Make matching requests fail: by a delay, a status, a broken connection or body.',
    spec,
    body: newFaultShape,
    reply: { 201: faultShape },
    run: ({ context, body }) => answer(201, context.world.faults.add(body)),
  }),
  operation({
    id: 'listFaults',
    method: 'GET',
    path: '/faults',
    summary: 'List the faults in order, with the number of matching requests and of applications.',
    spec,
    reply: { 200: faultsShape },
    run: ({ context }) => ok({ faults: context.world.faults.list() }),
  }),
  operation({
    id: 'clearFaults',
    method: 'DELETE',
    path: '/faults',
    summary: 'Delete all faults and release the requests that they hold.',
    spec,
    reply: { 204: null },
    run: ({ context }) => {
      context.world.faults.clear()
      return noContent
    },
  }),
  operation({
    id: 'getFault',
    method: 'GET',
    path: '/faults/:id',
    summary: 'Describe a fault.',
    spec,
    reply: { 200: faultShape },
    run: ({ context, params }) => ok(context.world.faults.get(params.id)),
  }),
  operation({
    id: 'deleteFault',
    method: 'DELETE',
    path: '/faults/:id',
    summary: 'Delete a fault and release the requests that it holds.',
    spec,
    reply: { 204: null },
    run: ({ context, params }) => {
      context.world.faults.delete(params.id)
      return noContent
    },
  }),
]
