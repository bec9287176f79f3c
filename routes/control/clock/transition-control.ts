import { parseGoDuration } from '../../../state/go/duration.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { inputSchema } from '../../../state/kernel/shape/schema.ts'
import type { Timing, TransitionItem } from '../../../state/kernel/time/transitions.ts'
import type { TransitionKind } from '../../../state/kernel/worlds/service.ts'
import { ControlPart } from '../../http/declare/control-call.ts'
import { InputError, pointerName } from '../../http/declare/validate.ts'
import { timingsShape } from './transition-shapes.ts'

/** A kind of object that has states, and the existing objects of this kind. */
export interface TransitionView {
  readonly kind: string
  readonly summary: string
  readonly targets: readonly string[]
  /**
   * Schemas by target state. A schema describes the members that accompany `to` in a request that
   * forces the transition.
   */
  readonly takes?: Readonly<Record<string, JsonSchema>>
  readonly pace: Timing
  readonly items: readonly TransitionItem[]
}

/** Timings of transitions, by kind. */
export type Timings = Readonly<Record<string, Timing>>

/**
 * Control of a world's transitions. Lists the kinds of objects, sets timings, and forces
 * transitions.
 */
export class TransitionControl extends ControlPart {
  /**
   * Returns every kind of transition with its existing objects, ordered by the name of the kind.
   */
  list(): readonly TransitionView[] {
    const kinds = [...this.world.transitions.values()]
    return kinds
      .sort((a, b) => (a.kind < b.kind ? -1 : 1))
      .map((kind) => ({
        kind: kind.kind,
        summary: kind.summary,
        targets: kind.targets,
        ...inputSchemas(kind),
        pace: this.world.timing(kind),
        items: kind.items(this.world),
      }))
  }

  /**
   * Sets the timings of the given kinds. If a kind or a timing is invalid, throws `InputError` and
   * changes nothing.
   */
  setPaces(changes: Timings): void {
    this.check(timingsShape, changes)
    const problems = Object.entries(changes).flatMap(([kind, timing]) => {
      const problem = this.#findProblem(kind, timing)
      return problem === undefined ? [] : [`/${pointerName(kind)}${problem}`]
    })
    if (problems.length > 0) throw new InputError(problems)
    this.world.setTimings(changes)
  }

  /**
   * Forces an object into a state, and runs the jobs that are due after that.
   *
   * @param extra members of the request in addition to the target, such as `results` or `exitCode`
   * @returns the object after the transition; undefined if it no longer exists
   * @throws {InputError} for an unknown target and for invalid members; {Refusal} `absent` for an
   *   unknown kind or id, `conflict` if the current state does not allow the transition
   */
  push(
    kind: string,
    id: string,
    to: string,
    extra: Readonly<Record<string, unknown>> = {},
  ): TransitionItem | undefined {
    const known = this.#find(kind)
    if (!known.targets.includes(to)) {
      throw new InputError([`/to must be one of ${known.targets.join(', ')} for a ${kind}`])
    }
    this.check(known.takes?.[to] ?? noMembers, extra, 'the push')
    this.world.write(() => known.force(this.world, id, to, extra))
    // The transition may schedule a job for the current instant.
    this.world.runDueJobs()
    return known.items(this.world).find((item) => item.id === id)
  }

  #find(kind: string): TransitionKind {
    const known = this.world.transitions.get(kind)
    if (known !== undefined) return known
    throw new Refusal('absent', `there is no kind of transition "${kind}"`)
  }

  #findProblem(name: string, timing: Timing): string | undefined {
    const kind = this.world.transitions.get(name)
    if (kind === undefined) {
      return ` is unknown; known are ${[...this.world.transitions.keys()].sort().join(', ')}`
    }
    if (timing === 'manual') return undefined
    if (kind.timing === undefined) return ' never moves by itself, so it can only be manual'
    if (timing === 'immediate') return undefined
    try {
      return parseGoDuration(timing.after) < 0 ? '/after must not be negative' : undefined
    } catch (error) {
      if (error instanceof Refusal) return `/after is not a Go duration: ${error.message}`
      throw error
    }
  }
}

/** Shape of the members other than `to`, for targets that declare no parameters. */
const noMembers = struct({})

/**
 * Returns, for each target state, the schema of the request members that accompany `to`. Returns an
 * empty object if the kind declares no such members.
 */
function inputSchemas({ takes }: TransitionKind): Pick<TransitionView, 'takes'> {
  if (takes === undefined) return {}
  const schemas = Object.entries(takes).map(([to, shape]) => [to, inputSchema(shape)])
  return { takes: Object.fromEntries(schemas) }
}
