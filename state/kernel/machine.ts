import { Refusal } from './refusal.ts'

/** One allowed transition of a state machine. */
interface Move<State extends string, Event extends string, Subject> {
  readonly on: Event
  readonly from: State | readonly State[]
  readonly to: State
  /** Condition that the subject must meet, in addition to the event and the state. */
  readonly when?: (subject: Subject) => boolean
  /**
   * Citation of the rule that defines the transition; left out if the transition is a choice of
   * this project.
   */
  readonly spec?: string
}

/** A state machine, declared as a table of moves. */
export interface Machine<State extends string, Event extends string, Subject> {
  readonly name: string
  readonly states: readonly State[]
  readonly moves: readonly Move<State, Event, Subject>[]
  /** Returns the state after the event. Throws a `conflict` refusal if no move allows the event. */
  next(state: State, event: Event, subject: Subject): State
  /** Returns whether some move allows the event in this state, for this subject. */
  allows(state: State, event: Event, subject: Subject): boolean
}

/**
 * Declares a state machine: `defineMachine<Subject>()({ name, states, moves })`. An event that no
 * move allows is refused, never ignored.
 */
export function defineMachine<Subject = void>() {
  return <const State extends string, const Event extends string>(table: {
    readonly name: string
    readonly states: readonly State[]
    readonly moves: readonly Move<NoInfer<State>, Event, Subject>[]
  }): Machine<State, Event, Subject> => {
    const moves = new Map<Event, typeof table.moves>()
    for (const move of table.moves) moves.set(move.on, [...(moves.get(move.on) ?? []), move])
    const findMove = (state: State, event: Event, subject: Subject) =>
      moves
        .get(event)
        ?.find(
          (move) =>
            (typeof move.from === 'string' ? move.from === state : move.from.includes(state)) &&
            (move.when === undefined || move.when(subject)),
        )
    return {
      ...table,
      next(state, event, subject) {
        const move = findMove(state, event, subject)
        if (move !== undefined) return move.to
        throw new Refusal('conflict', `a ${table.name} that is ${state} cannot ${event}`)
      },
      allows: (state, event, subject) => findMove(state, event, subject) !== undefined,
    }
  }
}
