import { appliedShape, presetBodyShape, presetsShape } from '../../faults/presets/preset-shapes.ts'
import { answer, noContent, ok } from '../../http/declare/operation.ts'
import { operation } from '../context.ts'

const spec = 'behaviour/program#presets'

/** Operations on presets of named failures. */
export const presetOperations = [
  operation({
    id: 'listPresets',
    method: 'GET',
    path: '/faults/presets',
    summary: 'List the named failures, with their parameters.',
    spec,
    reply: { 200: presetsShape },
    run: ({ context }) => ok({ presets: context.world.faults.presets() }),
  }),
  operation({
    id: 'applyPreset',
    method: 'POST',
    path: '/faults/presets/:name',
    summary: 'Apply a preset to the world: its faults, options and forced transitions.',
    spec,
    body: presetBodyShape,
    reply: { 201: appliedShape },
    run: ({ context, params, body }) => answer(201, context.world.faults.preset(params.name, body)),
  }),
  operation({
    id: 'endPreset',
    method: 'DELETE',
    path: '/faults/presets/:name',
    summary: 'Undo a preset.',
    spec,
    reply: { 204: null },
    run: ({ context, params }) => {
      context.world.faults.endPreset(params.name)
      return noContent
    },
  }),
]
