import { formatGoDuration, SECOND } from '../../../state/go/duration.ts'
import { bool, int, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { changeRotationConfig, rotationConfig } from '../../../state/secrets/seal/keyring.ts'
import { data, empty } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { duration } from '../fields/forms.ts'
import { operation } from '../operation.ts'

const spec = 'behaviour/secrets#small-endpoints'

/** When the encryption key would be replaced by itself: kept and told, and nothing comes of it. */
export const rotationOperations = [
  operation({
    id: 'readRotationConfig',
    verb: 'read',
    path: 'rotate/config',
    summary: 'Reads when the encryption key would be replaced by itself.',
    spec,
    reply: {
      200: envelopeOf(
        struct({
          enabled: bool,
          interval: described(union(int, text), '0, or a Go duration'),
          max_operations: int,
        }),
      ),
    },
    run({ world }) {
      const { enabled, interval, max_operations } = rotationConfig(world)
      const every = interval === 0 ? 0 : formatGoDuration(interval * SECOND)
      return data({ enabled, interval: every, max_operations })
    },
  }),
  operation({
    id: 'writeRotationConfig',
    verb: 'write',
    path: 'rotate/config',
    summary: 'Sets when the encryption key would be replaced by itself.',
    spec,
    body: {
      enabled: described(bool, 'Whether it would'),
      interval: duration('How often, at least a day; 0 for never'),
      max_operations: described(int, 'After how many encryptions'),
    },
    reply: { 204: null },
    run({ world, fields }) {
      changeRotationConfig(world, fields)
      return empty
    },
  }),
]
