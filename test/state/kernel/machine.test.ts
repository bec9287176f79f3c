import { describe, expect, test } from 'vitest'
import { defineMachine } from '../../../state/kernel/machine.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'

const door = defineMachine<{ readonly locked: boolean }>()({
  name: 'door',
  states: ['open', 'closed', 'broken'],
  moves: [
    { on: 'close', from: 'open', to: 'closed' },
    { on: 'open', from: 'closed', to: 'open', when: ({ locked }) => !locked },
    { on: 'kick', from: ['open', 'closed'], to: 'broken' },
  ],
})

/** Next state of a door by state and event. Refused events are missing. */
const expected: Record<string, Record<string, string>> = {
  open: { close: 'closed', kick: 'broken' },
  closed: { open: 'open', kick: 'broken' },
  broken: {},
}

describe('behaviour/program#worlds: state machines as tables', () => {
  for (const state of door.states) {
    for (const event of ['close', 'open', 'kick'] as const) {
      const to = expected[state]?.[event]
      test(`a door that is ${state}: ${event} ${to === undefined ? 'is refused' : `makes it ${to}`}`, () => {
        const subject = { locked: false }
        expect(door.allows(state, event, subject)).toBe(to !== undefined)
        if (to !== undefined) expect(door.next(state, event, subject)).toBe(to)
        else {
          const refused = `a door that is ${state} cannot ${event}`
          expect(() => door.next(state, event, subject)).toThrow(new Refusal('conflict', refused))
        }
      })
    }
  }

  test('a condition that does not hold refuses the move', () => {
    expect(door.allows('closed', 'open', { locked: true })).toBe(false)
    expect(() => door.next('closed', 'open', { locked: true })).toThrow(
      'a door that is closed cannot open',
    )
  })
})
