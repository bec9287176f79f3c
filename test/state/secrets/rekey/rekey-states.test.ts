import { describe, expect, test } from 'vitest'
import { cancelRekey, startRekey, submitRekeyShare } from '../../../../state/secrets/rekey/rekey.ts'
import {
  type RekeyState,
  rekeyAttempt,
  rekeyMachine,
  rekeyState,
} from '../../../../state/secrets/rekey/rekey-machine.ts'
import {
  restartVerification,
  submitNewShare,
} from '../../../../state/secrets/rekey/verification.ts'
import { unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { refusalOf } from '../system-world.ts'
import { settings, verificationNonce, worldIn } from './rekey-world.ts'

/** The events of a rekey. `all` shares reach the threshold, `one` does not. */
const events = {
  init: ({ world }: RekeyWorld) => startRekey(world, settings),
  'update, one': ({ world }: RekeyWorld) => {
    submitRekeyShare(world, unsealKeys(world).keys[0] ?? '', rekeyAttempt(world)?.nonce ?? '')
  },
  'update, all': ({ world }: RekeyWorld) => {
    for (const key of unsealKeys(world).keys.slice(0, 3)) {
      submitRekeyShare(world, key, rekeyAttempt(world)?.nonce ?? '')
    }
  },
  'verify, one': ({ world, newShares }: RekeyWorld) => {
    submitNewShare(world, newShares[0] ?? 'ab'.repeat(33), verificationNonce(world))
  },
  'verify, all': ({ world, newShares }: RekeyWorld) => {
    for (const key of newShares.length === 0 ? ['ab'.repeat(33)] : newShares.slice(0, 2)) {
      submitNewShare(world, key, verificationNonce(world))
    }
  },
  restart: ({ world }: RekeyWorld) => restartVerification(world),
  cancel: ({ world }: RekeyWorld) => cancelRekey(world),
} as const

type RekeyWorld = ReturnType<typeof worldIn>

const finished = expect.stringMatching(
  /^rekey operation already finished; verification must be performed; nonce for the verification operation is "[0-9a-f-]{36}"$/,
)

/** The next state, or the refusal, by state and event. */
const table: Record<
  Parameters<typeof worldIn>[0],
  Record<keyof typeof events, RekeyState | { refused: unknown }>
> = {
  none: {
    init: 'started',
    'update, one': { refused: 'no barrier rekey in progress' },
    'update, all': { refused: 'no barrier rekey in progress' },
    'verify, one': { refused: 'no rekey in progress' },
    'verify, all': { refused: 'no rekey in progress' },
    restart: { refused: 'no rekey configuration found' },
    cancel: 'none',
  },
  started: {
    init: { refused: 'rekey already in progress' },
    'update, one': 'started',
    'update, all': 'none',
    'verify, one': { refused: 'no rekey verification in progress' },
    'verify, all': { refused: 'no rekey verification in progress' },
    restart: 'started',
    cancel: 'none',
  },
  'started, verification asked for': {
    init: { refused: 'rekey already in progress' },
    'update, one': 'started',
    'update, all': 'verification',
    'verify, one': { refused: 'no rekey verification in progress' },
    'verify, all': { refused: 'no rekey verification in progress' },
    restart: 'started',
    cancel: 'none',
  },
  verification: {
    init: { refused: 'rekey already in progress' },
    'update, one': { refused: finished },
    'update, all': { refused: finished },
    'verify, one': 'verification',
    'verify, all': 'none',
    restart: 'verification',
    cancel: 'none',
  },
}

const cases = Object.entries(table).flatMap(([state, row]) =>
  Object.entries(row).map(
    ([event, expected]) =>
      [state as keyof typeof table, event as keyof typeof events, expected] as const,
  ),
)

describe('behaviour/secrets#api-rekey: every state and event', () => {
  test.each(cases)('%s, %s', (state, event, expected) => {
    const place = worldIn(state)
    const before = rekeyAttempt(place.world)
    const shares = unsealKeys(place.world)
    const refused = refusalOf(() => events[event](place))
    const after = rekeyAttempt(place.world)
    if (typeof expected === 'string') {
      expect(refused).toBeUndefined()
      expect(rekeyState(after)).toBe(expected)
    } else {
      expect(refused).toEqual({ kind: 'invalid', message: expected.refused })
      expect(after).toEqual(before)
    }
    const switched = (event === 'update, all' && state === 'started') || event === 'verify, all'
    const reached = switched && expected === 'none'
    expect(unsealKeys(place.world).keys.length).toBe(reached ? 3 : 5)
    expect(unsealKeys(place.world).keys.some((key) => shares.keys.includes(key))).toBe(!reached)
  })

  const submitted = [
    { isKeyRecovered: false, requiresVerification: false },
    { isKeyRecovered: true, requiresVerification: false },
    { isKeyRecovered: false, requiresVerification: true },
    { isKeyRecovered: true, requiresVerification: true },
  ]

  /** Returns the next state, as an independent statement of the table. */
  function expectedState(state: RekeyState, event: string, subject: (typeof submitted)[number]) {
    const { isKeyRecovered, requiresVerification } = subject
    switch (`${event} ${state}`) {
      case 'init none':
        return 'started'
      case 'update started':
        return isKeyRecovered ? (requiresVerification ? 'verification' : 'complete') : 'started'
      case 'verify verification':
        return isKeyRecovered ? 'complete' : 'verification'
      case 'restart verification':
        return 'verification'
      case 'cancel none':
      case 'cancel started':
      case 'cancel verification':
        return 'none'
      default:
        return undefined
    }
  }

  const names = ['init', 'update', 'verify', 'restart', 'cancel'] as const
  const transitionCases = rekeyMachine.states.flatMap((state) =>
    names.flatMap((event) => submitted.map((subject) => [state, event, subject] as const)),
  )

  test.each(transitionCases)('the machine: %s, %s, %j', (state, event, subject) => {
    const expected = expectedState(state, event, subject)
    expect(rekeyMachine.allows(state, event, subject)).toBe(expected !== undefined)
    if (expected === undefined) {
      expect(refusalOf(() => rekeyMachine.next(state, event, subject))).toEqual({
        kind: 'conflict',
        message: `a rekey that is ${state} cannot ${event}`,
      })
    } else expect(rekeyMachine.next(state, event, subject)).toBe(expected)
  })

  test('every step is in the specification', () => {
    expect(rekeyMachine.moves.filter(({ spec }) => spec === undefined)).toEqual([])
  })
})
