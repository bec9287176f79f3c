import { faultShape, faultsShape, newFaultShape } from '../../faults/declare/fault-shapes.ts'
import { appliedShape, presetBodyShape, presetsShape } from '../../faults/presets/preset-shapes.ts'
import { callsOf } from '../../http/declare/control-call.ts'
import type { ControlContext } from '../context.ts'

const presetCall = callsOf(({ world }: ControlContext) => world.faults, 'behaviour/program#presets')
const faultCall = callsOf(({ world }: ControlContext) => world.faults, 'behaviour/program#faults')

/** Operations on the faults of a world, and on presets of named failures. */
export const faultOperations = [
  presetCall({
    id: 'listPresets',
    route: 'GET /faults/presets',
    summary: 'List the named failures, with their parameters.',
    reply: presetsShape,
    run: (faults) => ({ presets: faults.presets() }),
  }),
  presetCall({
    id: 'applyPreset',
    route: 'POST /faults/presets/:name',
    summary: 'Apply a preset to the world: its faults, options and forced transitions.',
    body: presetBodyShape,
    reply: appliedShape,
    status: 201,
    run: (faults, { params, body }) => faults.preset(params.name, body),
  }),
  presetCall({
    id: 'endPreset',
    route: 'DELETE /faults/presets/:name',
    summary: 'Undo a preset.',
    run: (faults, { params }) => faults.endPreset(params.name),
  }),
  faultCall({
    id: 'addFault',
    route: 'POST /faults',
    summary: 'Make matching requests fail: by a delay, a status, a broken connection or body.',
    body: newFaultShape,
    reply: faultShape,
    status: 201,
    run: (faults, { body }) => faults.add(body),
  }),
  faultCall({
    id: 'listFaults',
    route: 'GET /faults',
    summary: 'List the faults in order, with the number of matching requests and of applications.',
    reply: faultsShape,
    run: (faults) => ({ faults: faults.list() }),
  }),
  faultCall({
    id: 'clearFaults',
    route: 'DELETE /faults',
    summary: 'Delete all faults, and close the connections of the requests that they hold.',
    run: (faults) => faults.clear(),
  }),
  faultCall({
    id: 'getFault',
    route: 'GET /faults/:id',
    summary: 'Describe a fault.',
    reply: faultShape,
    run: (faults, { params }) => faults.get(params.id),
  }),
  faultCall({
    id: 'deleteFault',
    route: 'DELETE /faults/:id',
    summary: 'Delete a fault, and close the connections of the requests that it holds.',
    run: (faults, { params }) => faults.delete(params.id),
  }),
]
