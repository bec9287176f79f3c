import { formatGoDuration, SECOND } from '../../../state/go/duration.ts'
import { bool, int, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import {
  changeRotationConfig,
  keyStatus,
  rotateKey,
  rotationConfig,
} from '../../../state/secrets/seal/keyring.ts'
import { dataOutcome } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { duration } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#key-status' })
const rotationSpec = 'behaviour/secrets#small-endpoints'

/**
 * Operations on the encryption key. The rotation settings are stored and returned, but have no
 * effect.
 */
export const keyOperations = [
  operation.read('readKeyStatus', 'key-status', {
    summary: 'Read which encryption key is in use.',
    reply: enveloped({ term: int, install_time: text, encryptions: int }),
    run: ({ world }) => ({ kind: 'envelope', data: keyStatus(world), repeatsKeys: true }),
  }),
  ...(['rotate', 'rotate/keyring'] as const).flatMap((path) => {
    const idSuffix = path === 'rotate' ? '' : 'Keyring'
    return [
      operation.write(`rotateKey${idSuffix}`, path, {
        summary: 'Install a new encryption key.',
        access: 'sudo',
        apply: ({ world }) => rotateKey(world),
      }),
      operation.read(`readRotationConfig${idSuffix}`, `${path}/config`, {
        summary: 'Read when the encryption key would be rotated automatically.',
        spec: rotationSpec,
        reply: enveloped({
          enabled: bool,
          interval: described(union(int, text), '0, or a Go duration'),
          max_operations: int,
        }),
        run({ world }) {
          const { enabled, interval, max_operations } = rotationConfig(world)
          const every = interval === 0 ? 0 : formatGoDuration(interval * SECOND)
          return dataOutcome({ enabled, interval: every, max_operations })
        },
      }),
      operation.write(`writeRotationConfig${idSuffix}`, `${path}/config`, {
        summary: 'Set when the encryption key would be rotated automatically.',
        spec: rotationSpec,
        body: {
          enabled: described(bool, 'Whether the key is rotated automatically'),
          interval: duration('Time between two rotations, at least one day; 0 means never'),
          max_operations: described(int, 'Number of encryptions before a rotation'),
        },
        apply: ({ world, fields }) => changeRotationConfig(world, fields),
      }),
    ]
  }),
]
