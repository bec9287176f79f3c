import { word } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { answers, definePreset, type Preset } from '../../faults/declare/preset.ts'
import { pathOf } from '../../journal/record-values.ts'
import { refusalAction } from './refusal-action.ts'

const outputsPath =
  /^\/api\/v2\/(workspaces\/[^/]+\/current-state-version-outputs|state-versions\/[^/]+\/outputs)$/
const statesPath = /^\/api\/v2\/workspaces\/[^/]+\/state-versions$/

/** Rule that refuses a state, by the parameter of the preset. */
const refusedBy = { lock: 'state-needs-lock', serial: 'state-serial-old' } as const

/** Failures around the states of workspaces. */
export const statePresets: readonly Preset[] = [
  definePreset({
    name: 'platform-state-busy',
    summary:
      'The state of a workspace is being processed: 503 for the first requests for its outputs.',
    service: 'platform',
    parameters: struct({ answers: answers(2) }),
    source: 'behaviour/platform#state-outputs',
    effect: {
      appliesTo: (record) => record.method === 'GET' && outputsPath.test(pathOf(record)),
    },
    apply: ({ parameters: { answers: first } }) => ({
      faults: [{ when: { first }, action: refusalAction('outputs-unknown') }],
    }),
  }),
  definePreset({
    name: 'platform-state-refused',
    summary:
      'New states are refused: 409 as for a workspace that is not locked, or 412 (`serial`) as for a serial that is too low.',
    service: 'platform',
    parameters: struct({
      by: withDefault(described(word('lock', 'serial'), 'Reason of the refusal'), 'lock'),
    }),
    source: 'behaviour/platform#state-uploads',
    effect: {
      appliesTo: (record) => record.method === 'POST' && statesPath.test(pathOf(record)),
    },
    apply: ({ parameters: { by } }) => ({
      faults: [{ action: refusalAction(refusedBy[by]) }],
    }),
  }),
]
